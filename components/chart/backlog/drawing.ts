import { mergeGaps, type Gap } from "../geometry/gaps";
import { gridOf, holesOf, toGrid, type Grid } from "../geometry/grid";
import { linePaths } from "../geometry/line-path";
import type { Window } from "../geometry/range";
import { axisFor, type Scale } from "../geometry/scale";
import type { Timeline } from "@/server/contract/schemas";

/** What a chart of the backlog asks a timeline for. */
export const BACKLOG_SIGNALS = "pods.waiting,sandbox.backlog";
export const BACKLOG_POINTS = 240;

export interface BacklogDrawing {
  readonly grid: Grid;
  readonly scale: Scale;
  readonly waiting: ReturnType<typeof linePaths> & { readonly now: number | undefined };
  readonly dead: ReturnType<typeof linePaths> & { readonly now: number | undefined };
  /** Stretches up to now in which the number of waiting pods was not told. */
  readonly gaps: readonly Gap[];
}

/** Waiting pods and dead sandboxes as paths of a 1000 × 100 box over the whole window, of which only a part has passed. */
export function drawBacklog(timeline: Timeline, window: Window): BacklogDrawing {
  const passed = { fromMs: window.fromMs, toMs: Math.min(window.toMs, Date.parse(timeline.to)) };
  const grid = gridOf(passed, BACKLOG_POINTS, timeline.stepSeconds);
  const series = (signal: string) => toGrid(timeline.series.find((one) => one.signal === signal), grid);
  const waiting = series("pods.waiting");
  const dead = series("sandbox.backlog");
  const told = [...waiting.max, ...dead.max].filter((value) => value !== undefined);
  const scale = axisFor("count", Math.max(0, ...told));
  return {
    grid,
    scale,
    waiting: { ...linePaths(waiting, grid, window, scale.max), now: waiting.last.at(-1) ?? waiting.last.at(-2) },
    dead: { ...linePaths(dead, grid, window, scale.max), now: dead.last.at(-1) ?? dead.last.at(-2) },
    gaps: mergeGaps([], holesOf(waiting, grid), passed),
  };
}
