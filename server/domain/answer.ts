import type { Source } from "./sources";

/** One observation that an answer or a cause rests on. */
export interface Evidence {
  readonly what: string;
  readonly look: "seen" | "not-seen" | "could-not-look";
  readonly value?: number | string;
  readonly unit?: string;
  readonly atMs?: number;
  readonly source: Source;
  /** Why it could not look; set when look is "could-not-look". */
  readonly reason?: string;
}

/** Which row of the table in DESIGN "Judging" matched. */
export type AnswerRow = 1 | 2 | 3 | 4 | 5 | 6;

/** What `judge` finds at one moment; `since` is added by comparing with the answer before. */
export interface Judgement {
  readonly state: "yes" | "no" | "unknown";
  readonly atRisk: boolean;
  readonly idle: boolean;
  readonly row: AnswerRow;
  /** The proof in one sentence, without the node's name: "0 fresh sandboxes in 10 min, 220 pods waiting, oldest 47 min." */
  readonly summary: string;
  readonly proof: readonly Evidence[];
}

export interface Answer extends Judgement {
  readonly sinceMs: number;
}

/** How one pod that has no ready sandbox is held. */
export type PodHold =
  /** Waits for a sandbox and nothing else. */
  | { readonly kind: "waiting"; readonly sinceMs: number; readonly stuck: boolean }
  /** Held by what it asks for itself: a missing NAD, a plugin that only a NAD names, a device. */
  | { readonly kind: "own-request"; readonly sinceMs: number; readonly because: string }
  /** Waits for a volume, an attachment or a claim first. */
  | { readonly kind: "other"; readonly sinceMs: number; readonly because: string };

export interface WaitingPod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly system: boolean;
  /** "ReplicaSet/web-6d5f8c7b9", the controller as kind and name; absent where nobody owns it. */
  readonly owner?: string;
  readonly hold: PodHold;
  readonly lastError?: { readonly text: string; readonly atMs: number };
  /** SandboxChanged and FailedCreatePodSandBox told for this pod; event counts are not rates. */
  readonly attemptsSeen: number;
}
