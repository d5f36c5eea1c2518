import type { Evidence } from "../answer";
import type { DaemonSetObject } from "../model";
import type { NodeView } from "../node-view";

/** One call to the API server, as it is shown and as it is sent: the same data, so the plan cannot differ from the deed. */
export interface ApiCall {
  readonly method: "GET" | "PATCH" | "POST" | "DELETE";
  /** Path segments, not yet encoded. */
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly body?: unknown;
}

export interface PlanStep {
  readonly title: string;
  readonly writes: boolean;
  readonly call?: ApiCall;
  /** What the node's agent calls: of the runtime, or of the kernel on a file. Shown as it is made. */
  readonly nodeCall?: { readonly kind: "CRI" | "FILE"; readonly what: string };
}

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

export interface Hazard {
  readonly title: string;
  readonly detail: string;
}

/** A plan with a refusal cannot be run; each says what to change. */
export interface Refusal {
  readonly field?: string;
  readonly message: string;
}

export interface Plan<P = unknown> {
  readonly action: string;
  readonly title: string;
  readonly node: string;
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly params: P;
  readonly steps: readonly PlanStep[];
  readonly diff: readonly DiffLine[];
  readonly affected: { readonly nodes: number; readonly ofNodes: number; readonly podsRestarted: number; readonly atOnce: string };
  readonly hazards: readonly Hazard[];
  readonly refusals: readonly Refusal[];
  readonly undo: { readonly possible: boolean; readonly how: string; readonly call?: ApiCall };
  /** A click for one node; typing the object's name for anything wider. */
  readonly confirm: { readonly kind: "click" | "type"; readonly text: string };
  /** The right that the person's own credentials need. */
  readonly needs: { readonly verb: string; readonly group: string; readonly resource: string; readonly namespace: string; readonly name: string };
  /** Changes when what the plan rests on changes: a run that carries an older one is refused. */
  readonly version: string;
  readonly evidence: readonly Evidence[];
  /** How it will be told whether it worked, before it is tried. */
  readonly passRule: string;
}

export interface PlanInput {
  readonly view: NodeView;
  readonly daemonSet: DaemonSetObject;
  /** How many nodes there are, and how many of them are no besides this one. */
  readonly fleet: { readonly nodes: number; readonly otherNo: number; readonly smallestNodeMemoryBytes?: number };
}

/** What a verification compares: stored signals at the moment of the run, and at the check. Absent is not known, never 0. */
export interface ActionReading {
  readonly atMs: number;
  readonly answer: "yes" | "no" | "unknown";
  readonly atRisk: boolean;
  readonly waiting?: number;
  readonly stuck?: number;
  readonly backlog?: number;
  readonly dead?: number;
  readonly throttledShare?: number;
  readonly lastFreshMs?: number;
  /** OOM kills of the daemon on this node known so far. */
  readonly oomKillsMs: readonly number[];
  readonly restarts?: number;
}

export const VERDICTS = ["too-early", "worked", "no-effect", "worse", "could-not-verify"] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Verification {
  readonly verdict: Verdict;
  /** One sentence with the numbers it rests on. */
  readonly because: string;
}

/** From the moment the change is seen on the node. */
export const VERIFY_AFTER_MS = [60_000, 180_000, 600_000] as const;
