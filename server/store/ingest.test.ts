import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openIngest } from "./ingest";
import { answer, batch, event, nodeName, sample, view } from "./testing/batches";
import { closeStore, openStore, type OpenStore } from "./testing/open-store";
import { T0 } from "./testing/temp-store";
import type { Ingest, Reader } from "./types";

let store: OpenStore["store"];
let ingest: Ingest;
let reader: Reader;
beforeEach(() => {
  ({ store, ingest, reader } = openStore());
});
afterEach(() => closeStore({ store, ingest, reader }));

describe("a batch", () => {
  it("is seen whole by a reader, and each gets the next sequence number, over a restart too", () => {
    expect(ingest.write(batch(T0, { views: [view("a"), view("b")] })).seq).toBe(1);
    expect(reader.fleet()).toEqual({ seq: 1, gone: [], rows: [{ seq: 1, view: view("a") }, { seq: 1, view: view("b") }] });
    ingest.close();
    ingest = openIngest({ file: store.file, nowMs: T0 });
    expect(ingest.loadViews()).toEqual([view("a"), view("b")]);
    expect(ingest.write(batch(T0 + 15_000, { views: [view("b", "no")], gone: ["a"] })).seq).toBe(2);
    expect(reader.fleet(1)).toEqual({ seq: 2, gone: ["a"], rows: [{ seq: 2, view: view("b", "no") }] });
    expect(reader.node(nodeName("a"))).toBeUndefined();
    expect(reader.fleet(2)).toEqual({ seq: 2, gone: [], rows: [] });
  });

  it("brings a node back that was gone", () => {
    ingest.write(batch(T0, { gone: ["a"] }));
    ingest.write(batch(T0 + 1, { views: [view("a")] }));
    expect(reader.fleet(0)).toMatchObject({ gone: [], rows: [{ view: { name: "a" } }] });
  });

  it("tells everything to a page whose sequence number is from a later life of the file", () => {
    ingest.write(batch(T0, { views: [view("a")] }));
    expect(reader.fleet(99).rows).toHaveLength(1);
  });

  it("skips and counts samples that are no number or too old for any tier, and keeps the rest", () => {
    const result = ingest.write(batch(T0, { samples: [sample("a", "pods.waiting", T0, Number.NaN), sample("a", "pods.waiting", T0, Number.POSITIVE_INFINITY), sample("a", "pods.waiting", T0 - 31 * 86_400_000, 1), sample("a", "pods.waiting", T0, 3)] }));
    expect(result.skippedSamples).toBe(3);
    expect(reader.timeline({ node: nodeName("a"), fromMs: T0 - 1_000, toMs: T0, signals: ["pods.waiting"], points: 100 }).series).toEqual([{ signal: "pods.waiting", instance: "", atMs: [T0], min: [3], max: [3], last: [3] }]);
  });

  it("leaves nothing of itself behind when one part of it cannot be stored", () => {
    const broken = { ...view("c"), name: null } as unknown as ReturnType<typeof view>; // what a bug upstream would hand over
    expect(() => ingest.write(batch(T0, { samples: [sample("a", "pods.waiting", T0, 1)], views: [view("a"), broken] }))).toThrow(/NOT NULL/);
    expect(reader.fleet()).toEqual({ rows: [], gone: [], seq: 0 });
    ingest.write(batch(T0, { samples: [sample("a", "pods.waiting", T0, 2)] }));
    expect(reader.timeline({ node: nodeName("a"), fromMs: T0, toMs: T0, signals: ["pods.waiting"], points: 10 }).series[0]?.last).toEqual([2]);
  });
});

describe("events", () => {
  const at = (node: string, fromMs: number, toMs: number, limit = 100, beforeMs?: number) => reader.events({ node: nodeName(node), fromMs, toMs, limit, ...(beforeMs === undefined ? {} : { beforeMs }) });

  it("are one row per identity: a later state replaces count and message, an older one does not", () => {
    ingest.write(batch(T0, { events: [event("e1", { host: "a", count: 1, firstMs: T0, lastMs: T0 })] }));
    ingest.write(batch(T0, { events: [event("e1", { host: "a", count: 7, firstMs: T0, lastMs: T0 + 9_000, message: "newer" })] }));
    ingest.write(batch(T0, { events: [event("e1", { host: "a", count: 3, firstMs: T0, lastMs: T0 + 4_000, message: "older" })] }));
    expect(at("a", T0, T0 + 60_000).items).toMatchObject([{ uid: "e1", count: 7, message: "newer", firstMs: T0, lastMs: T0 + 9_000 }]);
  });

  it("belong to a node by their host, by being about it, or by what the collector knew of the pod", () => {
    ingest.write(
      batch(T0, {
        events: [
          event("e1", { host: "a", lastMs: T0 }),
          event("e2", { about: { kind: "Node", name: "a" }, lastMs: T0 + 1 }),
          { ...event("e3", { lastMs: T0 + 2 }), node: "a" },
          event("e4", { lastMs: T0 + 3 }),
          event("e5", { host: "b", lastMs: T0 + 4 }),
        ],
      }),
    );
    ingest.write(batch(T0, { events: [event("e3", { lastMs: T0 + 5, count: 2 })] })); // told again without the node: it keeps it
    expect(at("a", T0, T0 + 60_000).items.map((found) => found.uid)).toEqual(["e3", "e2", "e1"]);
  });

  it("page without losing any of those that share a second", () => {
    const seconds = [0, 1, 1, 1, 2, 2, 3];
    ingest.write(batch(T0, { events: seconds.map((second, index) => event(`e${index}`, { host: "a", lastMs: T0 + second * 1_000 })) }));
    const seen: string[] = [];
    let beforeMs: number | undefined;
    for (let pages = 0; pages < 10; pages += 1) {
      const page = at("a", T0, T0 + 60_000, 2, beforeMs);
      seen.push(...page.items.map((found) => found.uid));
      if (!page.truncated) break;
      beforeMs = page.items.at(-1)?.lastMs;
    }
    expect(seen.sort()).toEqual(["e0", "e1", "e2", "e3", "e4", "e5", "e6"]);
  });
});

describe("its size", () => {
  it("grows with what is written, the log included", () => {
    const before = ingest.sizeBytes() ?? 0;
    ingest.write(batch(T0, { events: Array.from({ length: 100 }, (_, index) => event(`e${index}`, { message: "x".repeat(1_000) })) }));
    expect(ingest.sizeBytes()).toBeGreaterThan(before + 100_000);
  });
});

describe("keys and status", () => {
  it("come back as they were written", () => {
    ingest.write(batch(T0, { kubeletKeys: [{ node: "a", sha256: "x", seenMs: T0 }, { node: "b", sha256: "y", seenMs: T0, offeredSha256: "z" }] }));
    ingest.write(batch(T0 + 1, { answers: [answer("a", T0, "no")] }));
    expect([...ingest.kubeletKeys().values()]).toEqual([{ node: "a", sha256: "x", seenMs: T0 }, { node: "b", sha256: "y", seenMs: T0, offeredSha256: "z" }]);
    expect(reader.status()).toBeUndefined();
  });
});
