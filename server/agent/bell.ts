/** One waits, another calls. A call that comes while nobody waits is not lost, and many are as good as one. */
export interface Bell {
  ring(): void;
  /** Resolves at once where it was rung before, and when `signal` is aborted. */
  rung(signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  let pending = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      pending = true;
      wake?.();
    },
    rung: async (signal) => {
      if (!pending && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        wake = undefined;
      }
      pending = false;
    },
  };
}
