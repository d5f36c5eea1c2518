import { rollUp, type TimedRollup } from "../../domain/rollup";
import { isSignalId, type SignalId } from "../../domain/signals";
import { MAX_TIMELINE_EVENTS, MAX_TIMELINE_POINTS, type NodeTimeline, type TimelineSeries } from "../../domain/timeline";
import { FIVE_MINUTES_MS, MINUTE_MS } from "../tiers";
import type { Reader } from "../types";
import { answerSpans } from "./answers";
import { collectorGaps } from "./collector-gaps";
import { timelineEvents } from "./events";
import { timelineGaps } from "./gaps";
import { readFives, readMinutes, readProgress, readRaw, rollUpRaw, type BaseStep, type Progress } from "./samples";
import type { Query } from "./source";

/** Most series of one node that one answer looks at: 27 signals, several of them by container or socket. */
export const MAX_TIMELINE_SERIES = 500;
const MIN_POINTS = 2;
const SECOND_MS = 1_000;

export interface SeriesRow {
  readonly id: number;
  readonly signal: string;
  readonly instance: string;
}

export function readTimeline(query: Query, asked: Parameters<Reader["timeline"]>[0]): NodeTimeline {
  const { node, fromMs, toMs } = asked;
  const points = Math.min(Math.max(MIN_POINTS, Math.floor(asked.points)), MAX_TIMELINE_POINTS);
  const progress = readProgress(query);
  const all = query.all<SeriesRow>(`SELECT id, signal, instance FROM series WHERE node = ? ORDER BY id DESC LIMIT ${MAX_TIMELINE_SERIES + 1}`, node);
  const seriesTruncated = all.length > MAX_TIMELINE_SERIES;
  if (seriesTruncated) all.pop();
  const wanted = new Set<string>(asked.signals);
  const chosen = all.filter((row) => wanted.has(row.signal)).sort(bySignal);

  const widestStepMs = Math.floor((toMs - fromMs) / (points - 1)) + 1;
  const base = baseStep(fromMs, widestStepMs, progress, () => isKeptRaw(query, node, fromMs, toMs, progress));
  const drawn = base === 0 ? drawRaw(query, chosen, fromMs, toMs, points, widestStepMs) : drawRolled(query, chosen, fromMs, toMs, base, roundUp(widestStepMs, base), progress);
  const silent = collectorGaps(query, fromMs, toMs, progress);
  const events = timelineEvents(query, node, fromMs, toMs, MAX_TIMELINE_EVENTS);
  return {
    node,
    fromMs,
    toMs,
    stepMs: drawn.stepMs,
    tier: base === 0 ? "raw" : base === MINUTE_MS ? "1m" : "5m",
    series: drawn.series,
    gaps: timelineGaps(query, { node, fromMs, toMs, series: all, base, progress, silent }),
    answers: answerSpans(query, node, fromMs, toMs, silent),
    events: events.items,
    eventsTruncated: events.truncated,
    ...(seriesTruncated ? { seriesTruncated } : {}),
  };
}

/** The finest tier that still holds the start of the range, or a coarser one where points are as wide anyway. */
function baseStep(fromMs: number, stepMs: number, progress: Progress, keptRaw: () => boolean): BaseStep {
  if (stepMs < MINUTE_MS && fromMs < progress.rawGone && keptRaw()) return 0;
  if (fromMs < progress.minuteGone || stepMs >= FIVE_MINUTES_MS) return FIVE_MINUTES_MS;
  if (fromMs < progress.rawGone || stepMs >= MINUTE_MS) return MINUTE_MS;
  return 0;
}

/** Whether raw samples of the whole range are there all the same: kept with an incident, up to where all are. */
function isKeptRaw(query: Query, node: string, fromMs: number, toMs: number, { rawGone }: Progress): boolean {
  let reached = fromMs;
  for (const stretch of query.all<{ from_ms: number; to_ms: number }>("SELECT from_ms, to_ms FROM incident_kept WHERE node = ? AND to_ms > ? AND from_ms <= ? ORDER BY from_ms", node, fromMs, toMs)) {
    if (stretch.from_ms > reached) return false;
    reached = Math.max(reached, stretch.to_ms);
    if (reached >= Math.min(toMs, rawGone)) return true;
  }
  return false;
}

interface Drawn {
  readonly series: readonly TimelineSeries[];
  readonly stepMs: number;
}

function drawRaw(query: Query, chosen: readonly SeriesRow[], fromMs: number, toMs: number, points: number, widestStepMs: number): Drawn {
  const rows = chosen.map((row) => ({ row, raw: readRaw(query, row.id, fromMs, toMs) })).filter(({ raw }) => raw.times.length > 0);
  if (rows.some(({ raw }) => raw.times.length > points)) {
    const stepMs = roundUp(widestStepMs, SECOND_MS);
    return { stepMs, series: rows.map(({ row, raw }) => columns(row, rollUpRaw(raw, stepMs), fromMs)) };
  }
  return {
    stepMs: 0,
    series: rows.map(({ row, raw: { times, values } }) => ({ signal: signalOf(row), instance: row.instance, atMs: times, min: values, max: values, last: values })),
  };
}

function drawRolled(query: Query, chosen: readonly SeriesRow[], fromMs: number, toMs: number, base: typeof MINUTE_MS | typeof FIVE_MINUTES_MS, stepMs: number, progress: Progress): Drawn {
  const read = base === MINUTE_MS ? readMinutes : readFives;
  const series = chosen.flatMap((row) => {
    const spans = read(query, row.id, fromMs, toMs, progress);
    return spans.length === 0 ? [] : [columns(row, stepMs > base ? rollUp(spans, stepMs) : spans, fromMs)];
  });
  return { stepMs, series };
}

/** The first span may begin before the range; its point is drawn at the range's start. */
function columns(row: SeriesRow, spans: readonly TimedRollup[], fromMs: number): TimelineSeries {
  return {
    signal: signalOf(row),
    instance: row.instance,
    atMs: spans.map((span) => Math.max(span.atMs, fromMs)),
    min: spans.map((span) => span.min),
    max: spans.map((span) => span.max),
    last: spans.map((span) => span.last),
  };
}

function signalOf(row: SeriesRow): SignalId {
  if (isSignalId(row.signal)) return row.signal;
  throw new Error(`series ${row.id} has the unknown signal ${row.signal}`); // chosen by the signals asked for, so never
}

const bySignal = (a: SeriesRow, b: SeriesRow): number => (a.signal < b.signal ? -1 : a.signal > b.signal ? 1 : a.instance < b.instance ? -1 : 1);
const roundUp = (ms: number, step: number): number => Math.ceil(ms / step) * step;
