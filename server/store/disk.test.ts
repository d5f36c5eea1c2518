import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { prepareFile } from "./file";
import { openIngest } from "./ingest";
import { openReader } from "./reader";
import { COPY_RECHECK_MS } from "./reader/source";
import { openState } from "./state";
import { entry, permit, run } from "./testing/actions";
import { batch, event, sample, view } from "./testing/batches";
import { cannotMount, tinyDisk, type TinyDisk } from "./testing/mounts";
import { MIGRATIONS_DIR, T0 } from "./testing/temp-store";
import { StoreUnwritable, type IngestBatch } from "./types";

const reason = cannotMount();
const MEGABYTES = 4;

function unwritable(run: () => unknown): StoreUnwritable | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof StoreUnwritable) return error;
    throw error;
  }
}

/** About 60 KB, all of it telling which batch it is of. */
const large = (index: number): IngestBatch =>
  batch(T0 + index * 1_000, {
    samples: Array.from({ length: 200 }, (_, node) => sample(`n${node}`, "pods.waiting", T0 + index * 1_000, index)),
    events: Array.from({ length: 10 }, (_, part) => event(`e${index}-${part}`, { host: "n0", message: String(index).repeat(900).slice(0, 4_000) })),
    views: [view("n0", "yes", index)],
  });

describe.skipIf(reason !== undefined)(`a small disk of its own${reason === undefined ? "" : ` (skipped: ${reason})`}`, () => {
  let disk: TinyDisk;
  let file: string;
  beforeEach(() => {
    disk = tinyDisk(MEGABYTES);
    file = prepareFile({ dataDir: disk.dir, clusterUid: "c", simulated: false, nowMs: T0, migrationsDir: MIGRATIONS_DIR }).file;
  });
  afterEach(() => disk.remove());

  const fillUp = (): void => disk.fillUp();
  const makeRoom = (): void => disk.makeRoom();
  function expectSound(batches: number): void {
    const db = new Database(file);
    try {
      expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
      const whole = Array.from({ length: batches }, (_, index) => [index, 200]);
      expect(db.prepare("SELECT CAST(value AS INTEGER), count(*) FROM sample_raw GROUP BY value ORDER BY value").raw().all()).toEqual(whole);
      expect(db.prepare("SELECT count(*) FROM event").pluck().get()).toBe(batches * 10);
      expect(db.prepare("SELECT max(seq) FROM node_view").pluck().get()).toBe(batches);
    } finally {
      db.close();
    }
  }

  it("that is full: a write says so and leaves no half, reading goes on, and the same batch is taken once there is room", () => {
    const ingest = openIngest({ file, nowMs: T0 });
    const reader = openReader({ file });
    try {
      let written = 0;
      ingest.write(large(written));
      written += 1;
      fillUp();
      let refused: StoreUnwritable | undefined;
      while (refused === undefined) {
        refused = unwritable(() => ingest.write(large(written)));
        if (refused === undefined) written += 1;
      }
      expect(refused).toMatchObject({ reason: "full", message: expect.stringMatching(/is full: make room, and writing goes on by itself/) as string });
      for (let again = 0; again < 5; again += 1) expect(unwritable(() => ingest.write(large(written)))?.reason).toBe("full");
      const told = unwritable(() => {
        for (let steps = 0; ingest.maintain(T0 + 40 * 86_400_000) && steps < 100; steps += 1);
      });
      expect(told === undefined || told.reason === "full").toBe(true);
      expect(reader.fleet().rows).toMatchObject([{ seq: written, view: { answer: { sinceMs: written - 1 } } }]);
      makeRoom();
      ingest.write(large(written));
      written += 1;
      expect(reader.fleet().seq).toBe(written);
    } finally {
      reader.close();
      ingest.close();
    }
  });

  it("that fills up under load holds every acknowledged batch whole, also for one who opens it while it is full", () => {
    let ingest = openIngest({ file, nowMs: T0 });
    let written = 0;
    try {
      while (unwritable(() => ingest.write(large(written))) === undefined) written += 1;
      expect(written).toBeGreaterThan(5);
      ingest.close();
      fillUp();
      ingest = openIngest({ file, nowMs: T0 });
      expect(ingest.loadViews()).toHaveLength(1);
      const reader = openReader({ file });
      expect(reader.fleet().seq).toBe(written);
      reader.close();
    } finally {
      ingest.close();
    }
    makeRoom();
    expectSound(written);
  });

  it("that is full: what people write is refused, not half stored, and goes through once there is room", async () => {
    const state = openState({ file });
    try {
      fillUp();
      const big = { ...run("request-1"), before: { ...run("request-1").before, oomKillsMs: Array.from({ length: 20_000 }, (_, index) => T0 + index) } };
      await expect(state.startRun(permit, entry("request-1"), big)).rejects.toMatchObject({ name: "StoreUnwritable", reason: "full" });
      expect(await state.run(big.requestId)).toBeUndefined();
      expect(await state.auditEntries({ limit: 10 })).toEqual([]);
      makeRoom();
      expect((await state.startRun(permit, entry("request-1"), big)).started).toBe(true);
      expect(await state.auditEntries({ limit: 10 })).toHaveLength(1);
    } finally {
      await state.close();
    }
  });

  it("that turns read-only: what it holds is served, and both writing and reading the file itself go on when it turns back", async () => {
    const first = openIngest({ file, nowMs: T0 });
    first.write(large(0));
    first.close();
    disk.readOnly(true);
    const ingest = openIngest({ file, nowMs: T0 });
    const reader = openReader({ file });
    try {
      expect(unwritable(() => ingest.write(large(1)))?.reason).toBe("read-only");
      expect(ingest.loadViews()).toHaveLength(1);
      expect(reader.copyReason).toMatch(/so a copy of it is read/);
      expect(reader.fleet().seq).toBe(1);
      expect(prepareFile({ dataDir: disk.dir, clusterUid: "c", simulated: false, nowMs: T0, migrationsDir: MIGRATIONS_DIR })).toMatchObject({ writable: false, warnings: [expect.stringMatching(/What it holds is served/)] });
      disk.readOnly(false);
      ingest.write(large(1));
      await new Promise((resolve) => setTimeout(resolve, COPY_RECHECK_MS + 100)); // the copy's own pace, on the machine's clock
      expect(reader.fleet().seq).toBe(2);
      expect(reader.copyReason).toBeUndefined();
    } finally {
      reader.close();
      ingest.close();
    }
    expectSound(2);
  });
});
