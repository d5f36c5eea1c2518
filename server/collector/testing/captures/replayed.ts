import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { NodeView } from "../../../domain/node-view";
import { DEFAULT_THRESHOLDS } from "../../../domain/thresholds";
import { createLog } from "../../../log";
import { prepareFile } from "../../../store/file";
import { openIngest } from "../../../store/ingest";
import { openReader } from "../../../store/reader";
import { Replay } from "../../replay";
import type { CaptureLog } from "./capture-log";

/** The views that stood in the store at each of these times, after the log was replayed into a data file of its own. */
export function replayed({ observations, node, expects }: CaptureLog, atMs: readonly number[]): readonly NodeView[] {
  const startMs = (observations[0]?.atMs ?? 0) - 1;
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "sandglass-capture-"));
  try {
    const { file } = prepareFile({ dataDir, clusterUid: "recorded", simulated: false, nowMs: startMs, migrationsDir: path.resolve(import.meta.dirname, "../../../../prisma/migrations") });
    const ingest = openIngest({ file, nowMs: startMs });
    const reader = openReader({ file });
    try {
      const cluster = { uid: "recorded", name: "recorded", server: "https://127.0.0.1:1", user: "recorded", simulated: false };
      const replay = new Replay({ cluster, ingest, thresholds: DEFAULT_THRESHOLDS, cniDaemons: [], expects, log: createLog("silent", "test") }, startMs);
      const views: NodeView[] = [];
      const wanted = [...atMs].sort((a, b) => a - b);
      const passTo = (ms: number): void => {
        for (let next = wanted[0]; next !== undefined && next < ms; next = wanted[0]) {
          replay.passTo(next);
          replay.tickAt(next);
          const view = reader.node(node)?.view;
          if (view === undefined) throw new Error(`the store holds no view of ${node} at ${new Date(next).toISOString()}`);
          views.push(view);
          wanted.shift();
        }
        if (ms !== Infinity) replay.passTo(ms);
      };
      for (const observation of observations) {
        passTo(observation.atMs);
        replay.take(observation, observation.atMs);
      }
      passTo(Infinity);
      return views;
    } finally {
      reader.close();
      ingest.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
