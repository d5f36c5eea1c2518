import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PipelineHarness } from "./testing/harness";
import { Writer } from "./writer";

let h: PipelineHarness;
let writer: Writer;
beforeEach(() => {
  h = new PipelineHarness();
  writer = new Writer(h.ingest, h.log, () => {}, () => {});
});
afterEach(() => h.close());

describe("what waits to be written", () => {
  test("a batch that the store refuses for a fault of ours shows as a store that cannot be written, not as health", () => {
    expect(writer.state.writable).toBe(true);
    writer.event({ uid: "e", namespace: "default", reason: "r", type: "Normal", message: "", count: 1, firstMs: Number.NaN, lastMs: Number.NaN, about: { kind: "Pod", name: "p" } });
    expect(writer.flush(h.nowMs, h.status())).toBe(false);
    expect(writer.state).toMatchObject({ writable: false, pendingBatches: 1 });
    expect(writer.state.reason).toContain("refused");
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
