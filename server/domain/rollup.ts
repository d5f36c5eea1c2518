/**
 * Arithmetic of rolled-up samples. A rollup is what is kept of the samples of one span: enough that a spike of one
 * sample survives (min, max), that a mean can be formed (sum, count), and that rollups of parts give that of the whole.
 */
export interface Rollup {
  readonly min: number;
  readonly max: number;
  readonly last: number;
  /** When the last sample was, UTC ms. */
  readonly lastMs: number;
  readonly sum: number;
  readonly count: number;
}

export interface TimedRollup extends Rollup {
  /** Start of the span, UTC ms. */
  readonly atMs: number;
}

/** The rollup of a single sample; value in the unit of its signal. */
export function rollupOf(atMs: number, value: number): Rollup {
  return { min: value, max: value, last: value, lastMs: atMs, sum: value, count: 1 };
}

/**
 * Both as one. The order of the two does not matter, nor how a whole was cut into parts, but for the rounding of `sum`.
 * Of two samples at the same time the greater counts as last, so that this stays so.
 */
export function mergeRollups(a: Rollup, b: Rollup): Rollup {
  const later = a.lastMs > b.lastMs || (a.lastMs === b.lastMs && a.last >= b.last) ? a : b;
  return {
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    last: later.last,
    lastMs: later.lastMs,
    sum: a.sum + b.sum,
    count: a.count + b.count,
  };
}

/** Start of the span of `stepMs` that holds `atMs`; spans are counted from 1970, so they never depend on a query. */
export function spanStart(atMs: number, stepMs: number): number {
  return Math.floor(atMs / stepMs) * stepMs;
}

/** Parts, in any order, brought into spans of `stepMs`; ascending by time. A span without a part is not there: no data is never zero. */
export function rollUp(parts: Iterable<TimedRollup>, stepMs: number): TimedRollup[] {
  const spans = new Map<number, TimedRollup>();
  for (const part of parts) {
    const atMs = spanStart(part.atMs, stepMs);
    const held = spans.get(atMs);
    spans.set(atMs, held === undefined ? { ...part, atMs } : { ...mergeRollups(held, part), atMs });
  }
  return [...spans.values()].sort((a, b) => a.atMs - b.atMs);
}
