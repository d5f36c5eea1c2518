/** Full jitter: anywhere between nothing and a ceiling that doubles with each failure. `chance`: 0 ≤ x < 1. */
export function fullJitterMs(failures: number, firstMs: number, lastMs: number, chance: number): number {
  const MAX_DOUBLINGS = 30;
  return chance * Math.min(lastMs, firstMs * 2 ** Math.min(Math.max(0, failures - 1), MAX_DOUBLINGS));
}
