import { formatSecondsRange } from "@/components/format/numbers";
import { formatDuration } from "@/components/format/time";
import { newest } from "../geometry/grid";
import { axisFor } from "../geometry/scale";
import { highest, type TimelineSource } from "./source";
import type { BandSeries, ChartPanel, Stroke } from "./types";

const HEIGHT_PX = 122;
/** Room above the deadline and above what only has a lower edge. */
const HEADROOM = 1.2;

/** RunPodSandbox percentiles as the ranges that they are, against the kubelet's deadline. */
export function latencyPanel(source: TimelineSource): ChartPanel {
  const calls = source.one("cri.run_sandbox.calls");
  const bands = [
    band(source, calls.last, "p50", { token: "s-p50", width: 1 }),
    band(source, calls.last, "p95", { token: "s-p95", width: 1.75 }),
    band(source, calls.last, "p99", { token: "s-p99", width: 1.5, dash: "5 3" }),
  ];
  const { seconds, assumed } = source.detail.deadline;
  const lows = bands.map((one) => one.low);
  const openLow = highest(...bands.map((one) => one.low.map((low, column) => (one.high[column] === undefined ? low : undefined))));
  const top = Math.max(seconds * HEADROOM, highest(...bands.map((one) => one.high)) ?? 0, (openLow ?? 0) * HEADROOM);
  // One place for the whole picture: a column without a percentile but with a count of 0 calls is no gap.
  const told = { last: calls.last.map((count, column) => count ?? lows.map((low) => low[column]).find((low) => low !== undefined)), min: calls.min, max: calls.max };
  const quiet = lows.every((low) => low.every((value) => value === undefined)) && calls.last.some((count) => count === 0);
  return {
    id: "latency",
    title: "RunPodSandbox latency",
    unit: "seconds",
    heightPx: HEIGHT_PX,
    scale: axisFor("seconds", top),
    series: bands,
    limits: [
      {
        value: seconds,
        label: `deadline ${formatDuration(seconds)}${assumed ? ", assumed" : ""}`,
        text: formatDuration(seconds, "short"),
        title: assumed ? "The kubelet's runtimeRequestTimeout could not be read; twice its default of 2 min is assumed" : "Twice the kubelet's runtimeRequestTimeout, read from /configz",
      },
    ],
    gaps: source.gaps("kubelet", [told]),
    ceilings: ceilings(bands, source),
    oomKills: [],
    ...(quiet ? { note: "No call finished in this range" } : {}),
  };
}

function band(source: TimelineSource, calls: readonly (number | undefined)[], percentile: string, stroke: Stroke): BandSeries {
  const low = source.one(`cri.run_sandbox.${percentile}.low`).last;
  const high = source.one(`cri.run_sandbox.${percentile}.high`).last;
  // A percentile belongs to its calls: where none finished, an older value does not stand.
  const lowWithCalls = low.map((value, column) => (calls[column] === 0 ? undefined : value));
  const highWithCalls = high.map((value, column) => (lowWithCalls[column] === undefined || (value !== undefined && value < (lowWithCalls[column] ?? 0)) ? undefined : value));
  const text = (lower: number | undefined, upper: number | undefined, count: number | undefined): string =>
    lower !== undefined ? formatSecondsRange(lower, upper) : count === 0 ? "no calls" : "no data";
  return {
    kind: "band",
    id: percentile,
    label: percentile,
    stroke,
    low: lowWithCalls,
    high: highWithCalls,
    textAt: (column) => text(lowWithCalls[column], highWithCalls[column], calls[column]),
    now: nowText(lowWithCalls, highWithCalls, calls, text),
  };
}

function nowText(low: readonly (number | undefined)[], high: readonly (number | undefined)[], calls: readonly (number | undefined)[], text: (low: number | undefined, high: number | undefined, count: number | undefined) => string): string {
  const at = low.at(-1) !== undefined || calls.at(-1) !== undefined ? -1 : -2;
  return text(low.at(at), high.at(at), newest(calls));
}

/** Stretches in which a percentile lies above the last bucket: only its lower edge is known. */
function ceilings(bands: readonly BandSeries[], { grid }: TimelineSource): ChartPanel["ceilings"] {
  const found: { fromMs: number; toMs: number; from: number; label: string }[] = [];
  for (let column = 0; column < grid.count; column += 1) {
    const open = bands.flatMap((one) => (one.low[column] !== undefined && one.high[column] === undefined ? [one.low[column] ?? 0] : []));
    if (open.length === 0) continue;
    const from = Math.min(...open);
    const fromMs = grid.fromMs + column * grid.stepMs;
    const last = found.at(-1);
    if (last !== undefined && last.toMs === fromMs && last.from === from) last.toMs = fromMs + grid.stepMs;
    else found.push({ fromMs, toMs: fromMs + grid.stepMs, from, label: `> ${Math.round(from)} s` });
  }
  return found;
}
