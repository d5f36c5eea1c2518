import { rollUp, rollupOf, spanStart, type TimedRollup } from "../../domain/rollup";
import type { Db, Statement } from "../sqlite/connection";
import { FIVE_MINUTES_MS, LATENESS_MS, MINUTE_MS, TIER_TABLES, type RolledStep } from "../tiers";
import { RETENTION } from "../types";

/** A step ends after so many series or rows, whichever comes first; one series is never split. A few milliseconds. */
export const SERIES_PER_STEP = 256;
export const ROWS_PER_STEP = 4_000;

interface Pass {
  readonly doneMs: number;
  readonly untilMs: number;
  readonly cursor: number;
  readonly rawFloor: number;
  readonly minuteFloor: number;
  readonly fiveFloor: number;
}

interface ProgressRow {
  readonly done_ms: number;
  readonly until_ms: number;
  readonly cursor: number;
  readonly raw_floor_ms: number;
  readonly minute_floor_ms: number;
  readonly five_floor_ms: number;
  readonly raw_gone_ms: number;
  readonly minute_gone_ms: number;
}

/**
 * One pass over all series: samples into minutes, minutes into five minutes, then what each tier no longer keeps is
 * deleted. A span is always computed whole from the finer rows while those are there, so doing it again gives the same
 * rows. Where the pass stands is stored with each step: after a kill it goes on there.
 */
export function* rollupPass(db: Db, nowMs: number): Generator<void, void, void> {
  const visit = new SeriesVisit(db);
  const nextSeries = db.prepare<[number], { id: number; node: string }>("SELECT id, node FROM series WHERE id > ? ORDER BY id LIMIT 1");
  const saveCursor = db.prepare<[number]>("UPDATE rollup_progress SET cursor = ? WHERE id = 1");
  const pass = beginPass(db, nowMs);
  const kept = new KeptStretches(db, pass.rawFloor);
  const step = db.transaction((from: number): number | undefined => {
    let cursor = from;
    let rows = 0;
    for (let visited = 0; visited < SERIES_PER_STEP && rows < ROWS_PER_STEP; visited += 1) {
      const series = nextSeries.get(cursor);
      if (series === undefined) {
        db.prepare("UPDATE rollup_progress SET done_ms = until_ms, cursor = 0 WHERE id = 1").run();
        return undefined;
      }
      rows += visit.run(series.id, pass, kept.of(series.node));
      cursor = series.id;
    }
    saveCursor.run(cursor);
    return cursor;
  });
  let cursor: number | undefined = pass.cursor;
  for (;;) {
    cursor = step.immediate(cursor);
    if (cursor === undefined) return;
    yield;
  }
}

/** Goes on with a pass that was cut short, else starts one up to the newest five minutes that are surely over. */
function beginPass(db: Db, nowMs: number): Pass {
  return db
    .transaction((): Pass => {
      const row = db.prepare<[], ProgressRow>("SELECT done_ms, until_ms, cursor, raw_floor_ms, minute_floor_ms, five_floor_ms, raw_gone_ms, minute_gone_ms FROM rollup_progress WHERE id = 1").get();
      if (row !== undefined && row.cursor > 0)
        return { doneMs: row.done_ms, untilMs: row.until_ms, cursor: row.cursor, rawFloor: row.raw_floor_ms, minuteFloor: row.minute_floor_ms, fiveFloor: row.five_floor_ms };
      const doneMs = row?.done_ms ?? 0;
      // A clock that went back does not take back what is rolled up; new samples then count as late ones.
      const untilMs = Math.max(doneMs, spanStart(nowMs - LATENESS_MS, FIVE_MINUTES_MS));
      const floor = (keptMs: number): number => spanStart(nowMs - keptMs, FIVE_MINUTES_MS);
      const pass = { doneMs, untilMs, cursor: 0, rawFloor: Math.min(floor(RETENTION.rawMs), untilMs), minuteFloor: floor(RETENTION.minuteMs), fiveFloor: floor(RETENTION.fiveMinutesMs) };
      const gone = [Math.max(pass.rawFloor, row?.raw_gone_ms ?? 0), Math.max(pass.minuteFloor, row?.minute_gone_ms ?? 0)];
      db.prepare("INSERT OR REPLACE INTO rollup_progress (id, done_ms, until_ms, cursor, raw_floor_ms, minute_floor_ms, five_floor_ms, raw_gone_ms, minute_gone_ms) VALUES (1, ?, ?, 0, ?, ?, ?, ?, ?)")
        .run(pass.doneMs, pass.untilMs, pass.rawFloor, pass.minuteFloor, pass.fiveFloor, ...gone);
      return pass;
    })
    .immediate();
}

type RollupColumns = [at: number, min: number, max: number, last: number, lastOffsetMs: number, sum: number, count: number];

class SeriesVisit {
  readonly #raw: Statement<[number, number, number], [at: number, value: number]>;
  readonly #minutes: Statement<[number, number, number], RollupColumns>;
  readonly #put: Record<RolledStep, Statement<[number, ...RollupColumns]>>;
  readonly #late: Statement<[number, number], number>;
  readonly #clearLate: Statement<[number]>;
  readonly #deleteBetween: Statement<[number, number, number]>;
  readonly #delete: Record<"sample_raw" | "sample_minute" | "sample_five_minutes", Statement<[number, number]>>;

  constructor(db: Db) {
    this.#raw = db.prepare<[number, number, number], [number, number]>("SELECT at, value FROM sample_raw WHERE series = ? AND at >= ? AND at < ?").raw();
    this.#minutes = db.prepare<[number, number, number], RollupColumns>("SELECT at, min, max, last, last_offset_ms, sum, count FROM sample_minute WHERE series = ? AND at >= ? AND at < ?").raw();
    const put = (step: RolledStep) => db.prepare<[number, ...RollupColumns]>(`INSERT OR REPLACE INTO ${TIER_TABLES[step]} (series, at, min, max, last, last_offset_ms, sum, count) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#put = { [MINUTE_MS]: put(MINUTE_MS), [FIVE_MINUTES_MS]: put(FIVE_MINUTES_MS) };
    this.#late = db.prepare<[number, number], number>("SELECT at FROM rollup_late WHERE series = ? AND step = ?").pluck();
    this.#clearLate = db.prepare("DELETE FROM rollup_late WHERE series = ?");
    const drop = (table: string) => db.prepare<[number, number]>(`DELETE FROM ${table} WHERE series = ? AND at < ?`);
    this.#deleteBetween = db.prepare("DELETE FROM sample_raw WHERE series = ? AND at >= ? AND at < ?");
    this.#delete = { sample_raw: drop("sample_raw"), sample_minute: drop("sample_minute"), sample_five_minutes: drop("sample_five_minutes") };
  }

  /** Returns how many rows were read, written or deleted. */
  run(series: number, pass: Pass, kept: readonly Stretch[]): number {
    let rows = 0;
    const fives = new Set(this.#late.all(series, FIVE_MINUTES_MS));
    const minutes = (fromMs: number, toMs: number): void => {
      const raw = this.#raw.all(series, fromMs, toMs);
      for (const minute of rollUp(raw.map(([at, value]) => ({ atMs: at, ...rollupOf(at, value) })), MINUTE_MS)) {
        this.#write(MINUTE_MS, series, minute);
        fives.add(spanStart(minute.atMs, FIVE_MINUTES_MS));
      }
      rows += raw.length;
    };
    for (const minute of this.#late.all(series, MINUTE_MS)) if (minute < pass.doneMs) minutes(minute, minute + MINUTE_MS);
    minutes(pass.doneMs, pass.untilMs);
    for (const five of fives) {
      const parts = this.#minutes.all(series, five, five + FIVE_MINUTES_MS).map(([at, min, max, last, lastOffsetMs, sum, count]): TimedRollup => ({ atMs: at, min, max, last, lastMs: at + lastOffsetMs, sum, count }));
      for (const span of rollUp(parts, FIVE_MINUTES_MS)) this.#write(FIVE_MINUTES_MS, series, span);
      rows += parts.length;
    }
    rows += this.#clearLate.run(series).changes;
    rows += this.#dropRaw(series, pass.rawFloor, kept);
    rows += this.#delete.sample_minute.run(series, pass.minuteFloor).changes;
    rows += this.#delete.sample_five_minutes.run(series, pass.fiveFloor).changes;
    return rows;
  }

  /** What lies in a kept stretch stays. Its edges are whole five minutes, so that raw samples of a span go all or none. */
  #dropRaw(series: number, floor: number, kept: readonly Stretch[]): number {
    if (kept.length === 0) return this.#delete.sample_raw.run(series, floor).changes;
    let rows = 0;
    let from = Number.MIN_SAFE_INTEGER;
    for (const stretch of kept) {
      if (stretch.fromMs > from) rows += this.#deleteBetween.run(series, from, Math.min(stretch.fromMs, floor)).changes;
      from = Math.max(from, stretch.toMs);
    }
    return from < floor ? rows + this.#deleteBetween.run(series, from, floor).changes : rows;
  }

  #write(step: RolledStep, series: number, span: TimedRollup): void {
    this.#put[step].run(series, span.atMs, span.min, span.max, span.last, span.lastMs - span.atMs, span.sum, span.count);
  }
}

/** Stretches whose raw samples are kept with an incident, of one node at a time: series of a node mostly lie side by side. */
class KeptStretches {
  readonly #any: boolean;
  readonly #read: Statement<[string, number], Stretch>;
  #node: string | undefined;
  #stretches: readonly Stretch[] = [];

  constructor(
    db: Db,
    private readonly floor: number,
  ) {
    this.#any = db.prepare("SELECT 1 FROM incident_kept LIMIT 1").get() !== undefined;
    this.#read = db.prepare<[string, number], Stretch>("SELECT from_ms AS fromMs, to_ms AS toMs FROM incident_kept WHERE node = ? AND from_ms < ? ORDER BY from_ms");
  }

  of(node: string): readonly Stretch[] {
    if (!this.#any) return NONE;
    if (this.#node !== node) {
      this.#stretches = this.#read.all(node, this.floor);
      this.#node = node;
    }
    return this.#stretches;
  }
}

const NONE: readonly Stretch[] = [];

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}
