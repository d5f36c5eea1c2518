import type { Looked } from "./agent-report";

/**
 * What only the node can see, beside sandboxes and sockets: parts of the agent's report that came after the first version.
 * Each is optional in a report, since an older agent does not tell it, and each is a reading or the reason why there is none.
 */

/** What one container of a CNI daemon or of a system DaemonSet may use, uses and was denied, from its cgroup. Counters run since the container began. */
export interface ContainerCgroup {
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly container: string;
  /** The runtime's id of this life of the container: after a restart the counters are another container's. */
  readonly containerId?: string;
  readonly startedMs?: number;
  /** Which CNI it serves, from the table of daemons; absent for other system pods. */
  readonly cni?: string;
  readonly cgroupVersion: 1 | 2;
  /** Absent: no limit. */
  readonly cpuQuotaCores?: number;
  readonly cpuPeriods?: number;
  readonly cpuThrottledPeriods?: number;
  readonly cpuUsageSeconds?: number;
  /** "some" of cpu.pressure, total. */
  readonly cpuPressureSeconds?: number;
  readonly memoryBytes?: number;
  /** Without the file pages that the kernel would take back first, as the kubelet counts it. */
  readonly memoryWorkingSetBytes?: number;
  /** Absent: no limit. */
  readonly memoryLimitBytes?: number;
  readonly memoryPeakBytes?: number;
  readonly oomEvents?: number;
  readonly oomKills?: number;
  /** Whether the pod's own cgroup has a memory limit: without one Talos' OOM handler may take the pod. Absent where it could not be read. */
  readonly podMemoryLimited?: boolean;
}

/** A process of a shim or plugin, or one that executes a plugin's binary. */
export interface PluginProcess {
  readonly pid: number;
  /** File name of the executable: "multus-shim". */
  readonly program: string;
  readonly path: string;
  readonly startedMs?: number;
  /** R, S, D, T, Z … as /proc says. */
  readonly state: string;
  /** From CNI_ARGS and CNI_COMMAND of its environment, where they can be read. */
  readonly command?: string;
  readonly namespace?: string;
  readonly pod?: string;
  readonly podUid?: string;
  readonly sandboxId?: string;
  /** False: its environment names no CNI command, as that of a daemon which lies in a bin dir. Absent where it could not be read. */
  readonly called?: boolean;
  /** Its executable is not the file that stands at the path now: it was replaced or removed. */
  readonly replaced: boolean;
}

/** A mount, in some process' namespace, of a known socket or a folder above it, that no longer is what the host has at that path. */
export interface StaleMount {
  readonly socketPath: string;
  readonly mountPath: string;
  readonly kind: "file" | "directory";
  readonly pid: number;
  readonly namespace?: string;
  readonly pod?: string;
  readonly podUid?: string;
  readonly container?: string;
  /** "8:1/11043286"; absent where mountinfo alone told. */
  readonly mountedInode?: string;
  /** Absent where the host has nothing at the path. */
  readonly hostInode?: string;
  /** Said of the mounted object by mountinfo ("//deleted"), its link count, or the comparison of inodes. */
  readonly because: "deleted" | "no-links" | "other-inode";
}

/** Connections on a daemon's socket, and callers that live: far more of the first are requests that nobody waits for. */
export interface SocketUse {
  readonly path: string;
  readonly connections: number;
  readonly liveShims: number;
}

/** `truncated`: a program that ends before the end that its own header names, as an interrupted copy leaves it. */
export const BINARY_PROBLEMS = ["absent", "empty", "truncated", "not-executable", "wrong-architecture", "directory", "unreadable"] as const;
export type BinaryProblem = (typeof BINARY_PROBLEMS)[number];

/** One program in a bin dir, or one that some config asks for and that no bin dir has. */
export interface BinaryReading {
  readonly type: string;
  readonly dir?: string;
  readonly sizeBytes?: number;
  readonly modifiedMs?: number;
  readonly sha256?: string;
  /** "amd64", "arm64" … from the program's header; "script" for a text that names its interpreter. */
  readonly architecture?: string;
  /** Module and version that a Go program carries in itself. */
  readonly version?: string;
  readonly problem?: BinaryProblem;
  /** Who asks for it: "10-bridge.conflist", "NAD"; empty where nobody does. */
  readonly wantedBy: readonly string[];
}

export interface ConfFile {
  readonly name: string;
  readonly usable: boolean;
  /** Why it is not: "not JSON: … at line 3, column 7". */
  readonly problem?: string;
  readonly networkName?: string;
  readonly cniVersion?: string;
  readonly pluginTypes: readonly string[];
  readonly modifiedMs?: number;
}

/** Multus' own configuration, as far as the host shows it. */
export interface MultusConfig {
  /** `multusMasterCNI` at the top level of daemon-config.json. */
  readonly masterCni?: string;
  /** The key stands below another key, where multus does not look. */
  readonly nestedMasterCni?: string;
  /** Which daemon-config.json was read: the host's own, or the copy of the ConfigMap that the kubelet keeps for the daemon's pod. */
  readonly daemonConfigPath?: string;
  /** The daemon reads its config at its start only: a later change is not in force. */
  readonly daemonConfigModifiedMs?: number;
  /** daemon-config.json is there and cannot be used: why. */
  readonly daemonConfigProblem?: string;
  /** File name that `clusterNetwork` of 00-multus.conf names, and whether it is there. */
  readonly clusterNetwork?: string;
  readonly clusterNetworkExists?: boolean;
  /** Whether 00-multus.conf is there while the daemon's shim or socket is. */
  readonly generated: boolean;
  /** Of what the config calls: a shim that asks a daemon, or the plugin by itself (thin). Absent where there is no config that tells. */
  readonly thick?: boolean;
  readonly readinessIndicatorFile?: string;
  readonly readinessIndicatorExists?: boolean;
}

export interface ConfigFiles {
  readonly dir: string;
  /** In load order. */
  readonly files: readonly ConfFile[];
  /** True where the dir holds more files than are looked at. */
  readonly truncated?: boolean;
  /** False: a usable file is there since `usableSinceMs`, and the runtime says that it has no network config. Absent where the runtime could not be asked. */
  readonly loaded?: boolean;
  /** The runtime works by another config than the file that it would load by now, one that it loaded before: the name of that network. */
  readonly loadedOther?: string;
  readonly usableSinceMs?: number;
  readonly multus?: MultusConfig;
}

/** A change of a file of the conf dir since the report before; secrets are removed on the node. */
export interface ConfigChange {
  readonly file: string;
  readonly atMs: number;
  readonly change: "added" | "removed" | "changed";
  /** Lines with "+" and "-", cut at the bound. */
  readonly diff: string;
}

export interface CacheReading {
  /** "results", "multus", "ipam". */
  readonly kind: "results" | "multus" | "ipam";
  readonly dir: string;
  readonly entries: number;
  /** Names of entries that are empty or do not parse, bounded. */
  readonly broken: readonly string[];
  readonly brokenCount: number;
  /** Not every entry could be looked at: why. */
  readonly problem?: string;
}

/** One set of host-local ranges on this node: a dual-stack network has two. */
export interface PoolReading {
  readonly network: string;
  /** "10.244.0.0/24", the first range of the set; absent where no config tells the ranges, and then the leases are the whole network's. */
  readonly range?: string;
  readonly dir: string;
  readonly leases: number;
  /** Leases whose sandbox is gone by the runtime's list; absent where the list could not be had. */
  readonly leaked?: number;
  /** Addresses in the ranges of the conflist; absent where it does not say. */
  readonly size?: number;
}

/** A kubeconfig that a CNI config names: until when what it holds is good, and nothing else of it. */
export interface CredentialReading {
  readonly path: string;
  /** Files of the conf dir that name it. */
  readonly wantedBy: readonly string[];
  readonly kind?: "token" | "certificate";
  /** By the clock of whoever issued it, so a node's wrong clock changes nothing. Absent where it does not end. */
  readonly expiresUnixSeconds?: number;
  /** Why it could not be told: "absent", "not a kubeconfig". */
  readonly problem?: string;
}

export interface KubeletReading {
  readonly runtimeRequestTimeoutSeconds?: number;
  /** "--runtime-request-timeout", "/var/lib/kubelet/config.yaml", or "default": neither sets it, so the kubelet's own default holds. */
  readonly timeoutFrom?: string;
}

/** A pod as the node's kubelet knows it. */
export interface KubeletPod {
  /** Of a static pod the hash of its config, as the runtime knows it too. */
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** "Pending", "Running", …; absent where the kubelet does not say. */
  readonly phase?: string;
}

/** The later parts of a report. `truncated` is there, and true, where a list was cut at its bound. */
export interface LaterParts {
  /** `readMs`: when the counters were read, which may be seconds after the report was begun. */
  readonly cgroups?: Looked<{ readonly items: readonly ContainerCgroup[]; readonly readMs?: number; readonly truncated?: boolean }>;
  readonly processes?: Looked<{ readonly items: readonly PluginProcess[]; readonly truncated: boolean }>;
  /** `mountsSeen`: mounts of known sockets and their folders in containers, stale or not; those of a whole file system cannot go stale and do not count. `unread`: mount namespaces that could not be read. */
  readonly mounts?: Looked<{ readonly stale: readonly StaleMount[]; readonly mountsSeen: number; readonly unread?: number; readonly truncated?: boolean }>;
  readonly socketUse?: Looked<{ readonly items: readonly SocketUse[] }>;
  /** `unread`: bin dirs that could not be listed, "/opt/cni/bin: EACCES". */
  readonly binaries?: Looked<{ readonly items: readonly BinaryReading[]; readonly unread?: readonly string[]; readonly truncated?: boolean }>;
  readonly configFiles?: Looked<{ readonly reading: ConfigFiles }>;
  readonly configChanges?: readonly ConfigChange[];
  readonly caches?: Looked<{ readonly items: readonly CacheReading[]; readonly pools: readonly PoolReading[]; readonly truncated?: boolean }>;
  readonly kubelet?: Looked<{ readonly reading: KubeletReading }>;
  /** Only where the kubelet's read-only port is open: any other way takes a right that reaches into every container. */
  readonly kubeletPods?: Looked<{ readonly items: readonly KubeletPod[]; readonly truncated: boolean }>;
  readonly credentials?: Looked<{ readonly items: readonly CredentialReading[] }>;
}

/** Bounds of the later parts, held by the agent that makes them and by the server that takes them. */
export const MAX_CGROUPS = 128;
export const MAX_PLUGIN_PROCESSES = 512;
export const MAX_STALE_MOUNTS = 64;
export const MAX_BINARIES = 256;
export const MAX_WANTED_BY = 16;
export const MAX_CONF_FILES = 64;
export const MAX_CONFIG_CHANGES = 16;
export const MAX_DIFF_CHARS = 4_096;
export const MAX_CACHES = 16;
export const MAX_BROKEN_NAMED = 32;
export const MAX_POOLS = 64;
export const MAX_CREDENTIALS = 16;
export const MAX_KUBELET_PODS = 1_024;
/** Names of pods, files, networks and programs. */
export const MAX_READING_NAME_CHARS = 253;
/** The year 2200: what lies beyond is no time, and a report with it would be refused whole. */
export const MAX_READING_TIME_MS = 7_258_118_400_000;
/** The last second that a date can hold: credentials may be good for longer than any clock tells, and then they do not end. */
export const MAX_END_UNIX_SECONDS = 8_640_000_000_000;
