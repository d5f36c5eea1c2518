/** Where signals come from, and when each still counts as fresh (DESIGN: Sources). */
export const SOURCES = ["api", "kubelet", "agent", "prometheus"] as const;
export type Source = (typeof SOURCES)[number];

export type Freshness = "fresh" | "stale" | "absent";

/** `absent`: not configured or never heard of; `stale`: heard before, not lately. Both need the reason in words. */
export interface SourceStatus {
  readonly source: Source;
  readonly freshness: Freshness;
  /** Last success, UTC ms. */
  readonly lastMs?: number;
  readonly reason?: string;
  /** By how many seconds the source's clock is behind ours, less than 0 where it is ahead; its times are corrected by it. Absent where they agree. */
  readonly clockBehindSeconds?: number;
}

export const API_FRESH_MS = 150_000;
/** Periods that a kubelet page, an agent push or a scrape may be missing before its source is stale. */
export const FRESH_PERIODS = 3;
export const KUBELET_METRICS_PERIOD_MS = 15_000;
export const CADVISOR_PERIOD_MS = 60_000;
/** Where there is no agent and the node is not yes. */
export const CADVISOR_FAST_PERIOD_MS = 15_000;
export const AGENT_PERIOD_MS = 15_000;
