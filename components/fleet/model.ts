import type { Fleet, NodeSummary } from "@/server/contract/schemas";

export type AnswerState = "yes" | "no" | "unknown";
/** How a node is shown: a yes at risk has its own shape. */
export type Look = "no" | "unknown" | "risk" | "yes";

/** One figure of a node: a value, or the words that stand in its place. `blind`: nobody could look. */
export type Reading = { readonly value: number } | Words;

/** `why`: the collector's reason, for those who ask. */
export interface Words {
  readonly words: string;
  readonly blind: boolean;
  readonly why?: string;
}

/** Lower and upper edge in seconds; above the last bucket there is no upper one. */
export type RangeReading = { readonly low: number; readonly high?: number } | Words;

/** A node as the fleet page uses it: about a tenth of the API's summary, so that 5,000 of them travel in a page. */
export interface FleetRow {
  readonly name: string;
  readonly pool: string;
  readonly state: AnswerState;
  readonly atRisk: boolean;
  readonly idle: boolean;
  readonly sinceMs: number;
  readonly summary: string;
  /** Title of the gravest cause that is more than a notice, where one fires. */
  readonly cause?: string;
  /** A second line for a node that needs someone: what else is known of it. Empty for a plain yes. */
  readonly detail: string;
  readonly ready: NodeSummary["ready"];
  readonly schedulable: boolean;
  readonly waiting: Reading;
  readonly waitingSystem: number;
  readonly dead: Reading;
  readonly p95: RangeReading;
  readonly deadlineSeconds: number;
  readonly throttled: Reading;
  readonly socket: { readonly words: string; readonly tone: "plain" | "warn" | "bad" | "blind" };
  readonly lastFreshMs?: number;
  readonly kubelet?: string;
  readonly runtime?: string;
}

export interface HistoryBucket {
  readonly atMs: number;
  readonly no: number;
  readonly unknown: number;
}

export interface Change {
  readonly node: string;
  readonly atMs: number;
  readonly state: AnswerState;
  readonly atRisk: boolean;
  readonly before?: string;
  readonly summary: string;
}

export interface FleetModel {
  readonly cluster?: Fleet["cluster"];
  /** The server's clock when the newest part of this was made. */
  readonly atMs: number;
  readonly seq: number;
  /** By name, in natural order: node-2 before node-10. */
  readonly rows: readonly FleetRow[];
  readonly hourAgo?: { readonly no: number; readonly unknown: number; readonly yes: number };
  readonly history: readonly HistoryBucket[];
  /** Newest first. */
  readonly changes: readonly Change[];
}

export const lookOf = (row: Pick<FleetRow, "state" | "atRisk">): Look => (row.state === "yes" ? (row.atRisk ? "risk" : "yes") : row.state);

/** Worst first. */
export const LOOKS = ["no", "unknown", "risk", "yes"] as const satisfies readonly Look[];
export const LOOK_WORDS: Readonly<Record<Look, string>> = { no: "No", unknown: "Unknown", risk: "Yes, at risk", yes: "Yes" };

export interface FleetCounts {
  readonly nodes: number;
  readonly no: number;
  readonly unknown: number;
  readonly yes: number;
  readonly atRisk: number;
  readonly waiting: number;
  readonly waitingSystem: number;
}

/** Unknown is counted as unknown alone; at risk counts as yes. */
export function countFleet(rows: readonly FleetRow[]): FleetCounts {
  const counts = { nodes: rows.length, no: 0, unknown: 0, yes: 0, atRisk: 0, waiting: 0, waitingSystem: 0 };
  for (const row of rows) {
    counts[row.state] += 1;
    if (row.state === "yes" && row.atRisk) counts.atRisk += 1;
    if ("value" in row.waiting) counts.waiting += row.waiting.value;
    counts.waitingSystem += row.waitingSystem;
  }
  return counts;
}

const collator = new Intl.Collator("en", { numeric: true });
export const byName = (a: { readonly name: string }, b: { readonly name: string }): number => collator.compare(a.name, b.name);
