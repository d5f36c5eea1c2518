import type { EventObject } from "../../domain/model";
import type { TimelineEvent } from "../../domain/timeline";
import type { Query } from "./source";

/** Most events in one page. One that would cut a second in two is longer, up to twice this. */
export const MAX_EVENTS_PER_PAGE = 500;

interface EventRow {
  readonly uid: string;
  readonly host: string | null;
  readonly namespace: string;
  readonly reason: string;
  readonly type: string;
  readonly message: string;
  readonly count: number;
  readonly first_ms: number;
  readonly last_ms: number;
  readonly about_kind: string;
  readonly about_namespace: string | null;
  readonly about_name: string;
  readonly about_uid: string | null;
  readonly component: string | null;
}

const COLUMNS = "uid, host, namespace, reason, type, message, count, first_ms, last_ms, about_kind, about_namespace, about_name, about_uid, component";
const IN_RANGE = `SELECT ${COLUMNS} FROM event WHERE node = ? AND last_ms >= ? AND last_ms <= ? AND last_ms < ? ORDER BY last_ms DESC, uid LIMIT ?`;
const AT_SAME_TIME = `SELECT ${COLUMNS} FROM event WHERE node = ? AND last_ms = ? ORDER BY uid LIMIT ?`;
/** Last seen in the range, or first seen in it; of one that went on from before to after, no moment in the range is known. */
const TOUCHING = `SELECT CASE WHEN last_ms <= ? THEN last_ms ELSE first_ms END AS at_ms, ${COLUMNS} FROM event
  WHERE node = ? AND last_ms >= ? AND (last_ms <= ? OR (first_ms >= ? AND first_ms <= ?)) ORDER BY at_ms DESC, uid LIMIT ?`;

/**
 * Newest first. Times of events have whole seconds, and `beforeMs` is how the next page is asked for, so a page never
 * ends within a second: it is cut back to the second before, or lengthened where the whole page is one second.
 */
export function readEvents(query: Query, asked: { readonly node: string; readonly fromMs: number; readonly toMs: number; readonly limit: number; readonly beforeMs?: number }): { readonly items: readonly EventObject[]; readonly truncated: boolean } {
  const limit = Math.min(Math.max(1, Math.floor(asked.limit)), MAX_EVENTS_PER_PAGE);
  const rows = query.all<EventRow>(IN_RANGE, asked.node, asked.fromMs, asked.toMs, asked.beforeMs ?? Number.MAX_SAFE_INTEGER, limit + 1);
  const over = rows[limit];
  if (over === undefined) return { items: rows.map(toEvent), truncated: false };
  const whole = rows.filter((row) => row.last_ms > over.last_ms);
  if (whole.length > 0) return { items: whole.map(toEvent), truncated: true };
  const sameSecond = query.all<EventRow>(AT_SAME_TIME, asked.node, over.last_ms, 2 * MAX_EVENTS_PER_PAGE);
  const more = query.one<{ uid: string }>("SELECT uid FROM event WHERE node = ? AND last_ms >= ? AND last_ms < ? LIMIT 1", asked.node, asked.fromMs, over.last_ms);
  return { items: sameSecond.map(toEvent), truncated: more !== undefined || sameSecond.length === 2 * MAX_EVENTS_PER_PAGE };
}

/** Oldest first; of too many, the newest. */
export function timelineEvents(query: Query, node: string, fromMs: number, toMs: number, limit: number): { readonly items: readonly TimelineEvent[]; readonly truncated: boolean } {
  const rows = query.all<EventRow & { readonly at_ms: number }>(TOUCHING, toMs, node, fromMs, toMs, fromMs, toMs, limit + 1);
  const truncated = rows.length > limit;
  if (truncated) rows.pop();
  const items = rows.reverse().map((row) => ({
    atMs: row.at_ms,
    reason: row.reason,
    type: typeOf(row),
    message: row.message,
    count: row.count,
    about: `${row.about_kind} ${row.about_namespace === null ? "" : `${row.about_namespace}/`}${row.about_name}`,
  }));
  return { items, truncated };
}

const typeOf = (row: EventRow): "Normal" | "Warning" => (row.type === "Normal" ? "Normal" : "Warning");

function toEvent(row: EventRow): EventObject {
  return {
    uid: row.uid,
    namespace: row.namespace,
    reason: row.reason,
    type: typeOf(row),
    message: row.message,
    count: row.count,
    firstMs: row.first_ms,
    lastMs: row.last_ms,
    about: { kind: row.about_kind, name: row.about_name, ...(row.about_namespace === null ? {} : { namespace: row.about_namespace }), ...(row.about_uid === null ? {} : { uid: row.about_uid }) },
    ...(row.host === null ? {} : { host: row.host }),
    ...(row.component === null ? {} : { component: row.component }),
  };
}
