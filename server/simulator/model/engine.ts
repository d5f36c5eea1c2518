import { MinHeap } from "./heap";

/** A timer of the model; cancelling is cheap, the entry is skipped when its time comes. */
export interface Timer {
  cancelled: boolean;
}

/** Work whose pace changes with its own load, so that its next moment cannot be known long before: the processor. */
export interface ContinuousWork {
  /** Time of the next finish at today's pace, or Infinity. */
  nextMs(): number;
  /** Carries the work on to `toMs`; nothing may change in between. */
  settle(toMs: number): void;
  /** Reports what is finished now. */
  finish(): void;
}

interface Entry {
  readonly timer: Timer;
  readonly run: () => void;
}

/** Discrete events of one node, in order of time; nothing here reads a clock. */
export class Engine {
  private readonly events = new MinHeap<Entry>();
  /** How much was done so far: what a node costs, whatever the machine. */
  executed = 0;

  constructor(public nowMs: number) {}

  after(ms: number, run: () => void): Timer {
    return this.at(this.nowMs + ms, run);
  }

  at(atMs: number, run: () => void): Timer {
    const timer: Timer = { cancelled: false };
    this.events.push(Math.max(atMs, this.nowMs), { timer, run });
    return timer;
  }

  /** Forgets everything that was to happen: the power went off. */
  clear(): void {
    this.events.clear();
  }

  advance(toMs: number, work: ContinuousWork): void {
    for (;;) {
      const eventMs = this.events.peekKey() ?? Infinity;
      const workMs = work.nextMs();
      const nextMs = Math.min(eventMs, workMs);
      if (nextMs > toMs) break;
      this.move(nextMs, work);
      this.executed += 1;
      if (workMs <= eventMs) {
        work.finish();
        continue;
      }
      const entry = this.events.pop();
      if (entry !== undefined && !entry.timer.cancelled) entry.run();
    }
    this.move(toMs, work);
  }

  private move(toMs: number, work: ContinuousWork): void {
    if (toMs <= this.nowMs) return;
    work.settle(toMs);
    this.nowMs = toMs;
  }
}
