import type { SocketState } from "./signals";

/**
 * What a node's agent tells, version 1. Each part is either a reading or the reason why it could not look, so that one
 * failure never hides the rest. Parts that later agents add are optional here and ignored by an older server.
 */
export const AGENT_REPORT_VERSION = 1;

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
  /** "multus", "cilium", "daemon-shim": the name in the table of sockets or on the command line. */
  readonly name: string;
  readonly path: string;
  readonly state: SocketState;
  readonly latencySeconds?: number;
  /** What the health path said: "200", "404 on /readyz, 200 on /healthz"; or the error's code. */
  readonly detail?: string;
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
  readonly pluginTypes: readonly string[];
  /** Sockets that the effective conflist itself names ("socket" keys), or that its plugin types are known to call. */
  readonly sockets: readonly string[];
  readonly missingBinaries: readonly string[];
  readonly binDirs: readonly string[];
}

export interface AgentReport {
  readonly version: number;
  readonly node: string;
  /** New at each start of the agent; with `sequence` it tells a replayed report. */
  readonly startId: string;
  readonly sequence: number;
  /** The node's clock when the report was made. */
  readonly atMs: number;
  readonly agentVersion: string;
  readonly runtime: Looked<{ readonly reading: RuntimeReading }>;
  readonly sandboxes: Looked<{ readonly items: readonly SandboxReading[]; readonly tookSeconds: number; readonly truncated: boolean }>;
  readonly sockets: Looked<{ readonly items: readonly SocketReading[] }>;
  readonly config: Looked<{ readonly reading: ConfigReading }>;
}
