import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANGES_KEPT_MS, DELETE_PER_STEP } from "./ingest/retention";
import { answer, batch, event, nodeName, view } from "./testing/batches";
import { closeStore, openStore, type OpenStore } from "./testing/open-store";
import { T0 } from "./testing/temp-store";
import { RETENTION, type Ingest, type Reader } from "./types";

const DAY = 86_400_000;
let store: OpenStore["store"];
let ingest: Ingest;
let reader: Reader;
beforeEach(() => {
  ({ store, ingest, reader } = openStore());
});
afterEach(() => closeStore({ store, ingest, reader }));
function maintainAll(nowMs: number): number {
  for (let steps = 1; steps < 10_000; steps += 1) if (!ingest.maintain(nowMs)) return steps;
  throw new Error("upkeep does not end");
}

describe("what is older than it is kept", () => {
  it("goes from the events, a bounded part at a time, and nothing newer with it", () => {
    const old = 3 * DELETE_PER_STEP;
    ingest.write(batch(T0, { events: Array.from({ length: old }, (_, index) => event(`old-${index}`, { host: "a", lastMs: T0 - 1 - index })) }));
    ingest.write(batch(T0, { events: [event("kept", { host: "a", firstMs: T0 - 5 * DAY, lastMs: T0 })] }));
    const steps = maintainAll(T0 + RETENTION.eventsMs);
    expect(steps).toBeGreaterThan(3);
    expect(reader.events({ node: nodeName("a"), fromMs: 0, toMs: T0 + DAY, limit: 10 })).toMatchObject({ items: [{ uid: "kept" }], truncated: false });
  });

  it("goes from the changes of answers, but for the one that tells the state at the limit", () => {
    const limit = T0 + 10 * DAY;
    for (let day = 0; day <= 40; day += 1) ingest.write(batch(T0 + day * DAY));
    ingest.write(batch(T0 + 40 * DAY, { answers: [answer("a", T0, "yes"), answer("a", T0 + DAY, "no", { summary: "still" }), answer("a", limit + DAY, "yes"), answer("b", T0, "unknown")], views: [view("a")] }));
    ingest.write(
      batch(T0 + 40 * DAY, {
        sources: [
          { node: "a", source: "agent", atMs: T0, fresh: true, reason: "" },
          { node: "a", source: "agent", atMs: T0 + DAY, fresh: false, reason: "no push" },
        ],
      }),
    );
    maintainAll(limit + CHANGES_KEPT_MS);
    expect(reader.answerChanges({ fromMs: 0, limit: 10 }).map((change) => [change.node, change.state, change.before])).toEqual([["a", "yes", "no"], ["a", "no", undefined], ["b", "unknown", undefined]]);
    const seen = reader.timeline({ node: nodeName("a"), fromMs: limit, toMs: limit + 60_000, signals: [], points: 10 });
    expect(seen.gaps.some((gap) => gap.source === "agent" && gap.reason === "no push")).toBe(true);
  });

  it("goes from the nodes that left, with their answers", () => {
    ingest.write(batch(T0, { views: [view("a"), view("b")], answers: [answer("a", T0, "no")] }));
    ingest.write(batch(T0 + 1, { gone: ["a"] }));
    expect(reader.fleet(1).gone).toEqual(["a"]);
    maintainAll(T0 + CHANGES_KEPT_MS + DAY);
    expect(reader.fleet(1).gone).toEqual([]);
    expect(reader.answerChanges({ fromMs: 0, limit: 10 })).toEqual([]);
    expect(reader.fleet().rows).toHaveLength(1);
  });

  it("goes from the kubelets' keys of nodes that left long ago, and of no node that is there", () => {
    const key = (node: string) => ({ node, sha256: "x", seenMs: T0 });
    ingest.write(batch(T0, { views: [view("here"), view("left")], answers: [answer("left", T0, "yes")], kubeletKeys: [key("here"), key("left")] }));
    ingest.write(batch(T0 + 10 * DAY, { gone: ["left"] }));
    maintainAll(T0 + CHANGES_KEPT_MS + DAY);
    expect([...ingest.kubeletKeys().keys()]).toEqual(["here", "left"]);
    maintainAll(T0 + 10 * DAY + CHANGES_KEPT_MS + DAY);
    expect([...ingest.kubeletKeys().keys()]).toEqual(["here"]);
  });

  it("leaves the key of a kubelet that was seen before its node was judged", () => {
    ingest.write(batch(T0, { kubeletKeys: [{ node: "new", sha256: "x", seenMs: T0 }] }));
    maintainAll(T0 + DAY);
    expect([...ingest.kubeletKeys().keys()]).toEqual(["new"]);
  });
});
