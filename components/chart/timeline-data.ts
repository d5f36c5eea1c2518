import type { Timeline } from "@/server/contract/schemas";
import type { SignalId } from "@/server/domain/signals";

/** What the node page draws; one answer of the API holds all of it. */
export const TIMELINE_SIGNALS = [
  "pods.waiting",
  "sandbox.backlog",
  "cri.run_sandbox.p50.low",
  "cri.run_sandbox.p50.high",
  "cri.run_sandbox.p95.low",
  "cri.run_sandbox.p95.high",
  "cri.run_sandbox.p99.low",
  "cri.run_sandbox.p99.high",
  "cri.run_sandbox.calls",
  "daemon.cpu.throttled_share",
  "daemon.cpu.psi_share",
  "daemon.cpu.limit",
  "daemon.memory.working_set",
  "daemon.memory.limit",
  "daemon.restarts",
  "socket.state",
  "socket.latency",
] as const satisfies readonly SignalId[];

/** Points of one series; as many as a wide plot has pixels to show them. */
export const TIMELINE_POINTS = 720;
/** The tail of a live timeline is asked for again from this much earlier: late samples and events still find their place. */
export const TAIL_OVERLAP_MS = 120_000;

/** A timeline with a newer tail in place of its end, cut at the front to the same length. */
export function appendTail(timeline: Timeline, tail: Timeline): Timeline {
  const cut = Date.parse(tail.from);
  const toMs = Date.parse(tail.to);
  const fromMs = Math.max(Date.parse(timeline.from), toMs - (Date.parse(timeline.to) - Date.parse(timeline.from)));
  const from = new Date(fromMs).toISOString();
  const before = new Map(timeline.series.map((series) => [keyOf(series), series]));
  const now = new Map(tail.series.map((series) => [keyOf(series), series]));
  const series = [...new Map([...before, ...now])].map(([key, shape]) => joinSeries(shape, before.get(key), now.get(key), fromMs, cut));
  return {
    ...timeline,
    from,
    to: tail.to,
    // Each pod of a daemon has series of its own: on a page that stays open those of pods long gone would never end.
    series: series.filter((one) => one.at.length > 0 || now.has(keyOf(one))),
    gaps: joinSpans(timeline.gaps, tail.gaps, fromMs, cut, (a, b) => a.source === b.source && a.reason === b.reason),
    answers: joinSpans(timeline.answers, tail.answers, fromMs, cut, (a, b) => a.state === b.state && a.atRisk === b.atRisk && a.idle === b.idle),
    events: [...timeline.events.filter((event) => Date.parse(event.at) < cut && Date.parse(event.at) >= fromMs), ...tail.events].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    eventsTruncated: timeline.eventsTruncated || tail.eventsTruncated,
  };
}

type Wire = Timeline["series"][number];
const keyOf = (series: Wire): string => `${series.signal} ${series.instance}`;

function joinSeries(shape: Wire, old: Wire | undefined, tail: Wire | undefined, fromMs: number, cut: number): Wire {
  const start = old === undefined ? 0 : firstAtOrAfter(old.at, fromMs);
  const end = old === undefined ? 0 : firstAtOrAfter(old.at, cut);
  const join = (column: "at" | "min" | "max" | "last"): number[] => [...(old?.[column].slice(start, end) ?? []), ...(tail?.[column] ?? [])];
  return { ...shape, at: join("at"), min: join("min"), max: join("max"), last: join("last") };
}

function firstAtOrAfter(times: readonly number[], ms: number): number {
  const found = times.findIndex((at) => at >= ms);
  return found === -1 ? times.length : found;
}

interface Span {
  readonly from: string;
  readonly to: string;
}

/** Spans before the cut end at it; one that goes on in the tail is one span again. */
function joinSpans<T extends Span>(old: readonly T[], tail: readonly T[], fromMs: number, cut: number, same: (a: T, b: T) => boolean): T[] {
  const kept = old
    .filter((span) => Date.parse(span.from) < cut && Date.parse(span.to) > fromMs)
    .map((span) => (Date.parse(span.to) > cut ? { ...span, to: new Date(cut).toISOString() } : span));
  const joined: T[] = [...kept];
  for (const span of tail) {
    const at = joined.findIndex((other) => same(other, span) && Date.parse(other.to) >= Date.parse(span.from) - 1 && Date.parse(other.to) <= Date.parse(span.to));
    const before = joined[at];
    if (before === undefined) joined.push(span);
    else joined[at] = { ...span, from: before.from };
  }
  return joined;
}
