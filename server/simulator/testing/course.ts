import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Replay } from "../../collector/replay";
import type { NodeView } from "../../domain/node-view";
import type { Observation } from "../../domain/observation";
import { DEFAULT_THRESHOLDS } from "../../domain/thresholds";
import { createLog } from "../../log";
import { prepareFile } from "../../store/file";
import { openIngest } from "../../store/ingest";
import { history } from "../history";
import type { ScenarioPlan } from "../scenarios";

export const PERIOD_MS = 15_000;

export interface CourseOptions {
  readonly plan: ScenarioPlan;
  readonly toMs: number;
  /** Whether kubelet pages and agent reports are part of it; both by default. */
  readonly kubelet?: boolean;
  readonly agent?: boolean;
  /** What a source of the test's own makes of an observation; the same by default. */
  readonly through?: (observation: Observation) => Iterable<Observation>;
  /** Every node as it was judged at the end of each period. */
  readonly look: (views: ReadonlyMap<string, NodeView>, atMs: number) => void;
}

/** Runs a model from its beginning and lets the pipeline see it, period after period and without sockets, into a data file of its own. */
export function runCourse({ plan, toMs, kubelet = true, agent = true, through, look }: CourseOptions): void {
  const startMs = plan.cluster.startMs;
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "sandglass-course-"));
  try {
    const { file } = prepareFile({ dataDir, clusterUid: "simulated", simulated: true, nowMs: startMs, migrationsDir: path.resolve(import.meta.dirname, "../../../prisma/migrations") });
    const ingest = openIngest({ file, nowMs: startMs });
    try {
      const cluster = { uid: "simulated", name: "simulated", server: "https://127.0.0.1:1", user: "simulated", simulated: true };
      const replay = new Replay({ cluster, ingest, thresholds: DEFAULT_THRESHOLDS, cniDaemons: [], expects: { kubelet, agents: agent }, log: createLog("warn", "test") }, startMs);
      let periodMs = startMs;
      const endPeriod = (): void => {
        replay.tickAt(periodMs);
        look(new Map([...replay.pipeline.views()].map((view) => [view.name, view])), periodMs);
      };
      for (const observation of history(plan, { fromMs: startMs, toMs, stepMs: PERIOD_MS, kubelet, agent })) {
        if (observation.atMs > periodMs) {
          endPeriod();
          periodMs = observation.atMs;
        }
        for (const one of through?.(observation) ?? [observation]) replay.take(one, periodMs);
      }
      endPeriod();
    } finally {
      ingest.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
