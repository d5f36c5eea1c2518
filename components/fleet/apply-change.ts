import type { ChangeMessage } from "@/server/contract/schemas";
import { byName, countFleet, type Change, type FleetModel, type FleetRow, type HistoryBucket } from "./model";
import { toRow } from "./to-row";

const HOUR_MS = 3_600_000;
/** As many changes as the server tells at most. */
const MAX_CHANGES = 50;

/** The fleet after one message of the stream. A message that is not newer changes nothing. */
export function applyChange(fleet: FleetModel, message: Pick<ChangeMessage, "seq" | "at" | "nodes" | "gone">): FleetModel {
  if (message.seq <= fleet.seq) return fleet;
  const atMs = Date.parse(message.at);
  const changed = new Map(message.nodes.map((node) => [node.name, toRow(node)]));
  const gone = new Set(message.gone);
  const changes: Change[] = [];
  const rows: FleetRow[] = [];
  for (const row of fleet.rows) {
    const next = changed.get(row.name);
    changed.delete(row.name);
    if (next !== undefined) {
      rows.push(next);
      if (next.state !== row.state || next.atRisk !== row.atRisk) changes.push(toChange(next, row.state, atMs));
    } else if (!gone.has(row.name)) rows.push(row);
  }
  if (changed.size > 0) {
    for (const row of changed.values()) {
      rows.push(row);
      changes.push(toChange(row, undefined, atMs));
    }
    rows.sort(byName);
  }
  return {
    ...fleet,
    atMs,
    seq: message.seq,
    rows,
    history: advance(fleet.history, atMs, rows),
    changes: [...changes.sort((a, b) => b.atMs - a.atMs), ...fleet.changes].filter((change) => change.atMs > atMs - HOUR_MS).slice(0, MAX_CHANGES),
  };
}

/** A new state knows since when it holds; a mark that came or went, or a node that joined, is of this message. */
function toChange(row: FleetRow, before: string | undefined, atMs: number): Change {
  const sinceMs = before === undefined || before === row.state ? atMs : Math.min(row.sinceMs, atMs);
  return { node: row.name, atMs: sinceMs, state: row.state, atRisk: row.atRisk, ...(before === undefined ? {} : { before }), summary: row.summary };
}

/** The newest bucket keeps its worst moment; once it is full, the oldest makes room for a new one. */
function advance(history: readonly HistoryBucket[], atMs: number, rows: readonly FleetRow[]): readonly HistoryBucket[] {
  const [first, second] = history;
  const last = history.at(-1);
  if (first === undefined || second === undefined || last === undefined) return history;
  const widthMs = second.atMs - first.atMs;
  const { no, unknown } = countFleet(rows);
  if (atMs < last.atMs + widthMs) {
    if (no <= last.no && unknown <= last.unknown) return history;
    return [...history.slice(0, -1), { atMs: last.atMs, no: Math.max(no, last.no), unknown: Math.max(unknown, last.unknown) }];
  }
  const steps = Math.min(history.length, Math.floor((atMs - last.atMs) / widthMs));
  // An answer holds until the change that ends it, so steps that passed without a word were as before.
  const added = Array.from({ length: steps }, (_, index) => ({ atMs: last.atMs + (index + 1) * widthMs, ...(index === steps - 1 ? { no, unknown } : { no: last.no, unknown: last.unknown }) }));
  return [...history, ...added].slice(-history.length);
}
