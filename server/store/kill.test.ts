import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openIngest } from "./ingest";
import { bundleChild, startChild } from "./testing/child";
import { openState } from "./state";
import { requestId } from "./testing/actions";
import { runId, SAMPLES_PER_BATCH } from "./testing/load";
import { T0, tempStore } from "./testing/temp-store";

const KILLS = 100;
const RUN_KILLS = 10;
/** A child lives at most this long after its first acknowledged batch. */
const MAX_LIFE_MS = 120;

let program: string;
beforeAll(async () => {
  program = await bundleChild();
});
afterAll(() => rmSync(program, { force: true }));

describe("kill -9 under write load", () => {
  it(
    `leaves, ${KILLS} times in a row, a sound file that holds every acknowledged batch whole, and no half of any`,
    async () => {
      const store = tempStore();
      try {
        let next = 0;
        for (let kill = 0; kill < KILLS; kill += 1) {
          const child = startChild(program, ["load", store.file, String(next)]);
          await child.line();
          if (kill === 0) await child.line();
          // Random, to meet every phase of a write, of a checkpoint and of a pass of upkeep over the run.
          await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_LIFE_MS));
          await child.kill();
          const acknowledged = Number(child.lines.at(-1));
          expect(child.lines).toEqual(Array.from({ length: acknowledged - next + 1 }, (_, index) => String(next + index)));
          next = inspect(store.file, acknowledged) + 1;
        }
        expect(next).toBeGreaterThan(KILLS); // none of them lost a write, and the first made two at least
        rollUpAndCompare(store.file, next);
      } finally {
        store.remove();
      }
    },
    180_000,
  );

  it(
    "loses no run that a person was told is started, starts none twice, and keeps its audit row with it",
    async () => {
      const store = tempStore();
      const state = openState({ file: store.file });
      try {
        let next = 0;
        for (let kill = 0; kill < RUN_KILLS; kill += 1) {
          const child = startChild(program, ["runs", store.file, String(next)]);
          const first = await child.line();
          if (kill === 0) await child.line();
          await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_LIFE_MS));
          await child.kill();
          expect(first).toBe(`${next} true`);
          const told = child.lines.length;
          for (let index = next; index < next + told; index += 1) expect((await state.run(requestId(runId(index))))?.id).toBe(index + 1);
          next += told; // the one after may be stored too: the next child asks for it again
          const [audited, runs] = [await state.auditEntries({ limit: 500 }), await state.runs({ limit: 200 })];
          expect(audited.slice(0, 200).map((entry) => entry.requestId)).toEqual(runs.map((run) => run.requestId));
          if ((await state.run(requestId(runId(next)))) !== undefined) next += 1;
        }
        expect(next).toBeGreaterThan(RUN_KILLS);
      } finally {
        await state.close();
        store.remove();
      }
    },
    180_000,
  );
});

/** Returns the number of the newest batch in the file: the last acknowledged one, or the one after, which was not yet said. */
function inspect(file: string, acknowledged: number): number {
  const db = new Database(file);
  try {
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(db.pragma("foreign_key_check")).toEqual([]);
    const batches = Number(db.prepare("SELECT value FROM meta WHERE key = 'seq'").pluck().get());
    expect([acknowledged + 1, acknowledged + 2]).toContain(batches);
    const perValue = db.prepare<[], [value: number, count: number, times: number]>("SELECT value, count(*), count(DISTINCT at) FROM sample_raw GROUP BY value ORDER BY value").raw().all();
    expect(perValue).toEqual(Array.from({ length: batches }, (_, index) => [index, SAMPLES_PER_BATCH, 1]));
    expect(db.prepare("SELECT count(*), min(count), max(count) FROM event").raw().get()).toEqual([batches, 0, batches - 1]);
    expect(db.prepare("SELECT count(*), max(CAST(summary AS INTEGER)) FROM answer_change").raw().get()).toEqual([batches, batches - 1]);
    expect(db.prepare("SELECT max(json_extract(json, '$.answer.sinceMs')), max(seq) FROM node_view").raw().get()).toEqual([batches - 1, batches]);
    expect(db.prepare("SELECT count(*), max(id), max(seq), (SELECT count(*) FROM incident_entry), (SELECT max(CAST(text AS INTEGER)) FROM incident_entry) FROM incident").raw().get()).toEqual([batches, batches, batches, batches, batches - 1]);
    expect(db.prepare("SELECT count(*), max(CAST(text AS INTEGER)) FROM cluster_change").raw().get()).toEqual([batches, batches - 1]);
    return batches - 1;
  } finally {
    db.close();
  }
}

/** Passes of upkeep that were killed half way went on where they stood: every sample is in the minutes exactly once. */
function rollUpAndCompare(file: string, batches: number): void {
  const ingest = openIngest({ file, nowMs: T0 }); // which also shows that no kill left the lock behind
  const now = T0 + 5 * 3_600_000;
  for (let steps = 0; ingest.maintain(now); steps += 1) if (steps > 10_000) throw new Error("upkeep does not end");
  ingest.close();
  const db = new Database(file, { readonly: true });
  try {
    expect(db.prepare("SELECT sum(count) FROM sample_minute").pluck().get()).toBe(batches * SAMPLES_PER_BATCH);
    expect(db.prepare("SELECT sum(count), sum(sum) FROM sample_five_minutes").raw().get()).toEqual([batches * SAMPLES_PER_BATCH, (SAMPLES_PER_BATCH * batches * (batches - 1)) / 2]);
  } finally {
    db.close();
  }
}
