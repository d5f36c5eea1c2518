import type { GridSeries, Grid } from "./grid";
import type { Window } from "./range";

/** A stretch with one value. */
export interface Run<T> extends Window {
  readonly value: T;
}

/** Neighbouring columns with the same value as one run; columns without a value are a run of `undefined`. */
export function runsOf(series: Pick<GridSeries, "max">, grid: Grid, window: Window): readonly Run<number | undefined>[] {
  const runs: { fromMs: number; toMs: number; value: number | undefined }[] = [];
  series.max.forEach((value, column) => {
    const fromMs = Math.max(window.fromMs, grid.fromMs + column * grid.stepMs);
    const toMs = Math.min(window.toMs, grid.fromMs + (column + 1) * grid.stepMs);
    if (toMs <= fromMs) return;
    const open = runs.at(-1);
    if (open !== undefined && open.value === value) open.toMs = toMs;
    else runs.push({ fromMs, toMs, value });
  });
  return runs;
}

/** Spans cut to the window, in order of time. */
export function clipSpans<T extends Window>(spans: readonly T[], window: Window): readonly T[] {
  return spans
    .map((span) => ({ ...span, fromMs: Math.max(span.fromMs, window.fromMs), toMs: Math.min(span.toMs, window.toMs) }))
    .filter((span) => span.toMs > span.fromMs)
    .sort((a, b) => a.fromMs - b.fromMs);
}

/** Neighbouring spans that say the same as one; the first one's words stand for it. */
export function mergeSame<T extends Window>(spans: readonly T[], same: (a: T, b: T) => boolean): readonly T[] {
  const merged: T[] = [];
  for (const span of spans) {
    const before = merged.at(-1);
    if (before !== undefined && span.fromMs - before.toMs <= TOUCHING_MS && same(before, span)) merged[merged.length - 1] = { ...before, toMs: span.toMs };
    else merged.push(span);
  }
  return merged;
}

/** Ends and starts of neighbours may differ by the milliseconds between two judgements. */
const TOUCHING_MS = 1_000;

/** What lies between spans and before the first: nobody judged then. The stretch after the last one is not yet. */
export function unspanned(spans: readonly Window[], window: Window): readonly Window[] {
  const empty: Window[] = [];
  let reached = window.fromMs;
  for (const span of spans) {
    if (span.fromMs > reached) empty.push({ fromMs: reached, toMs: span.fromMs });
    reached = Math.max(reached, span.toMs);
  }
  return empty;
}
