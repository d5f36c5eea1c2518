/**
 * The share of CFS periods in which a container was throttled.
 *
 * @param periods CFS periods that passed
 * @param throttledPeriods those in which the container ran out of quota
 * @returns 0 to 1; `undefined` where no period passed, which is not the same as never throttled
 */
export function throttledShare(periods: number, throttledPeriods: number): number | undefined {
  if (!(periods > 0) || !(throttledPeriods >= 0)) return undefined;
  return Math.min(1, throttledPeriods / periods);
}

export interface PressureShare {
  /** 0 to 1. */
  readonly share: number;
  /** Why the share is not simply the quotient; absent where it is. */
  readonly clamped?: string;
}

/**
 * The share of time in which at least one task of a container waited for a CPU (PSI "some").
 *
 * @param waitingSeconds growth of the waiting time
 * @param elapsedSeconds time in which it grew, by the same clock that read it
 * @returns `undefined` where no time passed
 */
export function pressureShare(waitingSeconds: number, elapsedSeconds: number): PressureShare | undefined {
  if (!(elapsedSeconds > 0) || !(waitingSeconds >= 0)) return undefined;
  const share = waitingSeconds / elapsedSeconds;
  if (share <= 1) return { share };
  return { share: 1, clamped: `${waitingSeconds.toFixed(1)} s of waiting were told for ${elapsedSeconds.toFixed(1)} s: the readings' times are not exact` };
}
