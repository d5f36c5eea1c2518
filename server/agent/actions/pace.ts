/** When to wait between two removals, so that what helps does not bury the daemon that has to do it. */
export interface Pace {
  /** How long to wait before the next one; 0 where nothing grows. */
  pauseMs(): number;
  /** One call was answered or failed after `tookMs`; `queue`: callers of plugins that live, where that is known. */
  done(tookMs: number, queue: number | undefined): void;
}

/** Never faster than this, however quick each is. */
const LEAST_GAP_MS = 100;
/** What the first calls take is the measure for those that come. */
const MEASURED_CALLS = 5;
const SLOWER_FACTOR = 4;
const SLOW_MS = 2_000;
const MORE_CALLERS = 5;
const FIRST_PAUSE_MS = 5_000;
const LAST_PAUSE_MS = 60_000;

export function createPace(): Pace {
  const first: number[] = [];
  let firstQueue: number | undefined;
  let pause = 0;

  const grows = (tookMs: number, queue: number | undefined): boolean => {
    const usual = first.length < MEASURED_CALLS ? undefined : median(first);
    const slow = tookMs > Math.max(SLOW_MS, (usual ?? 0) * SLOWER_FACTOR);
    return slow || (queue !== undefined && firstQueue !== undefined && queue > firstQueue + MORE_CALLERS);
  };
  return {
    pauseMs: () => Math.max(LEAST_GAP_MS, pause),
    done: (tookMs, queue) => {
      firstQueue ??= queue;
      pause = grows(tookMs, queue) ? Math.min(LAST_PAUSE_MS, pause === 0 ? FIRST_PAUSE_MS : pause * 2) : 0;
      if (first.length < MEASURED_CALLS) first.push(tookMs);
    },
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
