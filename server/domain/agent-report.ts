import type { LaterParts } from "./agent-readings";
import type { SocketState } from "./signals";

/**
 * What a node's agent tells, version 1. Each part is either a reading or the reason why it could not look, so that one
 * failure never hides the rest. Parts that later agents add are optional here and ignored by an older server.
 */
export const AGENT_REPORT_VERSION = 1;

/** Where agents post reports, and the header with the agent's clock at the moment of sending: with it a wrong clock can be told from a report that had to wait. */
export const AGENT_REPORT_PATH = "/v1/report";
export const AGENT_SENT_HEADER = "sandglass-sent-ms";
/** Audience of the service-account token with which an agent in a pod reports; the API server itself does not take such a token. */
export const AGENT_AUDIENCE = "sandglass-agent";

export type Looked<T> = ({ readonly looked: true } & T) | { readonly looked: false; readonly reason: string };

export interface SandboxReading {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly attempt: number;
  readonly ready: boolean;
  /** Absent where the runtime's creation time is nonsense (a sandbox of unknown state). */
  readonly createdMs?: number;
}

export interface SocketReading {
  /** "multus", "cilium", "daemon-shim": the name in the table of sockets or on the command line; "cri" is the runtime's own. */
  readonly name: string;
  readonly path: string;
  readonly state: SocketState;
  readonly latencySeconds?: number;
  /** What the health path said: "200", "404 on /readyz, 200 on /healthz"; or the error's code. */
  readonly detail?: string;
  /** "8:1/11043286": device and inode of what stands at the path. */
  readonly inode?: string;
  /** What stands there: a listener's socket, or something that is none. */
  readonly kind?: "socket" | "file" | "directory" | "other";
  /** "0:0": numbers of the user and group to whom it belongs. */
  readonly owner?: string;
}

/** A socket that the agent meant to look at and could not (missing rights, a path too long for the kernel). */
export interface UnseenSocket {
  readonly name: string;
  readonly path: string;
  readonly reason: string;
}

export interface RuntimeReading {
  readonly name: string;
  readonly version: string;
  readonly conditions: readonly { readonly type: string; readonly status: boolean; readonly reason: string; readonly message: string }[];
}

/** The conf dir as the runtime loads it: which file wins and which plugin types its conflist names. */
export interface ConfigReading {
  readonly dir: string;
  /** The first usable file in load order, if any. */
  readonly effectiveFile?: string;
  /** Every plugin of the chain in its order, then the IPAM plugins that they call. */
  readonly pluginTypes: readonly string[];
  /** Plugins that a plugin of the chain calls in turn ("delegate"); whether and when is that plugin's own affair. */
  readonly delegateTypes?: readonly string[];
  /** Sockets that the effective conflist itself names ("socket" keys), or that its plugin types are known to call. */
  readonly sockets: readonly string[];
  /** Of `pluginTypes`: absent from every bin dir, empty, or not executable. */
  readonly missingBinaries: readonly string[];
  /** What exactly is wrong with each missing or broken binary, delegates included: "bridge: 0 bytes in /opt/cni/bin". */
  readonly binaryProblems?: readonly string[];
  readonly binDirs: readonly string[];
  /** Files that the runtime cannot use or that the agent could not read: "05-x.conflist: not JSON: …". */
  readonly fileProblems?: readonly string[];
}

/** Reports that an agent made and gave up since it started, since it could not send them: nobody has them. The newest word holds. */
export interface LostReports {
  /** Gave way when the buffer was full: every second one of its older half. */
  readonly thinned: number;
  /** Waited for longer than the buffer keeps any. */
  readonly tooOld: number;
  /** When the first and the last of them were made; absent where there are none. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

export const lostCount = ({ thinned, tooOld }: LostReports): number => thinned + tooOld;

export interface AgentReport extends LaterParts {
  readonly version: number;
  readonly node: string;
  /** New at each start of the agent; with `sequence` it tells a replayed report. */
  readonly startId: string;
  readonly sequence: number;
  /** The node's clock when the report was made. */
  readonly atMs: number;
  readonly agentVersion: string;
  /** Node actions that the agent's own arguments allow; absent where it takes no orders. */
  readonly actions?: readonly string[];
  /** Absent in what an older agent tells, and where a report is made only once: then it is not known, which is not none. */
  readonly lostReports?: LostReports;
  readonly runtime: Looked<{ readonly reading: RuntimeReading }>;
  readonly sandboxes: Looked<{ readonly items: readonly SandboxReading[]; readonly tookSeconds: number; readonly truncated: boolean }>;
  readonly sockets: Looked<{ readonly items: readonly SocketReading[]; readonly unseen?: readonly UnseenSocket[] }>;
  readonly config: Looked<{ readonly reading: ConfigReading }>;
}

/**
 * What the server answers to a report that it took. Everything beside the version is optional: an older server does not
 * tell it, and then the agent keeps what it was told before. What an agent does not know it ignores.
 */
export interface PushAnswer {
  readonly version: number;
  /** Plugin types that network attachments of the cluster name: the node needs their binaries. */
  readonly nadPluginTypes?: readonly string[];
  /** DaemonSets whose pods serve a CNI, "namespace/name", beside those that the agent knows by their names. */
  readonly cniDaemonSets?: readonly string[];
  /** Time between reports, for agents whose own command line does not say. */
  readonly periodSeconds?: number;
  /** Whether an order waits for this node's agent; absent from a server that holds the agent's asking until there is one, or has no orders. */
  readonly orders?: boolean;
}
/** Bounds of that: a node whose agent is silent for three of the usual periods counts as stale, so a longer one is not told. */
export const MIN_TOLD_PERIOD_SECONDS = 1;
export const MAX_TOLD_PERIOD_SECONDS = 15;
export const PUSH_ANSWER_VERSION = 1;
export const MAX_NAD_PLUGIN_TYPES = 128;
export const MAX_CNI_DAEMON_SETS = 64;

/** Bounds of a report, held by the agent that makes it and by the server that takes it. */
export const MAX_SANDBOXES = 20_000;
export const MAX_SOCKETS = 64;
export const MAX_CONDITIONS = 32;
export const MAX_PLUGIN_TYPES = 64;
export const MAX_BIN_DIRS = 16;
export const MAX_PROBLEMS = 64;
export const MAX_PATH_CHARS = 1024;
export const MAX_TEXT_CHARS = 1024;

/** Versions that differ by this much still understand each other. */
const VERSIONS_APART = 1;

/**
 * Whether a server of `ours` understands a report of `theirs`, and which side to upgrade where it does not.
 * Fields that one side does not know are ignored, so neighbours work.
 */
export function compatibility(theirs: number, ours: number = AGENT_REPORT_VERSION): { readonly ok: true } | { readonly ok: false; readonly upgrade: "agent" | "server" } {
  if (Math.abs(theirs - ours) <= VERSIONS_APART) return { ok: true };
  return { ok: false, upgrade: theirs < ours ? "agent" : "server" };
}

/** Text cut to `maxChars`, with a mark that shows it was cut. */
export function capText(text: string, maxChars: number = MAX_TEXT_CHARS): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
}
