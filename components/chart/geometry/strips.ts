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
