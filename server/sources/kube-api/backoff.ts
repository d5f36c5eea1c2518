export const BACKOFF_BASE_MS = 1_000;
export const BACKOFF_CAP_MS = 30_000;
/** Above this the delay is the cap anyway; keeps 2^n small. */
const MAX_DOUBLINGS = 16;

/** Full jitter: anything between nothing and the doubled base, so that a thousand clients never come back together. */
export function backoffMs(attempt: number, random: () => number, floorMs = 0): number {
  const ceilingMs = Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** Math.min(attempt, MAX_DOUBLINGS));
  return Math.max(floorMs, random() * ceilingMs);
}
