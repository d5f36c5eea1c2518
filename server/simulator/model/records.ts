import type { Installer } from "./installer";
import type { DaemonResources } from "./parameters";

/** The model's own records; `objects/` turns them into what the API server, the kubelet and the agent say. */
export interface OwnerRecord {
  readonly kind: "ReplicaSet" | "Job" | "DaemonSet";
  readonly name: string;
  readonly uid: string;
}

export interface TerminationRecord {
  readonly reason: "OOMKilled" | "Completed" | "Error";
  readonly exitCode: number;
  readonly startedMs: number;
  readonly finishedMs: number;
  readonly containerId: string;
  /** What it left in its termination log, or its last lines where its spec says so. */
  readonly message?: string;
}

/** What of the node a pod mounts, and what it got when its container was made: the mount goes on showing that one. */
export interface HostMount {
  readonly hostPath: string;
  readonly mountPath: string;
  readonly kind: "file" | "directory";
  inode: number | undefined;
  /** The process in whose sight it is. */
  pid: number | undefined;
}

export interface ContainerRecord {
  readonly name: string;
  readonly image: string;
  id: string | undefined;
  state: "waiting" | "running" | "terminated";
  waitingReason: string;
  startedMs: number | undefined;
  restarts: number;
  terminated: TerminationRecord | undefined;
  /** The termination before the present state. */
  last: TerminationRecord | undefined;
}

export interface PodRecord {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly generateName: string;
  /** Absent: somebody made this pod by itself. */
  readonly owner: OwnerRecord | undefined;
  readonly kind: "service" | "job" | "host-network" | "cni-daemon" | "bare" | "extra";
  readonly labels: Readonly<Record<string, string>>;
  readonly node: string;
  readonly createdMs: number;
  /** Absent while no node has room for it; `node` is then the one that it is made for. */
  scheduledMs: number | undefined;
  /** What the scheduler says of a pod for which it found no room. */
  unschedulable: { readonly sinceMs: number; readonly saidMs: number; readonly message: string } | undefined;
  graceMs: number;
  /** k8s.v1.cni.cncf.io/networks. */
  readonly networks: string | undefined;
  /** JSON of network-status, once the daemon has written it. */
  networkStatus: string | undefined;
  phase: "Pending" | "Running" | "Succeeded" | "Failed";
  /** When the kubelet first saw it. */
  startMs: number | undefined;
  deletingMs: number | undefined;
  sandboxReady: { status: boolean; sinceMs: number; message: string };
  initialized: { status: boolean; sinceMs: number };
  ready: { status: boolean; sinceMs: number };
  ip: string | undefined;
  readonly container: ContainerRecord;
  readonly init: ContainerRecord | undefined;
  /** Only of the CNI daemon's pod. */
  resources: DaemonResources | undefined;
  readonly revision: string;
  /** Only of the CNI daemon's pod: how its init container works. */
  readonly installer: Installer;
  readonly initLimited: boolean;
  readonly mounts: readonly HostMount[];
  /** PCI address of a function of a network card that it was given. */
  readonly device: string | undefined;
  readonly requests: { readonly cpuCores: number; readonly memoryBytes: number };
  /** Absent: no limit. */
  readonly memoryLimitBytes: number | undefined;
  resourcesGeneration: number;
}

export interface SandboxRecord {
  readonly id: string;
  readonly podUid: string;
  readonly namespace: string;
  readonly podName: string;
  readonly attempt: number;
  readonly hostNetwork: boolean;
  state: "ready" | "dead" | "unknown";
  readonly createdMs: number;
  /** Its network was taken down: stopping it again costs nothing. */
  networkDown: boolean;
}

export interface EventRecord {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly reason: string;
  readonly type: "Normal" | "Warning";
  message: string;
  count: number;
  readonly firstMs: number;
  lastMs: number;
  readonly about: { readonly kind: string; readonly apiVersion: string; readonly namespace?: string; readonly name: string; readonly uid: string; readonly fieldPath?: string };
  readonly component: string;
  readonly host: string | undefined;
}

/** Where a node tells what changed; whoever listens keeps it bounded. */
export interface ChangeSink {
  pod(pod: PodRecord): void;
  podGone(pod: PodRecord): void;
  event(event: EventRecord): void;
  node(name: string): void;
}
