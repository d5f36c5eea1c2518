import { mergeRollups, rollupOf, spanStart, type Rollup } from "../../domain/rollup";
import type { Sample } from "../../domain/signals";
import type { Db, Statement } from "../sqlite/connection";
import { RETENTION } from "../types";
import { FIVE_MINUTES_MS, MINUTE_MS, TIER_TABLES, type RolledStep } from "../tiers";

/** Ids of series kept in memory; above it they are looked up anew. 5,000 nodes of 40 series. */
export const MAX_SERIES_CACHED = 200_000;

interface RollupRow {
  readonly min: number;
  readonly max: number;
  readonly last: number;
  readonly last_offset_ms: number;
  readonly sum: number;
  readonly count: number;
}

/**
 * Writes raw samples. One that comes after its span was rolled up is put where the roll-up will count it exactly once:
 * beside the raw samples of its span while those are kept, else straight into the coarser row. That rests on raw
 * samples of a span being deleted all or none.
 */
export class SampleWriter {
  readonly #ids = new Map<string, number>();
  readonly #findSeries: Statement<[string, string, string], number>;
  readonly #addSeries: Statement<[string, string, string]>;
  readonly #insert: Statement<[number, number, number]>;
  readonly #rolledUntil: Statement<[], number>;
  readonly #markLate: Statement<[number, number, number]>;
  readonly #hasRaw: Statement<[number, number, number], number>;
  readonly #hasMinute: Statement<[number, number, number], number>;
  readonly #rollupOf: Record<RolledStep, Statement<[number, number], RollupRow>>;
  readonly #putRollup: Record<RolledStep, Statement<[number, number, number, number, number, number, number, number]>>;

  constructor(db: Db) {
    this.#findSeries = db.prepare<[string, string, string], number>("SELECT id FROM series WHERE node = ? AND signal = ? AND instance = ?").pluck();
    this.#addSeries = db.prepare("INSERT INTO series (node, signal, instance) VALUES (?, ?, ?)");
    this.#insert = db.prepare("INSERT INTO sample_raw (series, at, value) VALUES (?, ?, ?) ON CONFLICT (series, at) DO UPDATE SET value = excluded.value");
    this.#rolledUntil = db.prepare<[], number>("SELECT max(done_ms, until_ms) FROM rollup_progress").pluck();
    this.#markLate = db.prepare("INSERT INTO rollup_late (series, step, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
    this.#hasRaw = db.prepare<[number, number, number], number>("SELECT 1 FROM sample_raw WHERE series = ? AND at >= ? AND at < ? LIMIT 1").pluck();
    this.#hasMinute = db.prepare<[number, number, number], number>("SELECT 1 FROM sample_minute WHERE series = ? AND at >= ? AND at < ? LIMIT 1").pluck();
    const read = (step: RolledStep) => db.prepare<[number, number], RollupRow>(`SELECT min, max, last, last_offset_ms, sum, count FROM ${TIER_TABLES[step]} WHERE series = ? AND at = ?`);
    const put = (step: RolledStep) =>
      db.prepare<[number, number, number, number, number, number, number, number]>(`INSERT OR REPLACE INTO ${TIER_TABLES[step]} (series, at, min, max, last, last_offset_ms, sum, count) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#rollupOf = { [MINUTE_MS]: read(MINUTE_MS), [FIVE_MINUTES_MS]: read(FIVE_MINUTES_MS) };
    this.#putRollup = { [MINUTE_MS]: put(MINUTE_MS), [FIVE_MINUTES_MS]: put(FIVE_MINUTES_MS) };
  }

  /** Within the caller's transaction. Returns how many samples no tier can hold. */
  write(samples: readonly (Sample & { readonly node: string })[], nowMs: number): number {
    const rolledUntil = this.#rolledUntil.get() ?? 0;
    const oldest = nowMs - RETENTION.fiveMinutesMs;
    let skipped = 0;
    for (const sample of samples) {
      if (!Number.isFinite(sample.value) || !Number.isSafeInteger(sample.atMs) || sample.atMs < oldest) {
        skipped += 1;
        continue;
      }
      const series = this.#seriesOf(sample);
      if (sample.atMs < rolledUntil) this.#writeLate(series, sample.atMs, sample.value);
      else this.#insert.run(series, sample.atMs, sample.value);
    }
    return skipped;
  }

  /** Ids that a rolled-back transaction made, or that were deleted since, must not be used again. */
  forget(): void {
    this.#ids.clear();
  }

  #seriesOf({ node, signal, instance }: { readonly node: string; readonly signal: string; readonly instance: string }): number {
    const key = `${node}\n${signal}\n${instance}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    if (this.#ids.size >= MAX_SERIES_CACHED) this.#ids.clear();
    const id = this.#findSeries.get(node, signal, instance) ?? Number(this.#addSeries.run(node, signal, instance).lastInsertRowid);
    this.#ids.set(key, id);
    return id;
  }

  #writeLate(series: number, atMs: number, value: number): void {
    const minute = spanStart(atMs, MINUTE_MS);
    const five = spanStart(atMs, FIVE_MINUTES_MS);
    if (this.#rollupOf[FIVE_MINUTES_MS].get(series, five) !== undefined && this.#hasMinute.get(series, five, five + FIVE_MINUTES_MS) === undefined) {
      this.#mergeInto(FIVE_MINUTES_MS, series, five, rollupOf(atMs, value));
      return;
    }
    if (this.#rollupOf[MINUTE_MS].get(series, minute) !== undefined && this.#hasRaw.get(series, minute, minute + MINUTE_MS) === undefined) {
      this.#mergeInto(MINUTE_MS, series, minute, rollupOf(atMs, value));
      this.#markLate.run(series, FIVE_MINUTES_MS, five);
      return;
    }
    this.#insert.run(series, atMs, value);
    this.#markLate.run(series, MINUTE_MS, minute);
  }

  #mergeInto(step: RolledStep, series: number, at: number, late: Rollup): void {
    const row = this.#rollupOf[step].get(series, at);
    const merged = row === undefined ? late : mergeRollups({ ...row, lastMs: at + row.last_offset_ms }, late);
    this.#putRollup[step].run(series, at, merged.min, merged.max, merged.last, merged.lastMs - at, merged.sum, merged.count);
  }
}
