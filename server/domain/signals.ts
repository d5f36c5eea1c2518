import type { Source } from "./sources";

/**
 * Every measured series of a node. `instance` in a series tells apart what one node has several of: the daemon's
 * container, a socket's path. A percentile that fell into a bucket is stored as two series, `.low` and `.high`; above
 * the last bucket only `.low` exists ("> 745 s").
 */
export interface SignalDefinition {
  readonly unit: "count" | "seconds" | "ratio" | "bytes" | "cores" | "code";
  readonly sources: readonly Source[];
  readonly meaning: string;
  /** What an instance is; absent: the node has one. */
  readonly instance?: string;
}

const define = <T extends Record<string, SignalDefinition>>(signals: T): T => signals;

export const SIGNALS = define({
  "pods.waiting": { unit: "count", sources: ["api"], meaning: "Pods bound to the node that wait for a sandbox and for nothing else" },
  "pods.stuck": { unit: "count", sources: ["api"], meaning: "Waiting pods that have waited so long that they count as stuck" },
  "pods.oldest_dwell": { unit: "seconds", sources: ["api"], meaning: "Dwell of the pod that has waited longest" },
  "pods.own_request": { unit: "count", sources: ["api"], meaning: "Pods without a sandbox, held by what they themselves ask for" },
  "pods.other_wait": { unit: "count", sources: ["api"], meaning: "Pods that wait for a volume, a claim or something else before a sandbox is tried" },
  "sandbox.ready": { unit: "count", sources: ["agent"], meaning: "Sandboxes that are ready, from the runtime's list" },
  "sandbox.dead": { unit: "count", sources: ["agent"], meaning: "Sandboxes that are not ready, from the runtime's list" },
  "sandbox.backlog": { unit: "count", sources: ["agent"], meaning: "Dead sandboxes of live pods that have not started, or of pods that are gone" },
  "cri.list_seconds": { unit: "seconds", sources: ["agent"], meaning: "How long the runtime took to list its sandboxes" },
  "cri.run_sandbox.p50.low": { unit: "seconds", sources: ["kubelet"], meaning: "RunPodSandbox latency, median of the last 5 min, lower edge of its bucket" },
  "cri.run_sandbox.p50.high": { unit: "seconds", sources: ["kubelet"], meaning: "RunPodSandbox latency, median of the last 5 min, upper edge of its bucket" },
  "cri.run_sandbox.p95.low": { unit: "seconds", sources: ["kubelet"], meaning: "RunPodSandbox latency, 95th percentile of the last 5 min, lower edge of its bucket" },
  "cri.run_sandbox.p95.high": { unit: "seconds", sources: ["kubelet"], meaning: "RunPodSandbox latency, 95th percentile of the last 5 min, upper edge of its bucket" },
  "cri.run_sandbox.p99.low": { unit: "seconds", sources: ["kubelet"], meaning: "RunPodSandbox latency, 99th percentile of the last 5 min, lower edge of its bucket" },
  "cri.run_sandbox.p99.high": { unit: "seconds", sources: ["kubelet"], meaning: "RunPodSandbox latency, 99th percentile of the last 5 min, upper edge of its bucket" },
  "cri.run_sandbox.calls": { unit: "count", sources: ["kubelet"], meaning: "RunPodSandbox calls that finished in the last 5 min" },
  "cri.run_sandbox.errors": { unit: "count", sources: ["kubelet"], meaning: "RunPodSandbox calls that failed in the last 5 min" },
  "cri.stop_sandbox.errors": { unit: "count", sources: ["kubelet"], meaning: "StopPodSandbox calls that failed in the last 5 min" },
  "cri.deadline": { unit: "seconds", sources: ["kubelet", "agent"], meaning: "What the kubelet gives RunPodSandbox: twice runtimeRequestTimeout" },
  "daemon.cpu.throttled_share": { unit: "ratio", sources: ["kubelet", "agent"], meaning: "CFS periods in which the CNI daemon was throttled, of all its periods", instance: "pod container of the daemon" },
  "daemon.cpu.psi_share": { unit: "ratio", sources: ["kubelet", "agent"], meaning: "Share of time in which the CNI daemon waited for a CPU", instance: "pod container of the daemon" },
  "daemon.cpu.limit": { unit: "cores", sources: ["api"], meaning: "CPU limit of the CNI daemon's container; no series where it has none", instance: "container of the daemon" },
  "daemon.memory.working_set": { unit: "bytes", sources: ["kubelet", "agent"], meaning: "Working set of the CNI daemon's container", instance: "container of the daemon" },
  "daemon.memory.peak": { unit: "bytes", sources: ["kubelet"], meaning: "Highest memory use of the CNI daemon's container since it began", instance: "container of the daemon" },
  "daemon.memory.limit": { unit: "bytes", sources: ["api"], meaning: "Memory limit of the CNI daemon's container; no series where it has none", instance: "container of the daemon" },
  "daemon.restarts": { unit: "count", sources: ["api"], meaning: "Restarts of the CNI daemon's pod since it was made", instance: "pod of the daemon" },
  "socket.state": { unit: "code", sources: ["agent"], meaning: "Whether the socket answers, is silent, refuses or is absent (0 to 3)", instance: "path of the socket" },
  "socket.latency": { unit: "seconds", sources: ["agent"], meaning: "How long the socket's health path took to answer", instance: "path of the socket" },
});

export type SignalId = keyof typeof SIGNALS;
export const SIGNAL_IDS = Object.keys(SIGNALS) as readonly SignalId[];
export const isSignalId = (text: string): text is SignalId => Object.hasOwn(SIGNALS, text);

export { SOCKET_STATES, socketStateCode, type SocketState } from "./socket-states";

export interface Sample {
  readonly signal: SignalId;
  /** "" where the node has one of it. */
  readonly instance: string;
  readonly atMs: number;
  readonly value: number;
}
