import type { Grid, GridSeries } from "./grid";
import type { Window } from "./range";
import { shareOf } from "./scale";

/** SVG paths of one series in a box of 1000 × 100: one for each stretch with data. */
export function linePaths(series: GridSeries, grid: Grid, window: Window, max: number): { readonly lines: readonly string[]; readonly areas: readonly string[] } {
  const runs: { x: number; y: number }[][] = [];
  series.max.forEach((value, column) => {
    if (value === undefined) return;
    const x = shareOf(grid.fromMs + column * grid.stepMs, window) * 1_000;
    const point = { x, y: 100 - (value / Math.max(1e-9, max)) * 98 };
    if (column > 0 && series.max[column - 1] !== undefined) runs.at(-1)?.push(point);
    else runs.push([point]);
  });
  const text = (run: readonly { x: number; y: number }[]): string => run.map((point, index) => `${index === 0 ? "M" : "L"}${round(point.x)} ${round(point.y)}`).join("");
  return { lines: runs.map(text), areas: runs.map((run) => `${text(run)}L${round(run.at(-1)?.x ?? 0)} 100L${round(run[0]?.x ?? 0)} 100Z`) };
}

const round = (value: number): number => Math.round(value * 10) / 10;
