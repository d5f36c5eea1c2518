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

/** How a clock is handed to another process: it showed `epochMs` when the machine's showed `realMs`. */
export interface ClockSetting {
  readonly epochMs: number;
  readonly realMs: number;
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

/** The clock that a setting describes, the same in every process that has the setting. */
export function clockOf(setting: ClockSetting): Clock {
  if (setting.rate === 1 && setting.epochMs === setting.realMs) return systemClock;
  return {
    rate: setting.rate,
    now: () => setting.epochMs + (Date.now() - setting.realMs) * setting.rate,
    after: (ms, run) => systemClock.after(ms / setting.rate, run),
  };
}

/** A clock that starts at `epochMs` and runs `rate` times as fast as the machine's. */
export function scaledClock(epochMs: number, rate: number): Clock {
  return clockOf({ epochMs, realMs: Date.now(), rate });
}

/** Monotonic milliseconds, for measuring how long something took. */
export const monotonicMs = (): number => performance.now();
