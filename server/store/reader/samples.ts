import { rollUp, rollupOf, spanStart, type TimedRollup } from "../../domain/rollup";
import { FIVE_MINUTES_MS, MINUTE_MS, ROLL_EVERY_MS } from "../tiers";
import type { Query } from "./source";

/** Which tier most of a range is read from: 0 is raw. */
export type BaseStep = 0 | typeof MINUTE_MS | typeof FIVE_MINUTES_MS;

/** What the roll-up has reached; before the first pass everything is raw. */
export interface Progress {
  readonly doneMs: number;
  readonly rawFloor: number;
  readonly minuteFloor: number;
  /** Time of the newest batch. */
  readonly newestMs: number;
}

export function readProgress(query: Query): Progress {
  const row = query.one<{ done_ms: number; raw_floor_ms: number; minute_floor_ms: number }>("SELECT done_ms, raw_floor_ms, minute_floor_ms FROM rollup_progress WHERE id = 1");
  const newest = query.one<{ value: string }>("SELECT value FROM meta WHERE key = 'newest_ms'");
  return { doneMs: row?.done_ms ?? 0, rawFloor: row?.raw_floor_ms ?? 0, minuteFloor: row?.minute_floor_ms ?? 0, newestMs: Number(newest?.value ?? 0) };
}

const RAW = "SELECT at, value FROM sample_raw WHERE series = ? AND at >= ? AND at <= ?";
const rolled = (table: string): string => `SELECT at, min, max, last, last_offset_ms, sum, count FROM ${table} WHERE series = ? AND at >= ? AND at <= ?`;
const MINUTES = rolled("sample_minute");
const FIVES = rolled("sample_five_minutes");
type RolledRow = readonly [at: number, min: number, max: number, last: number, lastOffsetMs: number, sum: number, count: number];

export function readRaw(query: Query, series: number, fromMs: number, toMs: number): (readonly [at: number, value: number])[] {
  return query.tuples<readonly [number, number]>(RAW, series, fromMs, toMs);
}

/** Minutes of a series; where raw samples are still there, they tell the minute and its row does not count. */
export function readMinutes(query: Query, series: number, fromMs: number, toMs: number, progress: Progress): TimedRollup[] {
  const rows = query.tuples<RolledRow>(MINUTES, series, spanStart(fromMs, MINUTE_MS), toMs).map(fromRow);
  const rawFrom = Math.max(spanStart(fromMs, MINUTE_MS), rolledSurely(progress), progress.rawFloor);
  return overlay(rows, rollUp(readRaw(query, series, rawFrom, toMs).map(([at, value]) => ({ atMs: at, ...rollupOf(at, value) })), MINUTE_MS));
}

/** Five minutes of a series, the newest made from its minutes. */
export function readFives(query: Query, series: number, fromMs: number, toMs: number, progress: Progress): TimedRollup[] {
  const rows = query.tuples<RolledRow>(FIVES, series, spanStart(fromMs, FIVE_MINUTES_MS), toMs).map(fromRow);
  const minutesFrom = Math.max(spanStart(fromMs, FIVE_MINUTES_MS), rolledSurely(progress), progress.minuteFloor);
  return overlay(rows, rollUp(readMinutes(query, series, minutesFrom, toMs, progress), FIVE_MINUTES_MS));
}

/** Before this every sample that was in time is rolled up, also where a clock that went back made newer ones late. */
const rolledSurely = ({ doneMs, newestMs }: Progress): number => spanStart(Math.min(doneMs, newestMs - 2 * ROLL_EVERY_MS), FIVE_MINUTES_MS);

const fromRow = ([atMs, min, max, last, lastOffsetMs, sum, count]: RolledRow): TimedRollup => ({ atMs, min, max, last, lastMs: atMs + lastOffsetMs, sum, count });

function overlay(rows: readonly TimedRollup[], finer: readonly TimedRollup[]): TimedRollup[] {
  const first = finer[0];
  if (first === undefined) return [...rows];
  const told = new Set(finer.map((span) => span.atMs));
  const kept = rows.filter((row) => !told.has(row.atMs));
  return kept.some((row) => row.atMs > first.atMs) ? [...kept, ...finer].sort((a, b) => a.atMs - b.atMs) : [...kept, ...finer];
}
