import { KEEP_AROUND_MS, MAX_KEPT_STRETCH_MS } from "./timing";

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Which samples are kept as they came: from an hour before a *no* or *unknown* until an hour after it. While it lasts the
 * stretch is a little ahead of now; at its end it is cut back. A stretch that grew to its bound grows no more, and its end
 * is a stretch of its own.
 *
 * @param bad whether the answer is *no* or *unknown* now
 * @param sinceMs since when
 * @returns the stretch that goes on, and what to write: a stretch with the start of an older one replaces it
 */
export function trackKept(keeping: Stretch | undefined, bad: boolean, sinceMs: number, nowMs: number): { readonly keeping?: Stretch; readonly keep: readonly Stretch[] } {
  if (bad) {
    if (keeping === undefined) return extended({ fromMs: Math.max(sinceMs, nowMs - MAX_KEPT_STRETCH_MS) - KEEP_AROUND_MS, toMs: nowMs + 2 * KEEP_AROUND_MS });
    const bound = keeping.fromMs + MAX_KEPT_STRETCH_MS;
    if (nowMs + KEEP_AROUND_MS <= keeping.toMs || keeping.toMs >= bound) return { keeping, keep: [] };
    return extended({ fromMs: keeping.fromMs, toMs: Math.min(bound, nowMs + 2 * KEEP_AROUND_MS) });
  }
  if (keeping === undefined) return { keep: [] };
  const toMs = nowMs + KEEP_AROUND_MS;
  return { keep: [toMs <= keeping.toMs ? { fromMs: keeping.fromMs, toMs } : { fromMs: Math.max(keeping.toMs, nowMs - KEEP_AROUND_MS), toMs }] };
}

const extended = (stretch: Stretch): ReturnType<typeof trackKept> => ({ keeping: stretch, keep: [stretch] });
