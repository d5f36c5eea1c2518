import type { Window } from "./range";

/** A hatched stretch of a chart. */
export interface Gap extends Window {
  readonly reason: string;
}

/** Share of the plot from which on a gap carries its words. */
export const LABEL_FROM_SHARE = 0.055;

/** Up to here limits and notes carry their labels: a gap's own would stand under them. */
export const LIMIT_LABEL_SHARE = 0.14;

/**
 * Gaps of a chart: what the sources admit to, and holes in the series that no source explains. Overlapping ones become
 * one, which keeps the first reason that says more than "no data"; everything is cut to the window.
 */
export function mergeGaps(told: readonly Gap[], holes: readonly Window[], window: Window): readonly Gap[] {
  const all = [...told, ...holes.map((hole): Gap => ({ ...hole, reason: NO_DATA }))]
    .map((gap) => ({ ...gap, fromMs: Math.max(gap.fromMs, window.fromMs), toMs: Math.min(gap.toMs, window.toMs) }))
    .filter((gap) => gap.toMs > gap.fromMs)
    .sort((a, b) => a.fromMs - b.fromMs);
  const merged: { fromMs: number; toMs: number; reason: string }[] = [];
  for (const gap of all) {
    const open = merged.at(-1);
    if (open === undefined || gap.fromMs > open.toMs) merged.push({ ...gap });
    else {
      open.toMs = Math.max(open.toMs, gap.toMs);
      if (open.reason === NO_DATA) open.reason = gap.reason;
    }
  }
  return merged;
}

export const NO_DATA = "no data";
