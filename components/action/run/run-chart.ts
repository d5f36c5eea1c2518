import { mergeGaps, type Gap } from "@/components/chart/geometry/gaps";
import { gridOf, holesOf, toGrid, type Grid } from "@/components/chart/geometry/grid";
import { linePaths } from "@/components/chart/geometry/line-path";
import type { Window } from "@/components/chart/geometry/range";
import { axisFor, shareOf, type Scale } from "@/components/chart/geometry/scale";
import type { ActionRunOut, Timeline } from "@/server/contract/schemas";
import { CHECK_MINUTES, checkLabel } from "../run-state";

const MINUTE_MS = 60_000;
/** How it was going before the run. */
const BEFORE_MS = 10 * MINUTE_MS;
/** A little more than the last check, so that its mark stands inside. */
const AFTER_LAST_MS = MINUTE_MS / 2;
const POINTS = 240;

/** From ten minutes before the run to its last check; before the change is seen, to where that would be if it were seen now. */
export function chartWindow(run: Pick<ActionRunOut, "started" | "seen" | "verifications">, nowMs: number): Window {
  const last = run.verifications.at(-1);
  const lastMs = last === undefined ? nowMs + (CHECK_MINUTES.at(-1) ?? 0) * MINUTE_MS : Date.parse(last.due);
  return { fromMs: Date.parse(run.started) - BEFORE_MS, toMs: lastMs + AFTER_LAST_MS };
}

export interface Pin {
  readonly label: string;
  readonly share: number;
  readonly done: boolean;
}

/** Marks on the chart: the run, when the change was seen, and each check. */
export function pinsOf(run: ActionRunOut, window: Window): readonly Pin[] {
  const at = (label: string, iso: string, done: boolean): Pin => ({ label, share: shareOf(Date.parse(iso), window), done });
  return [at("run", run.started, true), ...run.verifications.map((check) => at(checkLabel(run, check).replace(" min", ""), check.due, check.verdict !== undefined))];
}

export interface RunDrawing {
  readonly grid: Grid;
  readonly scale: Scale;
  readonly waiting: ReturnType<typeof linePaths> & { readonly now: number | undefined };
  readonly dead: ReturnType<typeof linePaths> & { readonly now: number | undefined };
  /** Stretches up to now in which neither was told. */
  readonly gaps: readonly Gap[];
}

/** Waiting pods and dead sandboxes as paths of a 1000 × 100 box over the whole window, of which only a part has passed. */
export function drawRun(timeline: Timeline, window: Window): RunDrawing {
  const passed = { fromMs: window.fromMs, toMs: Math.min(window.toMs, Date.parse(timeline.to)) };
  const grid = gridOf(passed, POINTS, timeline.stepSeconds);
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
