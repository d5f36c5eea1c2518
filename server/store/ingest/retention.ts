import type { Db } from "../sqlite/connection";
import { RETENTION } from "../types";

/** Rows that one step deletes at most. */
export const DELETE_PER_STEP = 500;
/** Series looked at in one step for whether any sample is left of them. */
export const SERIES_CHECKED_PER_STEP = 500;
/** Above it the oldest events go before their time. */
export const MAX_EVENTS_KEPT = 200_000;
/** Changes of answers and sources are told as far back as samples are. */
export const CHANGES_KEPT_MS = RETENTION.fiveMinutesMs;

/** Drops everything but samples that is older than it is kept, a bounded step at each `next()`. */
export function* retention(db: Db, nowMs: number, seriesDeleted: () => void): Generator<void, void, void> {
  const before = nowMs - CHANGES_KEPT_MS;
  yield* deleteInSteps(db, `DELETE FROM event WHERE rowid IN (SELECT rowid FROM event WHERE last_ms < ? ORDER BY last_ms LIMIT ${DELETE_PER_STEP})`, [nowMs - RETENTION.eventsMs]);
  yield* dropExcessEvents(db);
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
  yield* deleteInSteps(db, `DELETE FROM node_gone WHERE rowid IN (SELECT rowid FROM node_gone WHERE at_ms < ? LIMIT ${DELETE_PER_STEP})`, [before]);
  yield* dropEmptySeries(db, seriesDeleted);
}

function* deleteInSteps(db: Db, sql: string, values: readonly number[]): Generator<void, void, void> {
  const statement = db.prepare<unknown[]>(sql);
  while (statement.run(...values).changes >= DELETE_PER_STEP) yield;
  yield;
}

function* dropExcessEvents(db: Db): Generator<void, void, void> {
  let excess = (db.prepare<[], number>("SELECT count(*) FROM event").pluck().get() ?? 0) - MAX_EVENTS_KEPT;
  const statement = db.prepare<[number]>("DELETE FROM event WHERE rowid IN (SELECT rowid FROM event ORDER BY last_ms LIMIT ?)");
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
