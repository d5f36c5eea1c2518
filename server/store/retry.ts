/** Exponential steps with full jitter: writers that met once do not meet again at the same moment. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** A writer in the way is gone within milliseconds; one that holds on for longer than about 6 s is told of. */
export const BUSY_RETRY: RetryPolicy = { attempts: 32, firstDelayMs: 25, maxDelayMs: 400 };

/** Waits without blocking between attempts. The last error is thrown as it is. */
export async function retry<T>(run: () => Promise<T>, again: (error: unknown) => boolean, policy: RetryPolicy = BUSY_RETRY): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= policy.attempts || !again(error)) throw error;
    }
    const most = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (attempt - 1));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * most));
  }
}
