import { openIngest } from "../../store/ingest";
import { openReader } from "../../store/reader";
import { MAX_INCIDENTS_READ, StoreUnwritable, type IncidentWhole, type Ingest } from "../../store/types";
import { actionableError } from "../../errors";
import type { NodeView } from "../../domain/node-view";
import type { Thresholds } from "../../domain/thresholds";
import type { Log } from "../../log";
import { Replay } from "../replay";
import type { RecordingHeader } from "./format";
import type { Found, RecordingReading } from "./read";
import { Story } from "./story";

export interface ReplaySettings {
  readonly thresholds: Thresholds;
  readonly cniDaemons: readonly string[];
}

export interface Replayed {
  readonly header: RecordingHeader;
  readonly settings: ReplaySettings;
  readonly found: Found;
  readonly fromMs: number;
  readonly toMs: number;
  readonly observations: number;
  readonly story: Story;
  /** The nodes as they were at the end, by name. */
  readonly views: readonly NodeView[];
  /** Oldest first, at most MAX_INCIDENTS_READ. */
  readonly incidents: readonly IncidentWhole[];
  readonly incidentsTruncated: boolean;
}

/** Steps of upkeep after one tick, as the collector does. */
const MAX_UPKEEP_STEPS = 4;
const PAUSE_EVERY_LINES = 200;

/**
 * Runs a recording through the pipeline into a prepared data file. With its own settings it comes to what was judged when it was recorded; with
 * others, to what would have been. `signal` ends it early.
 */
export async function replayRecording({ recording, file, settings, log, signal }: { readonly recording: RecordingReading; readonly file: string; readonly settings: ReplaySettings; readonly log: Log; readonly signal: AbortSignal }): Promise<Replayed> {
  const { header, lines, found } = recording;
  const { startedMs } = header.clock;
  const story = new Story();
  let views: readonly NodeView[] = [];
  let observations = 0;
  const ingest = openIngest({ file, nowMs: startedMs });
  try {
    const replay = new Replay({ cluster: header.cluster, ingest, ...settings, expects: header.settings.expects, log, onTick: (atMs, pipeline) => story.look(atMs, pipeline.views()) }, startedMs);
    let count = 0;
    let unjudged = false;
    for await (const line of lines) {
      if (signal.aborted) throw actionableError("The replay was ended before its time.");
      if (line.kind === "seen") {
        replay.take(line.observation, line.atMs);
        observations += 1;
        unjudged = true;
      } else if (line.kind === "judged") {
        if (!replay.tickAt(line.atMs)) throw unwritable(file);
        unjudged = false;
        maintain(ingest, line.atMs);
      }
      count += 1;
      if (count % PAUSE_EVERY_LINES === 0) await new Promise((resolve) => setImmediate(resolve)); // Ctrl-C gets its turn
    }
    // What came after the last judgement of a recording that broke off is judged too.
    if (unjudged && !replay.tickAt(replay.nowMs)) throw unwritable(file);
    views = [...replay.pipeline.views()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const { incidents, truncated } = incidentsIn(file);
    return { header, settings, found, fromMs: startedMs, toMs: replay.nowMs, observations, story, views, incidents, incidentsTruncated: truncated };
  } finally {
    ingest.close();
  }
}

function maintain(ingest: Ingest, nowMs: number): void {
  try {
    for (let step = 0; step < MAX_UPKEEP_STEPS; step++) if (!ingest.maintain(nowMs)) return;
  } catch (error) {
    if (!(error instanceof StoreUnwritable)) throw error;
    throw actionableError(error.message, error);
  }
}

const unwritable = (file: string): Error => actionableError(`The data file ${file} cannot be written. Choose another folder with --data.`);

function incidentsIn(file: string): { readonly incidents: readonly IncidentWhole[]; readonly truncated: boolean } {
  const reader = openReader({ file });
  try {
    const { rows, truncated } = reader.incidents({ states: ["open", "unknown", "recovering", "closed"], members: true, limit: MAX_INCIDENTS_READ });
    return { incidents: rows.flatMap(({ incident }) => reader.incident(incident.id) ?? []).reverse(), truncated };
  } finally {
    reader.close();
  }
}
