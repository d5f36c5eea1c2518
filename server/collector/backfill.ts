import { monotonicMs, type Clock } from "../clock";
import type { NodeView } from "../domain/node-view";
import type { Observation } from "../domain/observation";
import type { Thresholds } from "../domain/thresholds";
import type { Log } from "../log";
import type { CollectorStatus, Ingest } from "../store/types";
import { PastIncidents } from "./incident-keeper";
import { Pipeline } from "./pipeline";
import { Writer } from "./writer";

/** Longest stretch of work before everything else gets its turn. */
const SLICE_MS = 25;
const PAUSE_MS = 15;
/** A batch of the past is written after this much of its time. */
const WRITE_EVERY_MS = 60_000;

/**
 * Runs observations of the past, in the order of their time, through the same pipeline as those of the present, on a
 * clock that shows each observation's own time. Only what belongs to the past is written: samples, events, answers and
 * sources; what is known now stays the live pipeline's. Returns the last view of each node and the
 * incidents, which the live pipeline goes on with; nothing where it was ended.
 */
export async function backfill(options: {
  readonly observations: Iterable<Observation>;
  readonly fromMs: number;
  readonly toMs: number;
  readonly ingest: Ingest;
  readonly thresholds: Thresholds;
  readonly cniDaemons: readonly string[];
  readonly status: () => CollectorStatus;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onProgress: (doneShare: number) => void;
}): Promise<{ readonly views: readonly NodeView[]; readonly incidents: PastIncidents } | undefined> {
  let nowMs = options.fromMs;
  const clock: Clock = { now: () => nowMs, after: () => () => {}, rate: 1 };
  const writer = new Writer(options.ingest, options.log, () => {}, () => {}, { past: true });
  const incidents = new PastIncidents();
  const pipeline = new Pipeline({ clock, log: options.log, thresholds: options.thresholds, cniDaemons: options.cniDaemons, writer, views: [], incidentSink: incidents, expects: { kubelet: true, agents: true } });
  let wroteMs = nowMs;
  let sliceMs = monotonicMs();
  for (const observation of options.observations) {
    if (options.signal.aborted) return undefined;
    if (observation.atMs > nowMs) {
      pipeline.judgeAll();
      nowMs = observation.atMs;
      if (nowMs - wroteMs >= WRITE_EVERY_MS && writer.flush(nowMs, options.status())) wroteMs = nowMs;
      if (monotonicMs() - sliceMs > SLICE_MS) {
        options.onProgress((nowMs - options.fromMs) / (options.toMs - options.fromMs));
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        sliceMs = monotonicMs();
      }
    }
    pipeline.observe(observation);
  }
  pipeline.judgeAll();
  pipeline.end();
  writer.flush(nowMs, options.status());
  return { views: [...pipeline.views()], incidents };
}
