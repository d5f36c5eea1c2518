import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { clockOf, systemClock, type ClockSetting } from "../clock";
import type { Collector } from "../collector/collector";
import { ConfigError, type ServeConfig } from "../config";
import type { Observation } from "../domain/observation";
import { actionableError } from "../errors";
import type { Log } from "../log";
import { makeFolder } from "../make-folder";
import { allowedActions } from "../simulator/allowed-actions";
import { HISTORY_MS, SCENARIO_NAMES, type ScenarioName } from "../simulator/scenarios";
import { startSimulation } from "../simulator/simulation";
import { issueAgentToken } from "../sources/agent/tokens";
import { loadConnection } from "../sources/kube-api/connect";
import { identify } from "../sources/kube-api/identify";
import { discardSimulatedFiles } from "../store/discard";
import type { ChosenCluster } from "./choose-cluster";

/** A pretend cluster that `serve` watches exactly as it would a real one. */
export interface SimulatedCluster extends ChosenCluster {
  readonly clockSetting: ClockSetting;
  readonly kubeconfigFile: string;
  /** What its API server says of itself; the identity of its data file differs at every start. */
  readonly serverUid: string;
  readonly config: ServeConfig;
  startAgents(listener: { readonly port: number; readonly caFile: string }): Promise<void>;
  /** What happened in this long before now, by running the model again. */
  past(ms: number): Past;
  /** Hands older history to the pipeline while pages are served already. */
  fill(collector: Collector): void;
  stop(): Promise<void>;
}

export interface Past {
  readonly observations: Iterable<Observation>;
  readonly fromMs: number;
  readonly toMs: number;
}

const RUN_PREFIX = "run-";
const RUN_FOLDER = /^run-(\d+)$/;
const TIME_IN_NAME = /-\d{13}-[0-9a-f]{8}\.db$/;
/** From the making of its folder until its data file is held. */
const LONGEST_START_MS = 10 * 60_000;
/** Steps of the history that is filled in: the period of kubelets and agents. */
const HISTORY_STEP_MS = 15_000;

export async function simulatedCluster(config: ServeConfig, log: Log): Promise<SimulatedCluster> {
  const scenario = SCENARIO_NAMES.find((name) => name === config.scenario);
  if (scenario === undefined) throw new ConfigError(`--scenario is "${config.scenario}": it must be one of ${SCENARIO_NAMES.join(", ")}.`);
  const realMs = systemClock.now();
  const clockSetting = { epochMs: realMs, realMs, rate: config.speed };
  const clock = clockOf(clockSetting);
  // Its tokens and files never lie beside those of a real cluster.
  const data = path.join(config.data, "simulated");
  makeDataFolder(data);
  discardSimulatedFiles(data, realMs);
  discardRunFolders(data, realMs);
  const simulation = await startSimulation({ nodes: config.nodes, scenario, seed: String(config.seed), clock, log });
  // Another one may run with the same data folder: it must not come to act on this cluster, nor take this one's agents their memory.
  const own = path.join(data, `${RUN_PREFIX}${realMs}`);
  const kubeconfigFile = path.join(own, "kubeconfig");
  try {
    makeDataFolder(own);
    writeFileSync(kubeconfigFile, simulation.kubeconfig, { mode: 0o600 });
    const connection = await loadConnection({ kubeconfig: kubeconfigFile, environment: { home: data } });
    if (connection === undefined) throw new Error("the simulated cluster's own kubeconfig was not found"); // it was written just above
    const server = await identify(connection);
    const identity = { ...server, uid: `${simulation.uid}:${realMs}`, name: nameOf(scenario), simulated: true };
    const past = (ms: number): Past => {
      const toMs = simulation.liveSinceMs;
      const fromMs = toMs - Math.min(ms, HISTORY_MS) + HISTORY_STEP_MS;
      return { observations: simulation.history(fromMs, toMs, HISTORY_STEP_MS), fromMs, toMs };
    };
    return {
      connection,
      identity,
      clockSetting,
      kubeconfigFile,
      serverUid: server.uid,
      config: { ...config, data, kubelet: config.kubelet === "auto" ? "direct" : config.kubelet, agentPort: config.agentPort ?? 0 },
      startAgents: async ({ port, caFile }) => {
        const tokens = new Map<string, string>();
        for (const node of simulation.nodeNames) tokens.set(node, readFileSync((await issueAgentToken(data, node)).file, "utf8").trim());
        // What another start's agents were ordered was done to another model.
        const stateDir = path.join(own, "agent-state");
        simulation.startAgents({ url: `https://127.0.0.1:${port}`, caPem: readFileSync(caFile, "utf8"), tokenFor: (node) => tokens.get(node), orders: { actionsOf: allowedActions(simulation.plan), stateDir } });
      },
      past,
      fill: (collector) => {
        collector.fillPast(past(HISTORY_MS)).catch((err: unknown) => log.error({ err }, "older history could not be filled in"));
      },
      stop: async () => {
        await simulation.stop();
        rmSync(own, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await simulation.stop();
    throw error;
  }
}

/** What starts left that were killed. One in use is told by its data file, which carries the same time and is held; one that just begins has none yet. */
function discardRunFolders(data: string, nowMs: number): void {
  const names = readdirSync(data);
  const held = names.filter((name) => name.startsWith("simulated-") && name.endsWith(".db"));
  // A long seed cuts the time off the name.
  if (!held.every((name) => TIME_IN_NAME.test(name))) return;
  for (const name of names) {
    const startedMs = Number(RUN_FOLDER.exec(name)?.[1]);
    if (Number.isNaN(startedMs) || Math.abs(nowMs - startedMs) < LONGEST_START_MS) continue;
    if (!held.some((file) => file.includes(`-${startedMs}-`))) rmSync(path.join(data, name), { recursive: true, force: true });
  }
}

function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw actionableError(`The data folder ${folder} cannot be made (${(cause as NodeJS.ErrnoException).code ?? "unknown reason"}). Choose another with --data.`, cause);
  }
}

const nameOf = (scenario: ScenarioName): string => (scenario === "demo" ? "simulated cluster" : `simulated: ${scenario}`);
