import type { PushAnswer } from "../domain/agent-report";
import type { Clock } from "../clock";
import type { Log } from "../log";
import { fullJitterMs } from "./backoff";
import type { ReportBuffer } from "./buffer";
import type { Pushed, Pusher } from "./push";

export interface Sender {
  /** There is something to send; at once where nothing else is under way. */
  wake(): void;
  /** Sends what can still be sent in a moment. */
  end(): Promise<void>;
}

export interface SenderParts {
  readonly buffer: ReportBuffer;
  readonly pusher: Pusher;
  /** What the server answered to a report that it took. */
  readonly told: (answer: PushAnswer) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/** For what was still to send when the agent is told to end. */
const FAREWELL_MS = 2_000;

/** Sends what the buffer holds, oldest first, one at a time; waits longer after each failure. */
export function createSender({ buffer, pusher, told, clock, log, signal, random }: SenderParts): Sender {
  let running: Promise<void> | undefined;
  let failures = 0;

  const drain = async (): Promise<void> => {
    for (let held = buffer.first(); held !== undefined; held = buffer.first()) {
      const pushed = await pusher.push(held.body, clock.now());
      if (pushed.outcome !== "later") {
        buffer.remove(held.sequence);
        tell(pushed);
        continue;
      }
      buffer.unsent(held.sequence);
      failures += 1;
      if (failures === 1) log.warn({ reason: pushed.reason }, "the server did not take the report; kept until it does");
      if (signal.aborted) return;
      await sleep(clock, Math.max(pushed.retryAfterMs ?? 0, 0) + fullJitterMs(failures, FIRST_RETRY_MS, LAST_RETRY_MS, random()), signal);
      if (signal.aborted) return;
    }
  };
  const tell = (pushed: Exclude<Pushed, { outcome: "later" }>): void => {
    if (pushed.outcome === "taken" && pushed.answer !== undefined) told(pushed.answer);
    if (pushed.outcome === "refused") log.error({ reason: pushed.reason }, "the server refused a report");
    if (failures > 0) log.info({ failures, waiting: buffer.length }, "the server answers again");
    failures = 0;
  };
  const wake = (): void => {
    running ??= drain().finally(() => {
      running = undefined;
    });
  };
  return {
    wake,
    end: async () => {
      wake();
      const enough = new AbortController();
      await Promise.race([running, sleep(clock, FAREWELL_MS, enough.signal)]);
      enough.abort();
    },
  };
}

/** Until the time is over or the signal comes. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || ms <= 0) {
      resolve();
      return;
    }
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener("abort", done, { once: true });
  });
}
