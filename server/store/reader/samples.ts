import { rollUp, rollupOf, spanStart, type TimedRollup } from "../../domain/rollup";
import { FIVE_MINUTES_MS, MINUTE_MS, ROLL_EVERY_MS } from "../tiers";
import type { Query } from "./source";

/** Which tier most of a range is read from: 0 is raw. */
export type BaseStep = 0 | typeof MINUTE_MS | typeof FIVE_MINUTES_MS;

/** What the roll-up has reached; before the first pass everything is raw. */
export interface Progress {
  readonly doneMs: number;
  /** Before these a tier's samples may be deleted. */
  readonly rawGone: number;
  readonly minuteGone: number;
  /** Newest time of any batch, and the time of the batch that was written last. They differ while a history is filled in, and after a clock step. */
  readonly newestMs: number;
  readonly lastMs: number;
}

export function readProgress(query: Query): Progress {
  const row = query.one<{ done_ms: number; raw_gone_ms: number; minute_gone_ms: number }>("SELECT done_ms, raw_gone_ms, minute_gone_ms FROM rollup_progress WHERE id = 1");
  const time = (key: "newest_ms" | "last_ms"): number => Number(query.one<{ value: string }>("SELECT value FROM meta WHERE key = ?", key)?.value ?? 0);
  return { doneMs: row?.done_ms ?? 0, rawGone: row?.raw_gone_ms ?? 0, minuteGone: row?.minute_gone_ms ?? 0, newestMs: time("newest_ms"), lastMs: time("last_ms") };
}

const RAW_TIMES = "SELECT at FROM sample_raw WHERE series = ? AND at >= ? AND at <= ? ORDER BY at";
const RAW_VALUES = "SELECT value FROM sample_raw WHERE series = ? AND at >= ? AND at <= ? ORDER BY at";
const rolled = (table: string): string => `SELECT at, min, max, last, last_offset_ms, sum, count FROM ${table} WHERE series = ? AND at >= ? AND at <= ? ORDER BY at`;
const MINUTES = rolled("sample_minute");
const FIVES = rolled("sample_five_minutes");
type RolledRow = readonly [at: number, min: number, max: number, last: number, lastOffsetMs: number, sum: number, count: number];

export const readTimes = (query: Query, series: number, fromMs: number, toMs: number): number[] => query.column<number>(RAW_TIMES, series, fromMs, toMs);

/** Two columns of equal length, ascending by time. */
export function readRaw(query: Query, series: number, fromMs: number, toMs: number): { readonly times: number[]; readonly values: number[] } {
  return { times: readTimes(query, series, fromMs, toMs), values: query.column<number>(RAW_VALUES, series, fromMs, toMs) };
}

/** Raw samples as spans of `stepMs`. */
export function rollUpRaw({ times, values }: ReturnType<typeof readRaw>, stepMs: number): TimedRollup[] {
  return rollUp(times.map((atMs, index) => ({ atMs, ...rollupOf(atMs, values[index] ?? Number.NaN) })), stepMs);
}

/** Minutes of a series; where raw samples are still there, they tell the minute and its row does not count. */
export function readMinutes(query: Query, series: number, fromMs: number, toMs: number, progress: Progress): TimedRollup[] {
  const rows = query.tuples<RolledRow>(MINUTES, series, spanStart(fromMs, MINUTE_MS), toMs).map(fromRow);
  const rawFrom = Math.max(spanStart(fromMs, MINUTE_MS), rolledSurely(progress));
  return overlay(rows, rollUpRaw(readRaw(query, series, rawFrom, toMs), MINUTE_MS));
}

/** Five minutes of a series, the newest made from its minutes. */
export function readFives(query: Query, series: number, fromMs: number, toMs: number, progress: Progress): TimedRollup[] {
  const rows = query.tuples<RolledRow>(FIVES, series, spanStart(fromMs, FIVE_MINUTES_MS), toMs).map(fromRow);
  const minutesFrom = Math.max(spanStart(fromMs, FIVE_MINUTES_MS), rolledSurely(progress));
  return overlay(rows, rollUp(readMinutes(query, series, minutesFrom, toMs, progress), FIVE_MINUTES_MS));
}

/** Before this every sample that was in time is rolled up, also where a clock that went back made newer ones late. */
const rolledSurely = ({ doneMs, lastMs }: Progress): number => spanStart(Math.min(doneMs, lastMs - 2 * ROLL_EVERY_MS), FIVE_MINUTES_MS);

const fromRow = ([atMs, min, max, last, lastOffsetMs, sum, count]: RolledRow): TimedRollup => ({ atMs, min, max, last, lastMs: atMs + lastOffsetMs, sum, count });

function overlay(rows: readonly TimedRollup[], finer: readonly TimedRollup[]): TimedRollup[] {
  const first = finer[0];
  if (first === undefined) return [...rows];
  const told = new Set(finer.map((span) => span.atMs));
  const kept = rows.filter((row) => !told.has(row.atMs));
  return kept.some((row) => row.atMs > first.atMs) ? [...kept, ...finer].sort((a, b) => a.atMs - b.atMs) : [...kept, ...finer];
}
