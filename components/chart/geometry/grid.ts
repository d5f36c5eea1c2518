import type { Window } from "./range";

/** Columns of one series, as the API sends them. */
export interface Series {
  readonly at: readonly number[];
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly last: readonly number[];
}

/** One series on the chart's own columns: `undefined` where nothing was told, which is never zero and never bridged. */
export interface GridSeries {
  readonly last: readonly (number | undefined)[];
  readonly min: readonly (number | undefined)[];
  readonly max: readonly (number | undefined)[];
}

export interface Grid {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly count: number;
}

/** The fastest source tells something every 15 s; a finer grid would be mostly holes. */
const FINEST_STEP_MS = 15_000;
/** A series may miss so many of its own periods before its line breaks. */
const PERIODS_HELD = 3;

/** The same instants for all series of a window, aligned to whole steps so that a live window does not shimmer. */
export function gridOf(window: Window, points: number, stepSeconds: number): Grid {
  const stepMs = Math.max(FINEST_STEP_MS, stepSeconds * 1_000, Math.ceil((window.toMs - window.fromMs) / points / FINEST_STEP_MS) * FINEST_STEP_MS);
  const fromMs = Math.floor(window.fromMs / stepMs) * stepMs;
  return { fromMs, stepMs, count: Math.max(1, Math.floor((window.toMs - fromMs) / stepMs) + 1) };
}

/** The slowest source that tells regularly; samples further apart are no period but a gap. */
const SLOWEST_PERIOD_MS = 60_000;

/** How long a value of this series stands for itself: three of its usual periods. */
export function heldMs(series: Series, grid: Pick<Grid, "stepMs">): number {
  const steps = series.at.slice(1).map((at, index) => at - (series.at[index] ?? at));
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  return PERIODS_HELD * Math.max(FINEST_STEP_MS, grid.stepMs, Math.min(usual, SLOWEST_PERIOD_MS));
}

/**
 * A series on the grid. A column takes the extremes and the last of what fell into it; a column into which nothing fell
 * repeats the value before, while that is younger than `heldMs`.
 */
export function toGrid(series: Series | undefined, grid: Grid): GridSeries {
  const last: (number | undefined)[] = new Array<undefined>(grid.count).fill(undefined);
  const min = [...last];
  const max = [...last];
  if (series === undefined) return { last, min, max };
  const held = heldMs(series, grid);
  let next = 0;
  let before: { at: number; value: number } | undefined;
  for (let column = 0; column < grid.count; column += 1) {
    const end = grid.fromMs + (column + 1) * grid.stepMs;
    let low: number | undefined;
    let high: number | undefined;
    for (; next < series.at.length && (series.at[next] ?? end) < end; next += 1) {
      const at = series.at[next] ?? 0;
      const value = series.last[next] ?? 0;
      before = { at, value };
      if (at < grid.fromMs) continue;
      low = Math.min(low ?? Infinity, series.min[next] ?? value);
      high = Math.max(high ?? -Infinity, series.max[next] ?? value);
    }
    if (low !== undefined && high !== undefined) {
      last[column] = before?.value;
      min[column] = low;
      max[column] = high;
    } else if (before !== undefined && end - grid.stepMs - before.at <= held && !startsGap(before.at, series.at[next], held)) {
      last[column] = min[column] = max[column] = before.value;
    }
  }
  return { last, min, max };
}

/** Whether the next sample is too far off for the last one to lean towards it: then the line breaks at once. */
const startsGap = (atMs: number, nextMs: number | undefined, held: number): boolean => nextMs !== undefined && nextMs - atMs > held;

/**
 * Stretches of the grid in which a series told nothing. A short one at the very start is none: the value that it held
 * was told before the range.
 */
export function holesOf(series: Pick<GridSeries, "last">, grid: Grid): readonly Window[] {
  const holes: { fromMs: number; toMs: number }[] = [];
  series.last.forEach((value, column) => {
    if (value !== undefined) return;
    const fromMs = grid.fromMs + column * grid.stepMs;
    const open = holes.at(-1);
    if (open !== undefined && open.toMs === fromMs) open.toMs = fromMs + grid.stepMs;
    else holes.push({ fromMs, toMs: fromMs + grid.stepMs });
  });
  const [first] = holes;
  return first?.fromMs === grid.fromMs && first.toMs - first.fromMs < PERIODS_HELD * grid.stepMs ? holes.slice(1) : holes;
}

/** The column of an instant, if the grid has it. */
export function columnAt(grid: Grid, atMs: number): number | undefined {
  const column = Math.floor((atMs - grid.fromMs) / grid.stepMs);
  return column >= 0 && column < grid.count ? column : undefined;
}

/** The newest value of a series on the grid: what "now" reads, if the series still speaks. */
export function newest(values: readonly (number | undefined)[]): number | undefined {
  return values.at(-1) ?? values.at(-2);
}
