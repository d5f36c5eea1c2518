import type { MessageCode } from "../causes/codes";

/** What one text says by itself. A text is never proof: a cause that rests on it alone is *suspected*. */
export interface Explanation {
  readonly cause: MessageCode;
  /** Tells apart kinds of one cause: `host` or `consumer` of a stale socket, `delegate-rate-limited` of a slow daemon. */
  readonly detail?: string;
  /** Whose text it is: "multus", "cilium", "containerd", "kubelet", "generic" … */
  readonly plugin: string;
  readonly confidence: "high" | "medium" | "low";
  /** The pieces of the text that decided, each with what it says. */
  readonly because: readonly { readonly text: string; readonly says: string }[];
  /** What to look at next, in order. */
  readonly lookAt: readonly string[];
  /** What to do, in order; empty where the text does not decide. */
  readonly fix: readonly string[];
  /** Path of the cause's page: "docs/use/causes/stale-socket.md". */
  readonly docs: string;
  /** Names that the text holds, for those who compare it with what was measured. */
  readonly facts: MessageFacts;
  /** Who wrapped whose error, outermost first: "kubelet", "containerd", "multus-shim" … */
  readonly layers?: readonly MessageLayer[];
}

/** One program's sentence around the next. */
export interface MessageLayer {
  readonly who: string;
  /** Its sentence, without what it wraps. */
  readonly text: string;
}

export interface MessageFacts {
  /** Program that is missing or that failed: "bridge". */
  readonly pluginType?: string;
  /** Where it was looked for: "/opt/cni/bin". */
  readonly binDirs?: readonly string[];
  /** Network or network attachment that the text names, "namespace/name" where it says so. */
  readonly network?: string;
  /** Path of a socket that was called. */
  readonly socketPath?: string;
  /** A file that is missing, empty or unreadable. */
  readonly file?: string;
  /** Sandbox that a reserved name belongs to. */
  readonly reservedFor?: string;
}

/** Text beyond this is not read; the answer says so. */
export const MAX_EXPLAINED_CHARS = 1_048_576;
