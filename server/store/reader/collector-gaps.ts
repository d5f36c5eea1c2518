import { COLLECTOR_SILENT_MS } from "../tiers";
import type { Query } from "./source";

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Stretches of the range in which no collector wrote, the one that is not over yet included; ascending. */
export function collectorGaps(query: Query, fromMs: number, toMs: number, { newestMs, lastMs }: { readonly newestMs: number; readonly lastMs: number }): readonly Stretch[] {
  const gaps = query
    .all<{ from_ms: number; to_ms: number }>("SELECT from_ms, to_ms FROM collector_gap WHERE to_ms > ? AND from_ms < ? ORDER BY from_ms", fromMs, toMs)
    .map((row) => ({ fromMs: Math.max(row.from_ms, fromMs), toMs: Math.min(row.to_ms, toMs) }));
  // A clock that once ran ahead left a newest time that has not come yet.
  const heardMs = newestMs <= toMs ? newestMs : lastMs;
  if (heardMs > 0 && toMs - heardMs > COLLECTOR_SILENT_MS) gaps.push({ fromMs: Math.max(heardMs, fromMs), toMs });
  return gaps;
}
