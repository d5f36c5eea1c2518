import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ClockSetting } from "../clock";
import type { Collector } from "../collector/collector";
import type { ServeConfig } from "../config";
import type { Log } from "../log";
import { actionableError } from "../errors";
import type { ChosenCluster } from "./choose-cluster";

/** A pretend cluster that `serve` watches exactly as it would a real one. */
export interface SimulatedCluster extends ChosenCluster {
  readonly clockSetting: ClockSetting;
  readonly kubeconfigFile: string;
  overrides(config: ServeConfig): Partial<ServeConfig>;
  startAgents(listener: { readonly port: number; readonly caFile: string }): Promise<void>;
  /** Hands older history to the pipeline while pages are served already. */
  fill(collector: Collector): void;
  stop(): Promise<void>;
}

export async function simulatedCluster(_config: ServeConfig, _log: Log): Promise<SimulatedCluster> {
  void mkdirSync; void writeFileSync; void path;
  throw actionableError("The simulated cluster is not part of this version yet. Give a kubeconfig with --kubeconfig to watch a real cluster.");
}
