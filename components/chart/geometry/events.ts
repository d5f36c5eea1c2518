import type { Window } from "./range";

export interface LaneEvent {
  readonly atMs: number;
  readonly reason: string;
  readonly type: "Normal" | "Warning";
  readonly count: number;
  readonly about: string;
  readonly message: string;
}

/** Events of one stretch of the lane: how many, and of what. */
export interface EventGroup extends Window {
  readonly warnings: number;
  readonly total: number;
  /** Most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  readonly sample: LaneEvent;
  /** 0 to 1 against the busiest group. */
  readonly weight: number;
}

/** Groups are this many at most, so that each is wide enough to carry its number. */
const MOST_GROUPS = 12;
const NICE_MS = [60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000, 259_200_000] as const;

/**
 * Event counts of the cluster are running totals of one event, not rates: each event object counts once in its group,
 * and its own total is told apart in words.
 */
export function groupEvents(events: readonly LaneEvent[], window: Window): readonly EventGroup[] {
  const length = window.toMs - window.fromMs;
  const step = NICE_MS.find((candidate) => length / candidate <= MOST_GROUPS) ?? length / MOST_GROUPS;
  const buckets = new Map<number, LaneEvent[]>();
  for (const event of events) {
    if (event.atMs < window.fromMs || event.atMs > window.toMs) continue;
    const key = Math.floor(event.atMs / step) * step;
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, [event]);
    else bucket.push(event);
  }
  const most = Math.max(1, ...[...buckets.values()].map((bucket) => bucket.length));
  return [...buckets]
    .sort(([a], [b]) => a - b)
    .flatMap(([start, bucket]) => {
      const sample = bucket.find((event) => event.type === "Warning") ?? bucket[0];
      if (sample === undefined) return [];
      const reasons = new Map<string, number>();
      for (const event of bucket) reasons.set(event.reason, (reasons.get(event.reason) ?? 0) + 1);
      return {
        fromMs: Math.max(start, window.fromMs),
        toMs: Math.min(start + step, window.toMs),
        warnings: bucket.filter((event) => event.type === "Warning").length,
        total: bucket.length,
        reasons: [...reasons].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count),
        sample,
        weight: bucket.length / most,
      };
    });
}

/** Events about the same thing for the same reason as one line, newest first. */
export interface EventLine {
  readonly key: string;
  readonly reason: string;
  readonly type: "Normal" | "Warning";
  readonly about: string;
  readonly message: string;
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

export function eventLines(events: readonly LaneEvent[]): readonly EventLine[] {
  const lines = new Map<string, { -readonly [K in keyof EventLine]: EventLine[K] }>();
  for (const event of events) {
    const key = `${event.reason}\n${event.about}\n${event.message}`;
    const line = lines.get(key);
    if (line === undefined) lines.set(key, { key, reason: event.reason, type: event.type, about: event.about, message: event.message, count: event.count, firstMs: event.atMs, lastMs: event.atMs });
    else {
      line.count = Math.max(line.count, event.count);
      line.firstMs = Math.min(line.firstMs, event.atMs);
      line.lastMs = Math.max(line.lastMs, event.atMs);
    }
  }
  return [...lines.values()].sort((a, b) => b.lastMs - a.lastMs);
}
