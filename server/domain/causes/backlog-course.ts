import type { CauseInput, Point } from "./types";

/** How far back a fall is measured, and how long the span has to be at least: one pod more or less is no course. */
export const COURSE_MS = 300_000;
export const LEAST_COURSE_MS = 60_000;
/** A backlog that stood for so long was no burst that is being worked off. */
export const PLATEAU_MS = 120_000;
/** What still counts as standing. */
const STANDS = 0.95;

export interface Course {
  readonly fromMs: number;
  readonly from: number;
  readonly to: number;
  /** Pods a minute; 0 where it stands or rises. */
  readonly fallsPerMinute: number;
  /** At this rate; `undefined` where it does not fall. */
  readonly clearInSeconds?: number;
}

/**
 * How the number of waiting pods moved: down from its highest in the last COURSE_MS, the newest minute left out, to now. `undefined`
 * where it was not watched for long enough.
 */
export function backlogCourse(input: CauseInput): Course | undefined {
  const { nowMs } = input;
  const to = input.held.waiting;
  const old = input.trend("pods.waiting").filter(({ atMs }) => nowMs - atMs <= COURSE_MS && nowMs - atMs >= LEAST_COURSE_MS);
  const highest = old.reduce<Point | undefined>((best, point) => (best === undefined || point.value >= best.value ? point : best), undefined);
  if (highest === undefined) return undefined;
  const minutes = (nowMs - highest.atMs) / 60_000;
  const fallsPerMinute = Math.max(0, (highest.value - to) / minutes);
  return { fromMs: highest.atMs, from: highest.value, to, fallsPerMinute, ...(fallsPerMinute === 0 ? {} : { clearInSeconds: (to / fallsPerMinute) * 60 }) };
}

/** Whether at least so many pods waited, without becoming fewer, for PLATEAU_MS on end at some time that is still remembered. */
export function stoodStill(points: readonly Point[], atLeast: number): boolean {
  return points.some((from, index) => {
    if (from.value < atLeast) return false;
    for (const point of points.slice(index)) {
      if (point.value < from.value * STANDS) return false;
      if (point.atMs - from.atMs >= PLATEAU_MS) return true;
    }
    return false;
  });
}
