/**
 * How much a counter grew from one reading to the next.
 *
 * A counter only ever grows, so a smaller reading means that its owner began again from zero in between: what it shows
 * then is what was counted since. What it counted between the last reading and its end is lost, never guessed.
 *
 * @param before the reading before; `undefined` where there is none to compare with
 * @param after this reading
 * @param restarted true where something else tells that the owner began anew (another process start, another cgroup)
 * @returns the growth, never negative; `undefined` where nothing can be said (no reading before, or one that is no number)
 */
export function counterIncrease(before: number | undefined, after: number, restarted = false): number | undefined {
  if (!isCount(after)) return undefined;
  if (restarted) return after;
  if (before === undefined || !isCount(before)) return undefined;
  return after >= before ? after - before : after;
}

/** A counter's value can be any finite number from zero up. */
export const isCount = (value: number): boolean => Number.isFinite(value) && value >= 0;
