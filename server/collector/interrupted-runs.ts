import type { Log } from "../log";
import type { Verifications } from "../store/state-types";

/**
 * Ends the runs whose web process has ended, as interrupted, each with its audit entry. Where that cannot be written yet, the next
 * tick that can write does it. Runs that a later web process begins are its own.
 */
export class InterruptedRuns {
  #begunBeforeMs: number | undefined;

  constructor(
    private readonly verifications: Pick<Verifications, "interrupt">,
    private readonly log: Log,
  ) {}

  /** The web process ended, or this one has just started: nobody carries on what was begun until now. */
  leftBehind(nowMs: number): void {
    this.#begunBeforeMs = nowMs;
  }

  /** To be called when the store can be written. Throws what the store throws, and then has it to do again. */
  end(nowMs: number): void {
    if (this.#begunBeforeMs === undefined) return;
    const interrupted = this.verifications.interrupt(nowMs, this.#begunBeforeMs);
    this.#begunBeforeMs = undefined;
    if (interrupted > 0) this.log.warn({ interrupted }, "runs of actions were interrupted by the end of the web process");
  }
}
