import { HOUR_MS } from "../domain/durations";
import type { NodeName } from "../domain/ids";
import { SIGNAL_IDS, SIGNALS, type SignalId } from "../domain/signals";
import { MAX_TIMELINE_POINTS } from "../domain/timeline";
import { ServiceError } from "../errors";
import { requireRange } from "./range";
import type { Timeline } from "../contract/schemas";
import type { Ctx } from "./ctx";
import { iso } from "./iso";

export interface ReadTimelineInput {
  readonly name: NodeName;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly signals?: readonly SignalId[] | undefined;
  readonly points?: number | undefined;
}

/**
 * Signals, answers, events and gaps of a node over a range (default: the last hour). "Now" is read once, so that
 * everything in one answer lines up. Values in the unit of SIGNALS; times of points in UTC milliseconds.
 */
export async function readTimeline({ ctx, input }: { readonly ctx: Ctx; readonly input: ReadTimelineInput }): Promise<Timeline> {
  if (ctx.reader.node(input.name) === undefined) throw new ServiceError("not-found", `No node "${input.name}" is known.`);
  const toMs = input.toMs ?? ctx.clock.now();
  const fromMs = input.fromMs ?? toMs - HOUR_MS;
  requireRange(fromMs, toMs);
  const timeline = ctx.reader.timeline({ node: input.name, fromMs, toMs, signals: input.signals ?? SIGNAL_IDS, points: input.points ?? MAX_TIMELINE_POINTS });
  return {
    node: timeline.node,
    from: iso(timeline.fromMs),
    to: iso(timeline.toMs),
    stepSeconds: timeline.stepMs / 1_000,
    tier: timeline.tier,
    series: timeline.series.map((series) => ({
      signal: series.signal,
      instance: series.instance,
      unit: SIGNALS[series.signal].unit,
      at: [...series.atMs],
      min: [...series.min],
      max: [...series.max],
      last: [...series.last],
    })),
    gaps: timeline.gaps.map((gap) => ({ source: gap.source, from: iso(gap.fromMs), to: iso(gap.toMs), reason: gap.reason })),
    answers: timeline.answers.map((span) => ({ from: iso(span.fromMs), to: iso(span.toMs), state: span.state, atRisk: span.atRisk, idle: span.idle, summary: span.summary })),
    events: timeline.events.map((event) => ({ at: iso(event.atMs), reason: event.reason, type: event.type, message: event.message, count: event.count, about: event.about })),
    eventsTruncated: timeline.eventsTruncated,
  };
}
