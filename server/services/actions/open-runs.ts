import { ServiceError } from "../../errors";
import type { AuditEntry, Permit } from "../../domain/permit";
import type { Log } from "../../log";
import type { ActionRun, ActionStep, RunEnd, State } from "../../store/state-types";

/** Runs under way at once, those with them whose end is not in the store yet. */
export const MAX_OPEN_RUNS = 100;
/** Pauses between attempts to write an end down: doubling between these. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;

/** Everything about the end of a run that has to be in the store. */
export interface Ending {
  readonly permit: Permit;
  readonly entry: AuditEntry;
  readonly runId: number;
  readonly end: RunEnd;
  /** Steps whose last state the store did not take. */
  readonly unsaved: readonly ActionStep[];
}

/** A run's place among those under way. Either it is given back, or it is used up by the end of the run. */
export interface Place {
  giveBack(): void;
  /** Resolves once the end is in the store, or after one attempt where it cannot be: then it is tried again until it can. Never rejects. */
  end(ending: Ending): Promise<void>;
}

/**
 * Sees every run that this process began to its end in the store. What was done to the cluster is done whether or not it can be
 * written down, so its end is kept here, in a bounded list, and written as soon as the store takes it. Where the process ends
 * before that, the collector marks the run as interrupted.
 */
export class OpenRuns {
  readonly #unwritten = new Map<number, Ending>();
  readonly #closing = new AbortController();
  #places = 0;

  constructor(
    private readonly state: Pick<State, "saveStep" | "finishRun">,
    private readonly log: Log,
    private readonly firstPauseMs = FIRST_PAUSE_MS,
  ) {}

  /** Throws ServiceError `too-many` where MAX_OPEN_RUNS are under way. */
  place(): Place {
    if (this.#places >= MAX_OPEN_RUNS) throw new ServiceError("too-many", `${MAX_OPEN_RUNS} runs are under way, or wait for their end to be written down.`, { retryAfterSeconds: MAX_PAUSE_MS / 1_000 });
    this.#places += 1;
    let held = true;
    const giveBack = (): void => {
      if (held) this.#places -= 1;
      held = false;
    };
    return { giveBack, end: (ending) => this.#end(ending, giveBack) };
  }

  /** The run as this process knows it, where its end is not in the store yet. */
  known(run: ActionRun): ActionRun {
    const ending = run.state === "running" ? this.#unwritten.get(run.id) : undefined;
    if (ending === undefined) return run;
    const { state, atMs, error } = ending.end;
    const steps = [...run.steps.filter(({ ordinal }) => ending.unsaved.every((step) => step.ordinal !== ordinal)), ...ending.unsaved].sort((a, b) => a.ordinal - b.ordinal);
    return { ...run, state, finishedMs: atMs, ...(error === undefined ? {} : { error }), steps };
  }

  /** Gives up what is not written: this process ends. */
  close(): void {
    this.#closing.abort();
  }

  async #end(ending: Ending, giveBack: () => void): Promise<void> {
    this.#unwritten.set(ending.runId, ending);
    // A step that was refused just now has waited for the store already.
    if (ending.unsaved.length === 0 && (await this.#written(ending, giveBack))) return;
    void this.#writeLater(ending, giveBack);
  }

  async #writeLater(ending: Ending, giveBack: () => void): Promise<void> {
    for (let pauseMs = this.firstPauseMs; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      await pause(pauseMs, this.#closing.signal);
      if (this.#closing.signal.aborted || (await this.#written(ending, giveBack))) return;
    }
  }

  async #written(ending: Ending, giveBack: () => void): Promise<boolean> {
    const { permit, entry, runId, end, unsaved } = ending;
    try {
      for (const step of unsaved) await this.state.saveStep(permit, runId, step);
      if (!(await this.state.finishRun(permit, entry, runId, end))) this.log.warn({ runId, state: end.state }, "a run had an end already when its end was written");
    } catch (err) {
      this.log.error({ err, runId, state: end.state }, "the end of a run could not be written down; trying again");
      return false;
    }
    this.#unwritten.delete(runId);
    giveBack();
    return true;
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done); // a disk that is full for a day brings thousands of pauses
      resolve();
    };
    const timer = setTimeout(done, ms);
    timer.unref();
    signal.addEventListener("abort", done, { once: true });
  });
