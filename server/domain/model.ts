import type { Namespace, NodeName, ObjectName } from "./ids";

/**
 * Kubernetes objects cut down to the fields that judging uses. Times are UTC milliseconds. What an object did not say
 * is absent, never a default: absence means "not told".
 */
export interface NodeCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly sinceMs?: number;
}

export interface NodeObject {
  readonly name: NodeName;
  readonly uid: string;
  readonly createdMs?: number;
  /** Which pool, from the labels that providers and people use; see sources/kube-api/project.ts. */
  readonly pool?: string;
  readonly zone?: string;
  readonly unschedulable: boolean;
  readonly taints: readonly string[];
  readonly conditions: readonly NodeCondition[];
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly kubeletPort?: number;
  readonly versions: { readonly kubelet?: string; readonly runtime?: string; readonly kernel?: string; readonly os?: string };
  readonly allocatable: { readonly cpuCores?: number; readonly memoryBytes?: number; readonly pods?: number };
}

/** Resources of one container of a CNI daemon or of a system DaemonSet's pod; kept only for those. */
export interface ContainerResources {
  readonly name: string;
  readonly init: boolean;
  readonly cpuLimitCores?: number;
  readonly cpuRequestCores?: number;
  readonly memoryLimitBytes?: number;
  readonly memoryRequestBytes?: number;
}

/** What a LimitRange of the namespace filled in when the pod was made: resources ("memory") that its container's manifest left out. */
export interface FilledIn {
  readonly container: string;
  readonly init: boolean;
  readonly limits: readonly string[];
  readonly requests: readonly string[];
}

export interface ContainerTermination {
  readonly container: string;
  readonly init: boolean;
  readonly reason?: string;
  readonly exitCode?: number;
  readonly finishedMs?: number;
  readonly message?: string;
}

/** A container whose process runs now. */
export interface RunningContainer {
  readonly container: string;
  readonly init: boolean;
  readonly sinceMs?: number;
}

/** Only for pods of a CNI daemon or a system DaemonSet. */
export interface DaemonPodDetail {
  /** As the API server keeps them: what a LimitRange filled in is among them. */
  readonly containers: readonly ContainerResources[];
  /** Absent: nothing was filled in. */
  readonly filledIn?: readonly FilledIn[];
  readonly restarts: number;
  readonly ready: boolean;
  /** When the Ready condition last turned. */
  readonly readySinceMs?: number;
  readonly running: readonly RunningContainer[];
  readonly terminations: readonly ContainerTermination[];
  readonly waitingReasons: readonly string[];
  /** Which revision of its DaemonSet it was made from: the label controller-revision-hash. */
  readonly revision?: string;
  /** Image by container; absent where the spec tells none. */
  readonly images?: Readonly<Record<string, string>>;
  /** Of a pod that no node took yet: the only node that it may run on, and what the scheduler says. */
  readonly unscheduled?: { readonly forNode?: NodeName; readonly message?: string; readonly sinceMs?: number };
}

/** A taint that pods of a DaemonSet bear; without a key every taint, without an effect every effect. */
export interface Toleration {
  readonly key?: string;
  /** Absent: `Exists`, so any value. */
  readonly value?: string;
  readonly effect?: string;
}

/** What a pod asks its node for, as the scheduler counts it. */
export interface PodRequests {
  readonly cpuCores: number;
  readonly memoryBytes: number;
}

/** A CNI daemon's socket, or the folder that holds it, in a container that runs. */
export interface SocketMount {
  readonly container: string;
  /** On the host, in the form in which readings are compared. */
  readonly path: string;
  /** Since when the container runs; what is mounted is as it was then. */
  readonly sinceMs: number;
}

/** About 0.3 KB on the heap; the bound of 0.5 KB is held by a test. */
export interface PodObject {
  readonly uid: string;
  readonly namespace: Namespace;
  readonly name: ObjectName;
  /** Absent while the pod is not bound. */
  readonly node?: NodeName;
  readonly hostNetwork: boolean;
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  readonly createdMs?: number;
  readonly deleting: boolean;
  /** Until when a pod that is being deleted had to be gone: the end of its grace period. */
  readonly deleteByMs?: number;
  /** PodScheduled=True since. */
  readonly scheduledMs?: number;
  /** The PodReadyToStartContainers condition; absent below 1.29. */
  readonly readyToStart?: { readonly status: boolean; readonly sinceMs?: number };
  readonly hasIp: boolean;
  /** When the first container (init or not) was seen started; absent while none has. */
  readonly containerStartedMs?: number;
  /** PVC, CSI or ephemeral volumes: such a pod may wait for a volume long before any sandbox is tried. */
  readonly hasAttachableVolumes: boolean;
  readonly hasResourceClaims: boolean;
  /** "DaemonSet/kube-multus-ds"; the controller as kind and name. */
  readonly owner?: string;
  readonly system: boolean;
  /** Absent: not told, which is not the same as nothing. */
  readonly requests?: PodRequests;
  /** k8s.v1.cni.cncf.io/networks, and whether network-status was written. */
  readonly networks?: string;
  readonly hasNetworkStatus?: boolean;
  /** Absent: none of its running containers mounts one. */
  readonly socketMounts?: readonly SocketMount[];
  readonly daemon?: DaemonPodDetail;
}

export interface EventObject {
  readonly uid: string;
  readonly namespace: string;
  readonly reason: string;
  readonly type: "Normal" | "Warning";
  readonly message: string;
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly about: { readonly kind: string; readonly namespace?: string; readonly name: string; readonly uid?: string };
  /** The node whose kubelet said it; survives the pod. */
  readonly host?: string;
  readonly component?: string;
}

/** What a network attachment asks for, as far as its object says. */
export interface NadFacts {
  /** Plugins that its config names, IPAM plugins among them; none where the config lies in a file on the node. */
  readonly pluginTypes: readonly string[];
  /** Why no pod can use its config: "its config is not JSON". */
  readonly problem?: string;
}

/** A DaemonSet that runs a CNI daemon, or mounts the CNI conf or bin dir. */
export interface DaemonSetObject {
  readonly uid: string;
  readonly namespace: Namespace;
  readonly name: ObjectName;
  readonly createdMs?: number;
  readonly resourceVersion: string;
  readonly generation: number;
  /** Up to which generation its controller has taken it in. */
  readonly observedGeneration?: number;
  readonly containers: readonly ContainerResources[];
  readonly images: readonly string[];
  readonly matchLabels: Readonly<Record<string, string>>;
  /** priorityClassName of its pods: "system-node-critical". */
  readonly priorityClass?: string;
  /** Of its pods; those that every DaemonSet gets from its controller are not among them. */
  readonly tolerations: readonly Toleration[];
  /** Whether its pods may run on some nodes only, by a selector or an affinity; the operating system apart. */
  readonly picksNodes: boolean;
  /** Host paths that its pods mount. */
  readonly hostPaths: readonly string[];
  readonly updateStrategy: "RollingUpdate" | "OnDelete";
  readonly maxUnavailable?: string;
  readonly desired: number;
  readonly ready: number;
  readonly updated: number;
}
