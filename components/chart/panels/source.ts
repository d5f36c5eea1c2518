import type { NodeDetail, Timeline } from "@/server/contract/schemas";
import { mergeGaps, type Gap } from "../geometry/gaps";
import { gridOf, holesOf, toGrid, type Grid, type GridSeries, type Series } from "../geometry/grid";
import type { Window } from "../geometry/range";

type Wire = Timeline["series"][number];

/** A timeline laid on one grid, with what each panel asks of it. Pure. */
export interface TimelineSource {
  readonly window: Window;
  readonly grid: Grid;
  readonly detail: NodeDetail;
  readonly timeline: Timeline;
  all(signal: string): readonly Wire[];
  one(signal: string): GridSeries;
  /** Gaps of the signals' source, and holes that all of these series share. */
  gaps(source: string, series: readonly GridSeries[]): readonly Gap[];
  /** Why a signal has no value now, in the collector's words. */
  reason(signal: string, instance?: string): string | undefined;
}

export function timelineSource(timeline: Timeline, detail: NodeDetail, window: Window, points: number): TimelineSource {
  const grid = gridOf(window, points, timeline.stepSeconds);
  const bySignal = new Map<string, Wire[]>();
  for (const series of timeline.series) {
    const known = bySignal.get(series.signal);
    if (known === undefined) bySignal.set(series.signal, [series]);
    else known.push(series);
  }
  const all = (signal: string): readonly Wire[] => bySignal.get(signal) ?? [];
  return {
    window,
    grid,
    detail,
    timeline,
    all,
    one: (signal) => toGrid(joined(all(signal)), grid),
    gaps: (source, series) => {
      const told = timeline.gaps.filter((gap) => gap.source === source).map((gap): Gap => ({ fromMs: Date.parse(gap.from), toMs: Date.parse(gap.to), reason: gap.reason }));
      const together: (number | undefined)[] = Array.from({ length: grid.count }, (_, column) => series.map((one) => one.last[column]).find((value) => value !== undefined));
      return mergeGaps(told, holesOf({ last: together }, grid), window);
    },
    reason: (signal, instance) => detail.signals.find((now) => now.signal === signal && (instance === undefined || now.instance === instance))?.reason,
  };
}

/** Series of one signal whose instances follow each other (a daemon's pods, one after the other) as one line. */
export function joined(parts: readonly Wire[]): Series | undefined {
  const [only] = parts;
  if (only === undefined) return undefined;
  if (parts.length === 1) return only;
  const points = parts.flatMap((part) => part.at.map((at, index) => ({ at, min: part.min[index] ?? 0, max: part.max[index] ?? 0, last: part.last[index] ?? 0 }))).sort((a, b) => a.at - b.at);
  return { at: points.map((point) => point.at), min: points.map((point) => point.min), max: points.map((point) => point.max), last: points.map((point) => point.last) };
}

/** Largest of many columns; `undefined` where none has a value. Spread arguments would overflow the stack on long ranges. */
export function highest(...columns: readonly (readonly (number | undefined)[])[]): number | undefined {
  let most: number | undefined;
  for (const column of columns) for (const value of column) if (value !== undefined && (most === undefined || value > most)) most = value;
  return most;
}
