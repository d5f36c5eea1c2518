import { INCIDENTS_KEPT_MS } from "../../domain/incident/timing";
import type { Db } from "../sqlite/connection";
import { RETENTION } from "../types";

/** Rows that one step deletes at most. */
export const DELETE_PER_STEP = 500;
/** Series looked at in one step for whether any sample is left of them. */
export const SERIES_CHECKED_PER_STEP = 500;
/** Above it the oldest events go before their time. */
export const MAX_EVENTS_KEPT = 200_000;
/** Above it closed incidents go before their time, the oldest first. */
export const MAX_INCIDENTS_KEPT = 5_000;
/** Above it the oldest stretches of kept samples are given up; one of eight hours takes about a megabyte. */
export const MAX_KEPT_STRETCHES = 500;
export const MAX_CHANGES_KEPT = 100_000;
/** Changes of answers and sources are told as far back as samples are. */
export const CHANGES_KEPT_MS = RETENTION.fiveMinutesMs;

/** Drops everything but samples that is older than it is kept, a bounded step at each `next()`. */
export function* retention(db: Db, nowMs: number, seriesDeleted: () => void): Generator<void, void, void> {
  const before = nowMs - CHANGES_KEPT_MS;
  yield* deleteInSteps(db, `DELETE FROM event WHERE rowid IN (SELECT rowid FROM event WHERE last_ms < ? ORDER BY last_ms LIMIT ${DELETE_PER_STEP})`, [nowMs - RETENTION.eventsMs]);
  yield* dropExcess(db, "SELECT count(*) FROM event", MAX_EVENTS_KEPT, "DELETE FROM event WHERE rowid IN (SELECT rowid FROM event ORDER BY last_ms LIMIT ?)");
  // The newest change before the limit stays: it tells the state at the limit.
  yield* deleteInSteps(
    db,
    `DELETE FROM answer_change WHERE rowid IN (SELECT old.rowid FROM answer_change old WHERE old.at_ms < ?
      AND (old.state = 'gone' OR EXISTS (SELECT 1 FROM answer_change newer WHERE newer.node = old.node AND newer.at_ms > old.at_ms AND newer.at_ms <= ?)) LIMIT ${DELETE_PER_STEP})`,
    [before, before],
  );
  yield* deleteInSteps(
    db,
    `DELETE FROM source_change WHERE rowid IN (SELECT old.rowid FROM source_change old WHERE old.at_ms < ?
      AND EXISTS (SELECT 1 FROM source_change newer WHERE newer.node = old.node AND newer.source = old.source AND newer.at_ms > old.at_ms AND newer.at_ms <= ?) LIMIT ${DELETE_PER_STEP})`,
    [before, before],
  );
  yield* deleteInSteps(db, `DELETE FROM collector_gap WHERE rowid IN (SELECT rowid FROM collector_gap WHERE to_ms < ? LIMIT ${DELETE_PER_STEP})`, [before]);
  // A node that comes back under its name within that time is held to its key; nodes that come under ever new names leave none for ever.
  yield* deleteInSteps(
    db,
    `DELETE FROM kubelet_key WHERE node IN (SELECT node FROM kubelet_key key WHERE seen_ms < ?
      AND NOT EXISTS (SELECT 1 FROM node_view WHERE node = key.node) AND NOT EXISTS (SELECT 1 FROM answer_change WHERE node = key.node) LIMIT ${DELETE_PER_STEP})`,
    [before],
  );
  yield* deleteInSteps(db, `DELETE FROM node_gone WHERE rowid IN (SELECT rowid FROM node_gone WHERE at_ms < ? LIMIT ${DELETE_PER_STEP})`, [before]);
  yield* deleteInSteps(db, `DELETE FROM incident WHERE id IN (SELECT id FROM incident WHERE state = 'closed' AND closed_ms < ? LIMIT ${DELETE_PER_STEP})`, [nowMs - INCIDENTS_KEPT_MS]);
  yield* dropExcess(db, "SELECT count(*) FROM incident WHERE state = 'closed'", MAX_INCIDENTS_KEPT, "DELETE FROM incident WHERE id IN (SELECT id FROM incident WHERE state = 'closed' ORDER BY closed_ms LIMIT ?)");
  yield* dropExcess(db, "SELECT count(*) FROM incident_kept", MAX_KEPT_STRETCHES, "DELETE FROM incident_kept WHERE (node, from_ms, incident) IN (SELECT node, from_ms, incident FROM incident_kept ORDER BY to_ms LIMIT ?)");
  yield* deleteInSteps(db, `DELETE FROM cluster_change WHERE id IN (SELECT id FROM cluster_change WHERE at_ms < ? LIMIT ${DELETE_PER_STEP})`, [before]);
  yield* dropExcess(db, "SELECT count(*) FROM cluster_change", MAX_CHANGES_KEPT, "DELETE FROM cluster_change WHERE id IN (SELECT id FROM cluster_change ORDER BY at_ms LIMIT ?)");
  yield* dropEmptySeries(db, seriesDeleted);
}

function* deleteInSteps(db: Db, sql: string, values: readonly number[]): Generator<void, void, void> {
  const statement = db.prepare<unknown[]>(sql);
  while (statement.run(...values).changes >= DELETE_PER_STEP) yield;
  yield;
}

/** `count` and `drop` are texts of this file; `drop` takes how many rows. */
function* dropExcess(db: Db, count: string, most: number, drop: string): Generator<void, void, void> {
  let excess = (db.prepare<[], number>(count).pluck().get() ?? 0) - most;
  const statement = db.prepare<[number]>(drop);
  while (excess > 0) {
    excess -= statement.run(Math.min(excess, DELETE_PER_STEP)).changes;
    yield;
  }
}

function* dropEmptySeries(db: Db, seriesDeleted: () => void): Generator<void, void, void> {
  const page = db.prepare<[number], number>(`SELECT id FROM series WHERE id > ? ORDER BY id LIMIT ${SERIES_CHECKED_PER_STEP}`).pluck();
  const empty = (table: string): string => `NOT EXISTS (SELECT 1 FROM ${table} WHERE series = series.id)`.replace("series = series.id", `${table}.series = series.id`);
  const drop = db.prepare<[number, number]>(`DELETE FROM series WHERE id BETWEEN ? AND ? AND ${empty("sample_raw")} AND ${empty("sample_minute")} AND ${empty("sample_five_minutes")}`);
  let last = 0;
  for (;;) {
    const ids = page.all(last);
    const first = ids[0];
    const end = ids.at(-1);
    if (first === undefined || end === undefined) return;
    if (drop.run(first, end).changes > 0) seriesDeleted();
    last = end;
    yield;
  }
}
