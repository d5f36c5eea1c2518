/** Percentiles, shares and counts are told over the increments of this long (DESIGN: Honest metrics). */
export const WINDOW_MS = 300_000;

/** Most increments of one series that a window keeps; one every 5 s would fill it. */
export const MAX_SPANS = 64;

/** What was gained between two readings. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The spans that still belong to the window ending at `nowMs`, with the new one, oldest first.
 *
 * A span belongs while its end does, so a window covers its length and at most the one span across its far edge: that
 * nothing happened in the window is then certain. Spans from the future (the clock was set back) are dropped.
 */
export function slide<T extends Span>(spans: readonly T[], added: T | undefined, nowMs: number): readonly T[] {
  const kept = spans.filter((span) => span.toMs > nowMs - WINDOW_MS && span.toMs <= nowMs);
  if (added !== undefined) kept.push(added);
  return kept.slice(-MAX_SPANS);
}

/**
 * True where a reading at `beforeMs` still serves as the base of an increment: not older than the window, since an
 * increment over a longer gap would tell of times outside it, and not from the future.
 */
export const comparable = (beforeMs: number | undefined, nowMs: number): beforeMs is number =>
  beforeMs !== undefined && nowMs > beforeMs && nowMs - beforeMs <= WINDOW_MS;
