/**
 * What time it is at the server, told from the browser's monotonic clock: a wrong clock on the reader's machine, or a
 * simulated cluster that runs faster than real time, changes no age on the page.
 */
export interface ServerClock {
  /** UTC milliseconds on the server's clock. */
  now(): number;
  /** The server said that it is `serverMs` now. */
  set(serverMs: number): void;
  /** Server seconds that pass in one real second. */
  readonly rate: number;
}

export function createServerClock(serverMs: number, rate: number, monotonicMs: () => number = () => performance.now()): ServerClock {
  let base = serverMs;
  let at = monotonicMs();
  return {
    rate,
    now: () => base + (monotonicMs() - at) * rate,
    set(next) {
      base = next;
      at = monotonicMs();
    },
  };
}
