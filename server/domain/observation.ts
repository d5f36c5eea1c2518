import type { AgentReport } from "./agent-report";
import type { NodeName } from "./ids";
import type { DaemonSetObject, EventObject, NadFacts, NodeObject, PodObject } from "./model";
import type { TemplateDiff } from "./template-diff";

/** What the cluster is, for the header, exports and the name of the data file. */
export interface ClusterIdentity {
  /** uid of the kube-system namespace; "simulated:<seed of its scenario>" for a simulated one. */
  readonly uid: string;
  readonly name: string;
  readonly server: string;
  readonly version?: string;
  readonly user: string;
  /** What a cluster says of itself: it makes a name and a chip, and never decides what may be done to it. */
  readonly simulated: boolean;
}

export const SIMULATED_UID_PREFIX = "simulated:";

/** No API server gives such a uid by itself; a simulated one does, so it says what it is whichever way it is reached. */
export const isSimulatedUid = (uid: string): boolean => uid.startsWith(SIMULATED_UID_PREFIX);

export type WatchedKind = "nodes" | "pods" | "events" | "daemonsets" | "nads";

/** Why a part cannot be seen. `forbidden` names the missing right; `absent`: the CRD does not exist. */
export interface KindStatus {
  readonly kind: WatchedKind;
  readonly state: "listing" | "watching" | "failing" | "forbidden" | "absent";
  readonly reason?: string;
  /** Last event, bookmark or finished list. */
  readonly lastMs?: number;
  /** Since when it fails without a break. */
  readonly failingSinceMs?: number;
  readonly objects: number;
}

/** Histogram and counters of one operation, as the page gave them; absent series stay absent. */
export interface OperationCounters {
  /** Cumulative counts by upper bound in seconds, ascending, the last is +Infinity. */
  readonly buckets: readonly { readonly upTo: number; readonly count: number }[];
  readonly errors?: number;
}

export interface KubeletMetrics {
  /** operation_type → counters: run_podsandbox, stop_podsandbox, remove_podsandbox, list_podsandbox. */
  readonly operations: Readonly<Record<string, OperationCounters>>;
  readonly processStartSeconds?: number;
}

export interface ContainerMetrics {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly cfsPeriods?: number;
  readonly cfsThrottledPeriods?: number;
  /** CPU time that it may use in one CFS period; told only where there is a limit. */
  readonly cpuQuotaMicroseconds?: number;
  readonly cpuPressureWaitingSeconds?: number;
  readonly cpuUsageSeconds?: number;
  readonly memoryWorkingSetBytes?: number;
  readonly memoryMaxUsageBytes?: number;
  readonly oomEvents?: number;
  readonly startTimeSeconds?: number;
  /** When cAdvisor read these figures, by the node's clock; pages of old kubelets do not tell. */
  readonly statsAtMs?: number;
  /** The cgroup path of cAdvisor's `id` label: two containers of one name after a restart differ in it. */
  readonly cgroupId: string;
}

export interface CadvisorMetrics {
  readonly containers: readonly ContainerMetrics[];
  /** True when the page holds any container_pressure_* family. */
  readonly hasPressure: boolean;
}

/** What the two newest revisions of a DaemonSet say, or why they could not be read. */
export type RevisionsReading = ({ readonly looked: true; readonly from: number; readonly to: number; /** When the newest was made, where it was made in a pause. */ readonly madeMs?: number } & TemplateDiff) | { readonly looked: false; readonly reason: string };

export type KubeletPage = "metrics" | "cadvisor" | "configz";

/** One observation of a source. Plain data: it can be written to a log and replayed. */
export type Observation =
  | { readonly source: "api"; readonly type: "node"; readonly atMs: number; readonly object: NodeObject }
  | { readonly source: "api"; readonly type: "node-gone"; readonly atMs: number; readonly name: NodeName }
  | { readonly source: "api"; readonly type: "pod"; readonly atMs: number; readonly object: PodObject }
  | { readonly source: "api"; readonly type: "pod-gone"; readonly atMs: number; readonly uid: string }
  | { readonly source: "api"; readonly type: "event"; readonly atMs: number; readonly object: EventObject }
  | { readonly source: "api"; readonly type: "daemonset"; readonly atMs: number; readonly object: DaemonSetObject }
  | { readonly source: "api"; readonly type: "daemonset-gone"; readonly atMs: number; readonly uid: string }
  /** Once for each new generation of a DaemonSet that its controller has taken in. */
  | { readonly source: "api"; readonly type: "revisions"; readonly atMs: number; readonly uid: string; readonly generation: number; readonly reading: RevisionsReading }
  /** The NAD of one namespace/name. */
  | ({ readonly source: "api"; readonly type: "nad"; readonly atMs: number; readonly key: string } & NadFacts)
  | { readonly source: "api"; readonly type: "nad-gone"; readonly atMs: number; readonly key: string }
  /** A relist ended: every object of the kind that was not told again is gone. Keys: node names, pod uids, DaemonSet uids, NAD keys. */
  | { readonly source: "api"; readonly type: "listed"; readonly atMs: number; readonly kind: WatchedKind; readonly keys: ReadonlySet<string> }
  | { readonly source: "api"; readonly type: "kind-status"; readonly atMs: number; readonly status: KindStatus }
  | { readonly source: "kubelet"; readonly type: "metrics"; readonly node: NodeName; readonly atMs: number; readonly tookMs: number; readonly metrics: KubeletMetrics }
  | { readonly source: "kubelet"; readonly type: "cadvisor"; readonly node: NodeName; readonly atMs: number; readonly tookMs: number; readonly metrics: CadvisorMetrics }
  | { readonly source: "kubelet"; readonly type: "configz"; readonly node: NodeName; readonly atMs: number; readonly runtimeRequestTimeoutSeconds: number }
  | { readonly source: "kubelet"; readonly type: "failed"; readonly node: NodeName; readonly atMs: number; readonly page: KubeletPage; readonly reason: string; readonly hint?: string; readonly timedOut?: boolean }
  /** Its times are corrected already, by `clockBehindMs`: the server's clock less the node's, absent where they agree. */
  | { readonly source: "agent"; readonly type: "report"; readonly node: NodeName; readonly atMs: number; readonly report: AgentReport; readonly clockBehindMs?: number };

/** Where a source hands its observations. Must not throw and must not block. */
export type Observe = (observation: Observation) => void;
