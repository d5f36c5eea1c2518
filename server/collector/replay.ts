import type { Clock } from "../clock";
import type { ClusterIdentity, Observation } from "../domain/observation";
import type { Thresholds } from "../domain/thresholds";
import type { Log } from "../log";
import type { CollectorStatus, Ingest } from "../store/types";
import { Pipeline } from "./pipeline";
import { ApiWatch } from "./status";
import { Writer } from "./writer";

/** How often what changed is judged and written, as the collector does. */
export const TICK_MS = 1_000;

export interface ReplayOptions {
  readonly cluster: ClusterIdentity;
  readonly ingest: Ingest;
  readonly thresholds: Thresholds;
  readonly cniDaemons: readonly string[];
  readonly expects: { readonly kubelet: boolean; readonly agents: boolean };
  readonly log: Log;
  /** After each tick, with what is known then. */
  readonly onTick?: (nowMs: number, pipeline: Pipeline) => void;
}

/**
 * Observations of the past once more through the pipeline and into a store, on a clock that shows their own time. Whatever
 * was judged when they were new is judged the same again.
 */
export class Replay {
  readonly pipeline: Pipeline;
  readonly #writer: Writer;
  readonly #api: ApiWatch;
  #nowMs: number;

  constructor(
    private readonly options: ReplayOptions,
    private readonly startMs: number,
  ) {
    this.#nowMs = startMs;
    this.#api = new ApiWatch(startMs);
    const clock: Clock = { now: () => this.#nowMs, after: () => () => {}, rate: 1 };
    this.#writer = new Writer(options.ingest, options.log, () => {}, () => {});
    this.pipeline = new Pipeline({ clock, log: options.log, thresholds: options.thresholds, cniDaemons: options.cniDaemons, writer: this.#writer, views: [], expects: options.expects });
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Takes one observation at the time at which it was received. */
  take(observation: Observation, receivedMs: number): void {
    this.#nowMs = receivedMs;
    this.pipeline.observe(observation);
  }

  /** Judges and writes at a time that was recorded. False: the store could not be written. */
  tickAt(atMs: number): boolean {
    this.#nowMs = atMs;
    const written = this.pipeline.tick(this.#status());
    this.options.onTick?.(atMs, this.pipeline);
    return written;
  }

  /** Lets the time pass up to a moment, with a tick after each second of it, as where nobody recorded the ticks. */
  passTo(atMs: number): void {
    while (this.#nowMs + TICK_MS <= atMs) this.tickAt(this.#nowMs + TICK_MS);
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  #status(): CollectorStatus {
    const kinds = [...this.pipeline.cluster.kinds.values()];
    return {
      cluster: this.options.cluster, startedMs: this.startMs, atMs: this.#nowMs, kinds, api: this.#api.look(kinds, this.#nowMs),
      kubelet: { mode: "recorded", tls: "recorded", scraped: 0, failing: 0, skipped: 0, lateMs: 0 }, agents: { listening: this.options.expects.agents, reporting: this.pipeline.reportingAgents, dropped: {} },
      store: this.#writer.state, actionsAllowed: false,
    };
  }
}
