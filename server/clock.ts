/**
 * The one place that reads the machine's time. `rate` is how many seconds pass on this clock while one real
 * second passes, so that a simulated cluster and the collector watching it can both run faster.
 */
export interface Clock {
  /** UTC milliseconds. */
  now(): number;
  /** Calls back once after `ms` on this clock; the returned function cancels. */
  after(ms: number, run: () => void): () => void;
  readonly rate: number;
}

/** Longest delay that a timer of the runtime can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  rate: 1,
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** A clock that starts at `epochMs` and runs `rate` times as fast as the machine's. */
export function scaledClock(epochMs: number, rate: number): Clock {
  const startedMs = Date.now();
  return {
    rate,
    now: () => epochMs + (Date.now() - startedMs) * rate,
    after: (ms, run) => systemClock.after(ms / rate, run),
  };
}

/** Monotonic milliseconds, for measuring how long something took. */
export const monotonicMs = (): number => performance.now();
