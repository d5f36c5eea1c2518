import { monotonicMs } from "../clock";
import { reasonOf } from "./host-fs";

/** Looks at one part of a report, or says why it could not. */
export type LookAtPart = <T, F>(name: string, look: () => Promise<T>, instead: (reason: string) => F) => Promise<T | F>;

/**
 * Each part by itself: one that fails, takes longer than `timeoutMs`, or is not waited for any more hides no other. A look
 * that hangs (a dead network mount) is not begun a second time beside itself: it would take one thread after the other.
 */
export function partRunner(timeoutMs: number, signal: AbortSignal): LookAtPart {
  const underWay = new Map<string, number>();
  return (name, look, instead) =>
    new Promise((resolve) => {
      const sinceMs = underWay.get(name);
      if (sinceMs !== undefined) {
        resolve(instead(`the look that was begun ${String(Math.round((monotonicMs() - sinceMs) / 1000))} s ago has not ended`));
        return;
      }
      underWay.set(name, monotonicMs());
      const settle = (value: Parameters<typeof resolve>[0]): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", ended);
        resolve(value);
      };
      const ended = (): void => {
        settle(instead("the agent was told to end"));
      };
      const timer = setTimeout(() => {
        settle(instead(`no answer in ${String(timeoutMs / 1000)} s`));
      }, timeoutMs);
      signal.addEventListener("abort", ended);
      look().then(
        (value) => {
          underWay.delete(name);
          settle(value);
        },
        (error: unknown) => {
          underWay.delete(name);
          settle(instead(reasonOf(error)));
        },
      );
    });
}
