import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VERIFY_AFTER_MS } from "../domain/actions/types";
import { openIngest } from "./ingest";
import { retry } from "./retry";
import { MAX_STATE_QUEUE, objectText, openState, STATE_BUSY_TIMEOUT_MS } from "./state";
import type { State } from "./state-types";
import { entry, permit, requestId, run } from "./testing/actions";
import { batch, view } from "./testing/batches";
import { holdWriteLock } from "./testing/hold";
import { closeStore, openWholeStore, type OpenStore } from "./testing/open-store";
import { T0 } from "./testing/temp-store";
import type { Ingest, Reader } from "./types";

let store: OpenStore["store"];
let state: State;
let ingest: Ingest;
let reader: Reader;
beforeEach(() => {
  ({ store, ingest, reader, state } = openWholeStore());
});
afterEach(() => closeStore({ store, ingest, reader, state }));

describe("a run", () => {
  it("is started at most once per request id, however many ask at once, and stands in the audit once", async () => {
    const other = openState({ file: store.file }); // as another process would
    const asked = [state, other, state, other, state].map((from) => from.startRun(permit, entry("request-1"), run("request-1")));
    const answers = await Promise.all(asked);
    expect(answers.filter(({ started }) => started)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.run.id)).size).toBe(1);
    expect(await state.auditEntries({ limit: 10 })).toEqual([{ id: 1, ...entry("request-1") }]);
    await other.close();
  });

  it("is told back as it was written: plan, readings, steps and end", async () => {
    const { run: made } = await state.startRun(permit, entry("request-1"), run("request-1"));
    expect(made).toEqual({ ...run("request-1"), id: made.id, actor: "anna", state: "running", steps: [], verifications: [] });
    await state.saveStep(permit, made.id, { ordinal: 1, title: "Change the limits", state: "running", startedMs: T0 + 1, before: "{}" });
    await state.saveStep(permit, made.id, { ordinal: 1, title: "Change the limits", state: "done", startedMs: T0 + 1, finishedMs: T0 + 2, before: "{}", after: '{"cpu":"2"}' });
    expect(await state.finishRun(permit, entry("request-1", "done"), made.id, { state: "applied", atMs: T0 + 3 })).toBe(true);
    expect(await state.finishRun(permit, entry("request-1", "failed"), made.id, { state: "failed", atMs: T0 + 4, error: "late" })).toBe(false);
    expect(await state.run(requestId("request-1"))).toMatchObject({
      state: "applied",
      finishedMs: T0 + 3,
      steps: [{ ordinal: 1, title: "Change the limits", state: "done", startedMs: T0 + 1, finishedMs: T0 + 2, before: "{}", after: '{"cpu":"2"}' }],
    });
    expect((await state.auditEntries({ limit: 10 })).map(({ outcome }) => outcome)).toEqual(["done", "allowed"]);
  });

  it("is found by node, by object and by time, newest first and bounded", async () => {
    for (const [index, id] of ["request-1", "request-2", "request-3"].entries()) await state.startRun(permit, entry(id), { ...run(id), startedMs: T0 + index });
    const ids = async (query: Omit<Parameters<State["runs"]>[0], "limit">, limit = 10) => (await state.runs({ ...query, limit })).map((found) => found.requestId);
    expect(await ids({ node: "a" })).toEqual(["request-3", "request-2", "request-1"]);
    expect(await ids({ node: "b" })).toEqual([]);
    expect(await ids({ object: objectText(run("request-1").plan.object), sinceMs: T0 + 1 })).toEqual(["request-3", "request-2"]);
    expect(await ids({ action: "set-daemon-resources" }, 1)).toEqual(["request-3"]);
    expect((await state.auditEntries({ limit: 1, beforeId: 3 })).map((found) => found.id)).toEqual([2]);
  });
});

describe("what becomes of a run", () => {
  it("is looked at when it is due, counted from when the change was seen, and a restart of the collector forgets none of it", async () => {
    const { run: made } = await state.startRun(permit, entry("request-1"), run("request-1"));
    expect(ingest.verifications.unseen()).toEqual([]);
    await state.finishRun(permit, entry("request-1", "done"), made.id, { state: "applied", atMs: T0 });
    expect(ingest.verifications.unseen()).toMatchObject([{ id: made.id, requestId: "request-1" }]);
    const dueMs = VERIFY_AFTER_MS.map((after) => T0 + 5_000 + after);
    ingest.verifications.seen(made.id, T0 + 5_000, dueMs);
    ingest.verifications.seen(made.id, T0 + 9_000, [T0 + 10_000]); // seen already
    ingest.close();
    ingest = openIngest({ file: store.file, nowMs: T0 });
    expect(ingest.verifications.unseen()).toEqual([]);
    expect(ingest.verifications.due(T0 + 60_000)).toEqual([]);
    const due = ingest.verifications.due(T0 + 200_000);
    expect(due.map((check) => [check.dueMs, check.run.seenMs, check.run.before])).toEqual([[dueMs[0], T0 + 5_000, run("request-1").before], [dueMs[1], T0 + 5_000, run("request-1").before]]);
    const after = { atMs: T0 + 66_000, answer: "yes", atRisk: true, oomKillsMs: [] } as const;
    ingest.verifications.record(due[0]?.id ?? 0, { verdict: "worked", because: "3 fresh sandboxes", doneMs: T0 + 66_000, after });
    ingest.verifications.record(due[0]?.id ?? 0, { verdict: "worse", because: "twice", doneMs: T0 + 67_000 });
    expect(ingest.verifications.due(T0 + 200_000)).toHaveLength(1);
    expect((await state.run(requestId("request-1")))?.verifications).toEqual([
      { id: due[0]?.id, dueMs: dueMs[0], verdict: "worked", because: "3 fresh sandboxes", doneMs: T0 + 66_000, after },
      { id: due[1]?.id, dueMs: dueMs[1] },
      { id: (due[1]?.id ?? 0) + 1, dueMs: dueMs[2] },
    ]);
  });

  it("is interrupted where its process ended while it ran, with its audit row, and what a later process began is left alone", async () => {
    const { run: made } = await state.startRun(permit, entry("request-1"), run("request-1"));
    await state.startRun(permit, entry("request-2"), { ...run("request-2"), startedMs: T0 + 1 });
    expect(ingest.verifications.interrupt(T0 + 5, T0)).toBe(1);
    expect(ingest.verifications.interrupt(T0 + 6, T0)).toBe(0);
    expect(await state.run(requestId("request-1"))).toMatchObject({ state: "interrupted", finishedMs: T0 + 5, error: expect.stringMatching(/look at the object/) as string });
    expect(await state.run(requestId("request-2"))).toMatchObject({ state: "running" });
    expect(await state.finishRun(permit, entry("request-1"), made.id, { state: "applied", atMs: T0 + 7 })).toBe(false);
    const [last, ...before] = await state.auditEntries({ limit: 10 });
    expect(last).toMatchObject({ atMs: T0 + 5, actor: "anna", verb: "action.run", object: entry("request-1").object, requestId: "request-1", outcome: "failed", detail: { message: expect.stringMatching(/look at the object/) as string } });
    expect(before.map(({ requestId: id, outcome }) => [id, outcome])).toEqual([["request-2", "allowed"], ["request-1", "allowed"]]);
  });
});

describe("a kubelet's new key", () => {
  it("is taken only while it is the one that is offered, with its audit row", async () => {
    ingest.write(batch(T0, { kubeletKeys: [{ node: "a", sha256: "old", seenMs: 1, offeredSha256: "new" }] }));
    expect(await state.acceptKubeletKey(permit, entry("request-1"), { node: "a", sha256: "another" })).toBe(false);
    expect(await state.auditEntries({ limit: 5 })).toEqual([]);
    expect(await state.acceptKubeletKey(permit, entry("request-1"), { node: "a", sha256: "new" })).toBe(true);
    expect(ingest.kubeletKeys().get("a")).toEqual({ node: "a", sha256: "new", seenMs: T0 });
    // The collector learns of it some seconds later; what it still believes puts the old key back by no means.
    ingest.write(batch(T0 + 1, { kubeletKeys: [{ node: "a", sha256: "old", seenMs: 1, offeredSha256: "newer" }] }));
    expect(ingest.kubeletKeys().get("a")).toEqual({ node: "a", sha256: "new", seenMs: T0, offeredSha256: "newer" });
    ingest.write(batch(T0 + 2, { kubeletKeys: [{ node: "a", sha256: "first", seenMs: 1 }] }));
    expect(ingest.kubeletKeys().get("a")).toEqual({ node: "a", sha256: "new", seenMs: T0, offeredSha256: "newer" });
    expect(await state.auditEntries({ limit: 5 })).toHaveLength(1);
  });

  it("is offered no longer once the kubelet shows the accepted one again", async () => {
    ingest.write(batch(T0, { kubeletKeys: [{ node: "a", sha256: "old", seenMs: 1, offeredSha256: "new" }] }));
    ingest.write(batch(T0 + 1, { kubeletKeys: [{ node: "a", sha256: "old", seenMs: 1 }] }));
    expect(ingest.kubeletKeys().get("a")).toEqual({ node: "a", sha256: "old", seenMs: 1 });
    expect(await state.acceptKubeletKey(permit, entry("request-1"), { node: "a", sha256: "new" })).toBe(false);
  });
});

describe("beside another writer", () => {
  it("a write waits out one that holds the file, while everything else in the process goes on", async () => {
    const letGo = holdWriteLock(store.file);
    let settled = false;
    const stored = state.startRun(permit, entry("request-1"), run("request-1")).finally(() => (settled = true));
    // A driver that waits by itself would let none of these through before it gives up.
    for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setTimeout(resolve, STATE_BUSY_TIMEOUT_MS / 2));
    expect(settled).toBe(false);
    letGo();
    expect((await stored).started).toBe(true);
  });

  it("gives up on one that never lets go, and says who is to blame", async () => {
    let tries = 0;
    const always = () => {
      tries += 1;
      return Promise.reject(new Error("busy"));
    };
    await expect(retry(always, () => true, { attempts: 4, firstDelayMs: 1, maxDelayMs: 2 })).rejects.toThrow("busy");
    expect(tries).toBe(4);
    await expect(retry(always, () => false)).rejects.toThrow("busy");
    expect(tries).toBe(5);
  });

  it("none of many writes at once is lost, and the collector's go on between them", async () => {
    const writes = Array.from({ length: 60 }, (_, index) => state.audit(permit, entry(`request-${index}`)));
    let batches = 0;
    for (const pending of writes) {
      ingest.write(batch(T0 + batches, { views: [view("a")] }));
      batches += 1;
      await pending;
    }
    expect((await state.auditEntries({ limit: 500 })).map((found) => found.requestId).sort()).toEqual(Array.from({ length: 60 }, (_, index) => `request-${index}`).sort());
    expect(ingest.write(batch(T0)).seq).toBe(61);
  });

  it("more writes than the queue holds are refused, the others stored", async () => {
    const writes = Array.from({ length: MAX_STATE_QUEUE + 5 }, (_, index) => state.audit(permit, entry(`request-${index}`)));
    const results = await Promise.allSettled(writes);
    expect(results.filter((result) => result.status === "rejected").map((result) => (result.reason as { code?: string }).code)).toEqual(Array(5).fill("too-many"));
    expect(await state.auditEntries({ limit: 500 })).toHaveLength(MAX_STATE_QUEUE);
  });

  it("a collector that cannot get the file within its patience is told that it is busy, and writes the same batch afterwards", () => {
    const letGo = holdWriteLock(store.file);
    expect(() => ingest.write(batch(T0, { views: [view("a")] }))).toThrow(expect.objectContaining({ name: "StoreUnwritable", reason: "busy" }) as Error);
    letGo();
    expect(ingest.write(batch(T0, { views: [view("a")] })).seq).toBe(1);
  });
});

describe("without a data file", () => {
  it("nothing is made, and the reason is told", async () => {
    const missing = openState({ file: `${store.file}.not-there` });
    await expect(missing.audit(permit, entry("request-1"))).rejects.toMatchObject({ name: "StoreUnwritable" });
    await missing.close();
  });
});
