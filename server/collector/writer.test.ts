import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ClusterChange } from "../domain/cluster-changes";
import type { EventObject } from "../domain/model";
import type { NodeName } from "../domain/ids";
import { nodeIncident } from "../store/testing/incidents";
import { refuseEveryBatch } from "../store/testing/refuse";
import { StoreUnwritable, type IngestBatch } from "../store/types";
import { PipelineHarness } from "./testing/harness";
import { EMPTY_BATCH, MAX_APART_WRITES, part, writeApart } from "./write-apart";
import { MAX_PENDING_INCIDENTS, Writer } from "./writer";

let h: PipelineHarness;
let writer: Writer;
beforeEach(() => {
  h = new PipelineHarness();
  writer = new Writer(h.ingest, h.log, () => {}, () => {});
});
afterEach(() => h.close());

const event = (uid: string, over: Partial<EventObject> = {}): EventObject & { node: string } => ({ uid, node: "a", namespace: "default", reason: "r", type: "Normal", message: "", count: 1, firstMs: h.nowMs, lastMs: h.nowMs, about: { kind: "Pod", name: "p" }, ...over });
/** SQLite takes it for NULL, which the column may not be. */
const poison = (uid: string) => event(uid, { firstMs: Number.NaN, lastMs: Number.NaN });
const storedEvents = (): readonly string[] => h.reader.events({ node: "a" as NodeName, fromMs: 0, toMs: h.nowMs + 1, limit: 1_000 }).items.map(({ uid }) => uid).sort();
const change = (subject: string): ClusterChange => ({ kind: "rollout", atMs: h.nowMs, subject, text: "t" });
const subjects = () => h.reader.clusterChanges({ node: "a", fromMs: 0, toMs: h.nowMs, limit: 100 }).map(({ subject }) => subject);

describe("a row that the store refuses", () => {
  test("is given up alone, counted and told, and keeps nothing else of its batch from being written, once", () => {
    for (let index = 0; index < 20; index += 1) writer.event(event(`e-${String(index).padStart(2, "0")}`));
    writer.event(poison("bad-1"));
    writer.event(poison("bad-2"));
    writer.samples("a" as NodeName, [{ signal: "pods.waiting", instance: "", atMs: h.nowMs, value: 3 }]);
    writer.clusterChange(change("kept"));
    writer.saveIncident(nodeIncident(7, "a"));
    writer.incidentEntry(7, { atMs: h.nowMs, kind: "opened", text: "o" });
    expect(writer.flush(h.nowMs, h.status())).toBe(true);
    expect(storedEvents()).toEqual(Array.from({ length: 20 }, (_, index) => `e-${String(index).padStart(2, "0")}`));
    expect(subjects()).toEqual(["kept"]);
    expect(h.reader.incident(7)?.entries).toHaveLength(1);
    expect(writer.state).toMatchObject({ writable: true, refused: { rows: 2, last: expect.stringMatching(/^events: .*NOT NULL/) as string } });
    writer.event(event("next"));
    expect(writer.flush(h.nowMs + 1_000, h.status())).toBe(true);
    expect(storedEvents()).toContain("next");
    expect(subjects()).toEqual(["kept"]);
    expect(writer.state.refused?.rows).toBe(2);
  });

  test("that belongs to one incident costs no other incident its entries", () => {
    for (const id of [1, 2, 3]) {
      writer.saveIncident(nodeIncident(id, `n-${id}`));
      writer.incidentEntry(id, { atMs: id === 2 ? Number.NaN : h.nowMs, kind: "opened", text: "o" });
    }
    expect(writer.flush(h.nowMs, h.status())).toBe(true);
    expect([1, 2, 3].map((id) => h.reader.incident(id)?.entries.length)).toEqual([1, undefined, 1]);
    expect(writer.state.refused).toMatchObject({ rows: 1, last: expect.stringContaining("incidents") as string });
  });

  test("costs a bounded number of transactions, however many there are; what is left is counted too", () => {
    let writes = 0;
    const refusing = { write: (batch: IngestBatch) => {
      writes += 1;
      if (batch.events.length > 0) throw new Error("no");
      return { seq: 1, skippedSamples: 0 };
    } };
    const events = Array.from({ length: 5_000 }, (_, index) => event(`e-${index}`));
    let cleared = 0;
    const refused = writeApart(refusing, [part("events", events, (some) => ({ events: some }), () => (cleared += 1))], h.nowMs);
    expect(writes).toBe(MAX_APART_WRITES + 1);
    expect(refused.reduce((sum, { rows }) => sum + rows, 0)).toBe(5_000);
    expect(cleared).toBe(1);
  });
});

describe("what waits to be written", () => {
  test("waits, and nothing of it is given up, where the store takes not even an empty batch: that shows as a store that cannot be written, not as health", () => {
    const takeAgain = refuseEveryBatch(h.file);
    writer.event(event("e"));
    expect(writer.flush(h.nowMs, h.status())).toBe(false);
    expect(writer.state).toMatchObject({ writable: false, pendingBatches: 1 });
    expect(writer.state.reason).toContain("refused");
    expect(writer.state.refused).toBeUndefined();
    takeAgain();
    expect(writer.flush(h.nowMs, h.status())).toBe(true);
    expect(storedEvents()).toEqual(["e"]);
    expect(writer.state).toMatchObject({ writable: true, pendingBatches: 0 });
  });

  test("waits where the disk becomes full while a refused row is looked for; what went in before is not written again", () => {
    let full = false;
    let hold = true;
    const filling = { write: (batch: IngestBatch) => {
      if (hold && batch.events.length > 0) full = true;
      if (full && hold) throw new StoreUnwritable("full", "The disk is full.");
      return h.ingest.write(batch);
    } };
    writer = new Writer({ write: (batch) => (batch.events.length > 0 && batch.samples.length > 0 ? h.ingest.write({ ...batch, events: [poison("bad")] }) : filling.write(batch)) }, h.log, () => {}, () => {});
    writer.samples("a" as NodeName, [{ signal: "pods.waiting", instance: "", atMs: h.nowMs, value: 3 }]);
    writer.event(event("e"));
    writer.clusterChange(change("later"));
    expect(writer.flush(h.nowMs, h.status())).toBe(false);
    expect(writer.state).toMatchObject({ writable: false, reason: "The disk is full." });
    hold = false;
    expect(writer.flush(h.nowMs, h.status())).toBe(true);
    expect(storedEvents()).toEqual(["e"]);
    expect(subjects()).toEqual(["later"]);
  });

  test("a sample that no tier can hold is counted among those that were lost, and the others are written", () => {
    const sample = (atMs: number, value: number) => ({ signal: "pods.waiting" as const, instance: "", atMs, value });
    writer.samples("a" as NodeName, [sample(h.nowMs, 3), sample(h.nowMs, Number.NaN), sample(0, 1)]);
    expect(writer.flush(h.nowMs, h.status())).toBe(true);
    expect(writer.state).toMatchObject({ writable: true, droppedSamples: 2 });
  });

  test("incidents give way from the oldest on, with what belongs to them, and the log says so", () => {
    const written: NonNullable<IngestBatch["incidents"]>[] = [];
    const records: unknown[] = [];
    writer = new Writer({ write: (batch) => (written.push(...(batch.incidents === undefined ? [] : [batch.incidents])), { seq: 1, skippedSamples: 0 }) }, pino({}, { write: (line: string) => void records.push(JSON.parse(line)) }), () => {}, () => {});
    for (let id = 1; id <= MAX_PENDING_INCIDENTS + 1; id += 1) {
      writer.saveIncident(nodeIncident(id, `n-${id}`));
      if (id === 1 || id > MAX_PENDING_INCIDENTS) {
        writer.incidentEntry(id, { atMs: h.nowMs, kind: "opened", text: "o" });
        writer.keepSamples({ incident: id, node: `n-${id}`, fromMs: h.nowMs, toMs: h.nowMs });
      }
    }
    expect(writer.flush(h.nowMs, h.status())).toBe(true);
    const [incidents] = written;
    expect(incidents?.saved.length).toBeLessThanOrEqual(MAX_PENDING_INCIDENTS);
    expect([incidents?.saved.at(-1)?.id, incidents?.entries.map(({ incident }) => incident), incidents?.kept.map(({ incident }) => incident)]).toEqual([MAX_PENDING_INCIDENTS + 1, [MAX_PENDING_INCIDENTS + 1], [MAX_PENDING_INCIDENTS + 1]]);
    expect(records).toEqual([expect.objectContaining({ incidents: MAX_PENDING_INCIDENTS + 1 - (incidents?.saved.length ?? 0) })]);
    expect(writer.state.refused).toBeUndefined(); // the store refused none of them
  });

  test("keys of kubelets are kept once a node, however often they change while nothing can be written", () => {
    const rows: number[] = [];
    writer = new Writer({ write: (batch) => (rows.push(batch.kubeletKeys.length), h.ingest.write(batch)) }, h.log, () => {}, () => {});
    for (let i = 0; i < 100; i++) writer.kubeletKey({ node: "a", sha256: "1", seenMs: h.nowMs, offeredSha256: String(i) });
    expect(writer.flush(h.nowMs, h.status())).toBe(true);
    expect(rows).toEqual([1]);
    expect([...h.ingest.kubeletKeys().values()]).toEqual([{ node: "a", sha256: "1", seenMs: h.nowMs, offeredSha256: "99" }]);
  });
});

test("an empty batch holds every kind of row that a batch must have", () => {
  expect(h.ingest.write({ ...EMPTY_BATCH, atMs: h.nowMs }).seq).toBeGreaterThan(0);
});
