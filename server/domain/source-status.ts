import type { NodeCondition } from "./model";
import type { KindStatus, WatchedKind } from "./observation";
import type { Part } from "./judge-input";
import { API_FRESH_MS, type Source, type SourceStatus } from "./sources";
import { durationWords } from "./words";

/** What is known of a source that is asked or listened to at a period. */
export interface SourceFacts {
  /** False where nobody set it up for this node. */
  readonly configured: boolean;
  /** Last success, UTC ms. */
  readonly lastMs?: number;
  readonly freshForMs: number;
  /** Why it is not configured, or what its last try said. */
  readonly reason?: string;
  /** By how much its clock was behind at its last word; absent where it agrees with ours. */
  readonly clockBehindMs?: number;
}

/**
 * Freshness of a source (DESIGN "Sources"): `absent` where it is not configured or was never heard, `stale` where its last
 * success is older than `freshForMs`. Both carry the reason in words. A success from the future (clocks that differ) is fresh.
 */
export function sourceStatus(source: Source, facts: SourceFacts, nowMs: number): SourceStatus {
  const { configured, lastMs, freshForMs, reason, clockBehindMs } = facts;
  // Whole seconds: a view is written anew when it changes, and the way of a message is never twice the same.
  const clock = clockBehindMs === undefined ? {} : { clockBehindSeconds: Math.round(clockBehindMs / 1_000) };
  if (lastMs === undefined) return { source, freshness: "absent", reason: reason ?? (configured ? "nothing heard yet" : "not configured") };
  if (nowMs - lastMs <= freshForMs) return { source, freshness: "fresh", lastMs, ...clock };
  const age = `nothing for ${durationWords((nowMs - lastMs) / 1_000)}`;
  return { source, freshness: "stale", lastMs, reason: reason === undefined ? age : `${age}: ${reason}`, ...clock };
}

/** The kinds without which the API says nothing about a node. */
const NEEDED: readonly WatchedKind[] = ["nodes", "pods"];

/**
 * The API as a source of one node: both needed kinds were heard of lately, and the node's own kubelet still reports (a
 * Ready condition of Unknown makes all that the API holds about it old). A watch that broke and is being opened again
 * stays fresh until API_FRESH_MS after its last word, so that a flapping API server changes no answer.
 */
export function apiStatus(kinds: readonly KindStatus[], ready: NodeCondition | undefined, nowMs: number): SourceStatus {
  const needed = NEEDED.map((kind) => ({ kind, status: kinds.find((one) => one.kind === kind) }));
  const nodes = needed[0]?.status;
  const unseen = needed.find(({ kind, status }) => kind === "nodes" && (status === undefined || status.state === "forbidden" || status.state === "absent"));
  if (unseen !== undefined) return { source: "api", freshness: "absent", reason: unseen.status?.reason ?? `${unseen.kind} were not listed yet` };
  const lasts = needed.flatMap(({ status }) => (status === undefined || isRefused(status) ? [] : [status.lastMs]));
  if (lasts.some((lastMs) => lastMs === undefined)) return { source: "api", freshness: "absent", reason: reasonOf(needed) ?? "the first list is not finished" };
  const lastMs = Math.min(...lasts.filter((one) => one !== undefined));
  const facts: SourceFacts = { configured: true, lastMs, freshForMs: API_FRESH_MS, ...reasonFact(reasonOf(needed) ?? nodes?.reason) };
  const status = sourceStatus("api", facts, nowMs);
  if (status.freshness === "fresh" && ready?.status === "Unknown") return { ...status, freshness: "stale", reason: `the node's kubelet stopped reporting${ready.message === undefined ? "" : ` (${ready.message.replace(/\.$/, "")})`}` };
  return status;
}

const isRefused = ({ state }: KindStatus): boolean => state === "forbidden" || state === "absent";
const reasonFact = (reason: string | undefined): { reason?: string } => (reason === undefined ? {} : { reason });

function reasonOf(kinds: readonly { readonly status: KindStatus | undefined }[]): string | undefined {
  return kinds.find(({ status }) => status?.reason !== undefined && !isRefused(status))?.status?.reason;
}

/** Whether a watched kind is seen now, or why not. A kind that fails for longer than API_FRESH_MS is not. */
export function partOf(kinds: readonly KindStatus[], kind: WatchedKind, nowMs: number): Part {
  const status = kinds.find((one) => one.kind === kind);
  if (status === undefined) return { seen: false, reason: `${kind} were not listed yet` };
  if (status.state === "forbidden" || status.state === "absent") return { seen: false, reason: status.reason ?? `${kind} are ${status.state}`, ...(status.state === "absent" ? { absent: true } : {}) };
  if (status.lastMs === undefined) return { seen: false, reason: status.reason ?? `the first list of ${kind} is not finished` };
  if (nowMs - status.lastMs > API_FRESH_MS) return { seen: false, reason: `nothing about ${kind} for ${durationWords((nowMs - status.lastMs) / 1_000)}${status.reason === undefined ? "" : `: ${status.reason}`}` };
  return { seen: true };
}
