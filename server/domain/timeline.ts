import type { SignalId } from "./signals";
import type { Source } from "./sources";

/** Points of one series over a range, down-sampled by minimum and maximum. Columns of equal length. */
export interface TimelineSeries {
  readonly signal: SignalId;
  readonly instance: string;
  readonly atMs: readonly number[];
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly last: readonly number[];
}

/** A stretch in which a source told nothing: hatched, never drawn as zero, never bridged. */
export interface TimelineGap {
  readonly source: Source;
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: string;
}

export interface AnswerSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly state: "yes" | "no" | "unknown";
  readonly atRisk: boolean;
  readonly idle: boolean;
  readonly summary: string;
}

export interface TimelineEvent {
  readonly atMs: number;
  readonly reason: string;
  readonly type: "Normal" | "Warning";
  readonly message: string;
  readonly count: number;
  readonly about: string;
}

export interface NodeTimeline {
  readonly node: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Width of one point; 0 where the points are raw samples. */
  readonly stepMs: number;
  readonly tier: "raw" | "1m" | "5m";
  readonly series: readonly TimelineSeries[];
  readonly gaps: readonly TimelineGap[];
  readonly answers: readonly AnswerSpan[];
  readonly events: readonly TimelineEvent[];
  /** True when more events exist than were returned. */
  readonly eventsTruncated: boolean;
  /** Set where the node has more series than one answer looks at; the newest were taken. */
  readonly seriesTruncated?: boolean;
}

/** Most points of one series in one answer. */
export const MAX_TIMELINE_POINTS = 1_500;
/** Most events in one answer. */
export const MAX_TIMELINE_EVENTS = 500;
