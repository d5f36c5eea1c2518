import type { ExtraPods } from "./pods";

/**
 * What goes into a node. Everything here is an input that a person could measure or set; how many sandboxes die or
 * pods wait is nowhere among them.
 */
export interface DaemonResources {
  /** Absent: no limit. */
  readonly cpuLimitCores?: number;
  readonly cpuRequestCores?: number;
  readonly memoryLimitBytes?: number;
  readonly memoryRequestBytes?: number;
}

/** Price of one CNI call, by the chain of plugins behind the daemon. */
export interface ChainParameters {
  readonly addCpuSeconds: number;
  readonly delCpuSeconds: number;
  /** Share of a call's CPU that the daemon itself uses before it starts its delegates. */
  readonly daemonShare: number;
  /** Each call's price lies within ± this share of the mean. */
  readonly spread: number;
  /** Time that a call's delegates wait for something that costs no CPU here: the API server, a lock, the data path. */
  readonly addWaitMs: number;
  readonly delWaitMs: number;
  /** Memory that a call's delegates hold while they run or wait. */
  readonly addBytes: number;
  readonly delBytes: number;
}

/** As measured with real thick multus: one pod costs about 70 ms of CPU, 60 at once some 120 MiB. */
export const PLAIN_CHAIN: ChainParameters = {
  addCpuSeconds: 0.07,
  delCpuSeconds: 0.05,
  daemonShare: 0.25,
  spread: 0.3,
  addWaitMs: 120,
  delWaitMs: 40,
  addBytes: 1.6 * 2 ** 20,
  delBytes: 1.2 * 2 ** 20,
};

/** Several delegates a pod, one of which asks the API server and waits for its data path. */
export const HEAVY_CHAIN: ChainParameters = {
  addCpuSeconds: 0.4,
  delCpuSeconds: 0.16,
  daemonShare: 0.25,
  spread: 0.25,
  addWaitMs: 6_000,
  delWaitMs: 40,
  addBytes: 16 * 2 ** 20,
  delBytes: 5 * 2 ** 20,
};

export interface WorkloadParameters {
  /** Long-running pods that need the CNI. */
  readonly services: number;
  /** Host-network pods of system DaemonSets, the CNI's own aside. */
  readonly hostNetworkPods: number;
  /** Cron jobs of this node: each starts a pod every `jobPeriodMs`, unless its last one still waits or runs. */
  readonly cronJobs: number;
  readonly jobPeriodMs: number;
  readonly jobMinMs: number;
  readonly jobMaxMs: number;
}

export interface NodeParameters {
  readonly name: string;
  readonly pool: string;
  readonly zone: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly maxPods: number;
  readonly cgroup: "v1" | "v2";
  readonly runtimeRequestTimeoutMs: number;
  readonly chain: ChainParameters;
  readonly workload: WorkloadParameters;
  /** When this node's own life in the model begins; with the cluster's where absent. Until then nothing happens on it. */
  readonly beginsMs?: number;
  readonly address: string;
  readonly podCidr: string;
  /** The CNI to which the daemon hands pods: a bridge, unless another has a conflist here. */
  readonly primary?: "cilium";
  /** What its operating system calls itself; the usual one where absent. */
  readonly osImage?: string;
  /** Pods that this node has beside the usual ones. */
  readonly extraPods?: readonly ExtraPods[];
  /** Programs in its bin dir beside the usual ones. */
  readonly extraPrograms?: readonly string[];
  /** PCI addresses of functions of its network card that pods may be given. */
  readonly functions?: readonly string[];
}

/** Memory of a node that the kubelet keeps for the system. */
export const RESERVED_BYTES = 2 ** 29;
/** runtimeRequestTimeout of a kubelet that nobody configured. */
export const DEFAULT_RUNTIME_REQUEST_TIMEOUT_MS = 120_000;
/** What the upstream manifest's neighbours use after they met 50Mi: little CPU, 1Gi. */
export const DEFAULT_DAEMON_RESOURCES: DaemonResources = {
  cpuLimitCores: 0.1,
  cpuRequestCores: 0.1,
  memoryLimitBytes: 2 ** 30,
  memoryRequestBytes: 50 * 2 ** 20,
};
