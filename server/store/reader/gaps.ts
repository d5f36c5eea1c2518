import type { SignalId } from "../../domain/signals";
import { AGENT_PERIOD_MS, FRESH_PERIODS, KUBELET_METRICS_PERIOD_MS, SOURCES, type Source } from "../../domain/sources";
import type { TimelineGap } from "../../domain/timeline";
import { MINUTE_MS } from "../tiers";
import type { Stretch } from "./collector-gaps";
import { readFives, readMinutes, readTimes, type BaseStep, type Progress } from "./samples";
import type { Query } from "./source";
import type { SeriesRow } from "./timeline";

/** Signals that a source tells each time it tells anything: where all of them are silent, so was the source. */
const HEARTBEATS: Partial<Record<Source, { readonly periodMs: number; readonly signals: readonly SignalId[] }>> = {
  kubelet: { periodMs: KUBELET_METRICS_PERIOD_MS, signals: ["cri.run_sandbox.calls"] },
  agent: { periodMs: AGENT_PERIOD_MS, signals: ["cri.list_seconds", "sandbox.ready", "socket.state"] },
};

interface Asked {
  readonly node: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** All series of the node. */
  readonly series: readonly SeriesRow[];
  readonly base: BaseStep;
  readonly progress: Progress;
  readonly silent: readonly Stretch[];
}

/** Where each source told nothing: because it was known to be stale, because no collector was at work, or because its samples are missing. */
export function timelineGaps(query: Query, asked: Asked): readonly TimelineGap[] {
  const spoke = new Set<Source>(["api"]);
  const gaps: TimelineGap[] = staleSpans(query, asked, spoke);
  for (const source of SOURCES) {
    const heartbeat = HEARTBEATS[source];
    if (heartbeat === undefined) continue;
    const rows = asked.series.filter((row) => heartbeat.signals.some((signal) => signal === row.signal));
    if (rows.length === 0) continue;
    spoke.add(source);
    for (const hole of holes(heard(query, rows, asked), asked, FRESH_PERIODS * heartbeat.periodMs)) gaps.push({ source, ...hole, reason: `No sample came for ${duration(hole.toMs - hole.fromMs)}.` });
  }
  for (const stretch of asked.silent) for (const source of spoke) gaps.push({ source, ...stretch, reason: "No collector was at work." });
  return SOURCES.flatMap((source) => union(gaps.filter((gap) => gap.source === source)));
}

function staleSpans(query: Query, { node, fromMs, toMs }: Asked, spoke: Set<Source>): TimelineGap[] {
  return SOURCES.flatMap((source) => {
    const before = query.one<{ at_ms: number; fresh: number; reason: string }>("SELECT at_ms, fresh, reason FROM source_change WHERE node = ? AND source = ? AND at_ms <= ? ORDER BY at_ms DESC LIMIT 1", node, source, fromMs);
    const rows = query.all<{ at_ms: number; fresh: number; reason: string }>("SELECT at_ms, fresh, reason FROM source_change WHERE node = ? AND source = ? AND at_ms > ? AND at_ms < ? ORDER BY at_ms", node, source, fromMs, toMs);
    const changes = before === undefined ? rows : [before, ...rows];
    if (changes.some((change) => change.fresh === 1)) spoke.add(source);
    return changes.flatMap((change, index) => (change.fresh === 1 ? [] : [{ source, fromMs: Math.max(change.at_ms, fromMs), toMs: changes[index + 1]?.at_ms ?? toMs, reason: change.reason }]));
  });
}

/** Stretches, ascending, for each of which something was heard all along; a sample is a stretch of no length. */
function heard(query: Query, rows: readonly SeriesRow[], { fromMs, toMs, base, progress }: Asked): Stretch[] {
  const stretches = rows.flatMap((row) => {
    if (base === 0) return readTimes(query, row.id, fromMs, toMs).map((at) => ({ fromMs: at, toMs: at }));
    const spans = base === MINUTE_MS ? readMinutes(query, row.id, fromMs, toMs, progress) : readFives(query, row.id, fromMs, toMs, progress);
    return spans.map((span) => ({ fromMs: span.atMs, toMs: span.lastMs }));
  });
  return rows.length === 1 ? stretches : stretches.sort((a, b) => a.fromMs - b.fromMs);
}

function holes(stretches: readonly Stretch[], { fromMs, toMs }: Asked, longestMs: number): Stretch[] {
  const found: Stretch[] = [];
  let endMs = fromMs;
  for (const stretch of [...stretches, { fromMs: toMs, toMs }]) {
    if (stretch.fromMs - endMs > longestMs) found.push({ fromMs: endMs, toMs: stretch.fromMs });
    endMs = Math.max(endMs, stretch.toMs);
  }
  return found;
}

/** Stretches of one source that touch, as one; a known reason says more than "no sample". */
function union(gaps: readonly TimelineGap[]): TimelineGap[] {
  const out: TimelineGap[] = [];
  for (const gap of [...gaps].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = out.at(-1);
    if (last === undefined || gap.fromMs > last.toMs) {
      out.push(gap);
      continue;
    }
    const reason = last.reason.startsWith("No sample came") ? gap.reason : last.reason;
    out[out.length - 1] = { ...last, toMs: Math.max(last.toMs, gap.toMs), reason: reason.startsWith("No sample came") ? `No sample came for ${duration(Math.max(last.toMs, gap.toMs) - last.fromMs)}.` : reason };
  }
  return out;
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 120 ? `${seconds} s` : seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
