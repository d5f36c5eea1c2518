import type { NodeAction } from "./actions/work-order";
import type { LostReports } from "./agent-report";
import type { Answer, WaitingPod } from "./answer";
import type { Diagnosis } from "./causes/types";
import type { HostView } from "./host-view";
import type { SignalId } from "./signals";
import type { Source, SourceStatus } from "./sources";
import type { NodeCondition } from "./model";

/**
 * What is known of a node now, as the collector writes it and every view, export and API answer reads it. Kept whole in
 * one row per node, so that the web process needs no memory of its own.
 */
export interface SignalNow {
  readonly signal: SignalId;
  readonly instance: string;
  readonly source: Source;
  /** `unknown` carries the reason; a value is there only while `fresh`, or, marked, while `stale`. */
  readonly state: "fresh" | "stale" | "unknown";
  readonly value?: number;
  readonly atMs?: number;
  readonly reason?: string;
}

export interface DaemonView {
  readonly daemonSet: string;
  readonly pod: string;
  readonly container: string;
  readonly ready: boolean;
  readonly restarts: number;
  readonly image?: string;
  /** Which revision of its DaemonSet the pod was made from. */
  readonly revision?: string;
  readonly cpuLimitCores?: number;
  readonly memoryLimitBytes?: number;
  readonly memoryRequestBytes?: number;
  readonly lastTermination?: { readonly reason: string; readonly exitCode: number; readonly atMs?: number };
  /** When each OOM kill was seen, newest last, bounded. */
  readonly oomKillsMs: readonly number[];
}

export interface NodeView extends Diagnosis {
  readonly name: string;
  readonly pool: string;
  readonly zone?: string;
  readonly answer: Answer;
  readonly ready: "True" | "False" | "Unknown";
  readonly readyMessage?: string;
  readonly schedulable: boolean;
  readonly taints: readonly string[];
  readonly conditions: readonly NodeCondition[];
  readonly versions: { readonly kubelet?: string; readonly runtime?: string; readonly kernel?: string; readonly os?: string };
  readonly sources: readonly SourceStatus[];
  readonly signals: readonly SignalNow[];
  readonly counts: {
    readonly pods: number;
    readonly waiting: number;
    readonly waitingSystem: number;
    readonly stuck: number;
    readonly ownRequest: number;
    readonly other: number;
    readonly oldestWaitMs?: number;
  };
  readonly lastFreshMs?: number;
  /** Oldest first, bounded by MAX_WAITING_PODS_KEPT; counts above tell the whole number. */
  readonly waitingPods: readonly WaitingPod[];
  readonly deadline: { readonly seconds: number; readonly assumed: boolean };
  readonly daemons: readonly DaemonView[];
  readonly sockets: readonly { readonly name: string; readonly path: string; readonly state: string; readonly latencySeconds?: number; readonly detail?: string; readonly effective: boolean }[];
  readonly config?: { readonly dir: string; readonly effectiveFile?: string; readonly pluginTypes: readonly string[]; readonly missingBinaries: readonly string[] };
  /** What the agent saw on the disk; absent where none told of it. */
  readonly host?: HostView;
  /** What the node's agent may be asked to do, by its own arguments; absent where it takes no orders or is not heard. */
  readonly nodeActions?: readonly NodeAction[];
  /** What the node's agent made and gave up since it started; absent where it does not tell, or was not heard since the start. */
  readonly lostReports?: LostReports;
  /** What Sandglass cannot see here, and why. */
  readonly blind: readonly { readonly what: string; readonly reason: string; readonly fix?: string }[];
}

export const MAX_WAITING_PODS_KEPT = 300;
