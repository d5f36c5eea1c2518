import type { Timeline } from "@/server/contract/schemas";

const WIDTH = 100;
const HEIGHT = 28;
/** A break longer than this many of the series' own steps is a gap. */
const MAX_STEPS_BETWEEN = 3;
const MIN_STEP_MS = 15_000;
/** Samples further apart than this are no period of a source but a gap. */
const MAX_STEP_MS = 60_000;
const HATCH_EVERY = 2.4;

export interface SparkShape {
  readonly lines: readonly string[];
  readonly areas: readonly string[];
  readonly gaps: readonly { readonly from: number; readonly hatch: string }[];
  readonly most: number | undefined;
}

/** One line for each stretch with data, never across a gap; the highest value of each step counts. */
export function sparkOf(timeline: Pick<Timeline, "from" | "to" | "stepSeconds" | "series">): SparkShape {
  const from = Date.parse(timeline.from);
  const to = Date.parse(timeline.to);
  const series = timeline.series.find((item) => item.signal === "pods.waiting");
  const points = (series?.at ?? []).map((at, index) => ({ at, value: series?.max[index] ?? 0 }));
  if (points.length === 0) return { lines: [], areas: [], gaps: [{ from: 0, hatch: hatch(0, WIDTH) }], most: undefined };
  const most = Math.max(...points.map((point) => point.value));
  const x = (at: number): number => ((at - from) / (to - from)) * WIDTH;
  const y = (value: number): number => HEIGHT - 1 - (value / Math.max(1, most)) * (HEIGHT - 3);
  const tolerance = MAX_STEPS_BETWEEN * Math.max(MIN_STEP_MS, timeline.stepSeconds * 1_000, Math.min(MAX_STEP_MS, typicalStep(points.map((point) => point.at))));
  const runs: { at: number; value: number }[][] = [];
  for (const point of points) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run === undefined || before === undefined || point.at - before.at > tolerance) runs.push([point]);
    else run.push(point);
  }
  const edges = [from, ...runs.flatMap((run) => [run[0]?.at ?? from, run.at(-1)?.at ?? to]), to];
  const gaps: { from: number; hatch: string }[] = [];
  for (let index = 0; index < edges.length; index += 2) {
    const start = edges[index] ?? from;
    const end = edges[index + 1] ?? to;
    if (end - start > tolerance) gaps.push({ from: start, hatch: hatch(x(start), x(end)) });
  }
  const text = (run: readonly { at: number; value: number }[]): string => run.map((point, index) => `${index === 0 ? "M" : "L"}${round(x(point.at))} ${round(y(point.value))}`).join("");
  return {
    lines: runs.map(text),
    areas: runs.map((run) => `${text(run)}L${round(x(run.at(-1)?.at ?? to))} ${HEIGHT}L${round(x(run[0]?.at ?? from))} ${HEIGHT}Z`),
    gaps,
    most,
  };
}

function typicalStep(times: readonly number[]): number {
  const steps = times.slice(1).map((at, index) => at - (times[index] ?? at)).sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? 0;
}

function hatch(from: number, to: number): string {
  const strokes: string[] = [];
  for (let at = from + HATCH_EVERY / 2; at < to; at += HATCH_EVERY) strokes.push(`M${round(at)} 0V${HEIGHT}`);
  return strokes.join("");
}

const round = (value: number): number => Math.round(value * 100) / 100;
