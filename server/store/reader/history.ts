import type { AnswerSpan } from "../../domain/timeline";
import type { Reader } from "../types";
import { stateOf } from "./answers";
import { collectorGaps } from "./collector-gaps";
import type { Query } from "./source";

/** Most steps of the fleet's history, and most changes told at once. */
export const MAX_HISTORY_BUCKETS = 1_500;
export const MAX_ANSWER_CHANGES = 1_000;

type State = AnswerSpan["state"] | undefined;

/** Each node's newest state up to a time. Steps from node to node in the key: a month of changes is not read for it. */
const STATES_AT = `WITH RECURSIVE nodes (node) AS (
    SELECT min(node) FROM answer_change
    UNION ALL SELECT (SELECT min(node) FROM answer_change WHERE node > nodes.node) FROM nodes WHERE node IS NOT NULL)
  SELECT node, (SELECT state FROM answer_change WHERE node = nodes.node AND at_ms <= ? ORDER BY at_ms DESC LIMIT 1) AS state FROM nodes WHERE node IS NOT NULL`;

/** Follows every change of the range once, and keeps of each step its worst moment. */
export function fleetHistory(query: Query, asked: Parameters<Reader["fleetHistory"]>[0], newest: { readonly newestMs: number; readonly lastMs: number }): ReturnType<Reader["fleetHistory"]> {
  const { fromMs, toMs } = asked;
  const count = Math.min(Math.max(1, Math.floor(asked.buckets)), MAX_HISTORY_BUCKETS);
  const widthMs = (toMs - fromMs) / count;
  if (!(widthMs > 0)) return [];
  const states = new Map<string, State>();
  for (const row of query.all<{ node: string; state: string | null }>(STATES_AT, fromMs)) states.set(row.node, stateOf(row.state ?? ""));
  const changes = query.all<{ node: string; state: string; at_ms: number }>("SELECT node, state, at_ms FROM answer_change WHERE at_ms > ? AND at_ms < ? ORDER BY at_ms", fromMs, toMs);
  const silent = collectorGaps(query, fromMs, toMs, newest);

  const tally = { no: 0, unknown: 0, known: 0 };
  const add = (state: State, by: 1 | -1): void => {
    if (state === "no") tally.no += by;
    if (state === "unknown") tally.unknown += by;
    if (state !== undefined) tally.known += by;
  };
  for (const state of states.values()) add(state, 1);
  let next = 0;
  return Array.from({ length: count }, (_, index) => {
    const startMs = fromMs + index * widthMs;
    const endMs = index === count - 1 ? toMs : startMs + widthMs;
    const known = tally.known;
    const worst = { no: 0, unknown: 0 };
    const look = (sinceMs: number, untilMs: number): void => {
      if (sinceMs >= untilMs) return;
      const covered = silent.some((gap) => gap.fromMs <= sinceMs && gap.toMs >= untilMs);
      if (!covered) worst.no = Math.max(worst.no, tally.no);
      if (!covered) worst.unknown = Math.max(worst.unknown, tally.unknown);
      if (silent.some((gap) => gap.fromMs < untilMs && gap.toMs > sinceMs)) worst.unknown = Math.max(worst.unknown, tally.known);
    };
    let sinceMs = startMs;
    for (let change = changes[next]; change !== undefined && change.at_ms < endMs; change = changes[next]) {
      look(sinceMs, change.at_ms);
      sinceMs = Math.max(sinceMs, change.at_ms);
      add(states.get(change.node), -1);
      const state = stateOf(change.state);
      states.set(change.node, state);
      add(state, 1);
      next += 1;
    }
    look(sinceMs, endMs);
    return { atMs: Math.round(startMs), no: worst.no, unknown: worst.unknown, known };
  });
}

/**
 * Newest first, each with the state before it; a node's leaving is not an answer. A row that says what the one before it
 * said is none either: a collector that starts writes down what it finds.
 */
export function answerChanges(query: Query, asked: Parameters<Reader["answerChanges"]>[0]): ReturnType<Reader["answerChanges"]> {
  const limit = Math.min(Math.max(1, Math.floor(asked.limit)), MAX_ANSWER_CHANGES);
  return query
    .all<{ node: string; at_ms: number; state: string; at_risk: number; summary: string; before: string | null }>(
      `SELECT * FROM (SELECT node, at_ms, state, at_risk, summary,
        (SELECT old.state || ' ' || old.at_risk FROM answer_change old WHERE old.node = new.node AND old.at_ms < new.at_ms ORDER BY old.at_ms DESC LIMIT 1) AS before
      FROM answer_change new WHERE at_ms >= ? AND state <> 'gone')
      WHERE before IS NULL OR before <> state || ' ' || at_risk ORDER BY at_ms DESC, node LIMIT ?`,
      asked.fromMs,
      limit,
    )
    .map((row) => ({ node: row.node, atMs: row.at_ms, state: row.state, atRisk: row.at_risk === 1, summary: row.summary, ...beforeOf(row.before) }));
}

function beforeOf(before: string | null): { before?: string } {
  const state = before?.split(" ")[0];
  return state === undefined || state === "gone" ? {} : { before: state };
}
