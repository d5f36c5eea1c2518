import { afterEach, beforeEach, expect, it } from "vitest";
import { ORDER_VALID_MS, TAKE_WITHIN_MS, TOLD_WITHIN_MS, type WorkObject, type WorkOrder } from "../domain/actions/work-order";
import type { State } from "./state-types";
import { entry, permit, requestId, run } from "./testing/actions";
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

const ID = "order-0001";
const order = (over: Partial<WorkOrder> = {}): WorkOrder => ({ id: ID, node: "a", action: "purge-dead-sandboxes", dry: false, planVersion: "v1", requestedBy: "anna", issuedMs: T0, expiresMs: T0 + ORDER_VALID_MS, params: { parallel: 1 }, objects: ["one", "two"], ...over });
const object = (id: string, outcome: WorkObject["outcome"]): WorkObject => ({ id, name: id, outcome });
const begin = async (): Promise<void> => void (await state.startRun(permit, entry("request-1"), { ...run("request-1"), order: order() }));
const theRun = () => state.run(requestId("request-1"));
const outcomes = async () => (await state.auditEntries({ limit: 9 })).map(({ outcome }) => outcome);

it("an order is handed out once, and only until its time to be taken is over", async () => {
  await begin();
  expect(ingest.work.waiting(T0).map((work) => work.order)).toEqual([order()]);
  expect([ingest.work.take(ID, T0 + TAKE_WITHIN_MS), ingest.work.take(ID, T0 + 1), ingest.work.take(ID, T0 + 1)]).toEqual([false, true, false]);
  expect([ingest.work.waiting(T0 + 2), ingest.work.taken("a").length, ingest.work.taken("b")]).toEqual([[], 1, []]);
});

it("what is told is merged by object, the last word ends the run with its audit entry, and the same word twice changes nothing", async () => {
  await begin();
  expect(ingest.work.told(ID, "a", { state: "running", objects: [] }, T0)).toBe(false); // nobody has taken it
  ingest.work.take(ID, T0 + 1);
  expect(ingest.work.told(ID, "b", { state: "ended", objects: [] }, T0 + 2)).toBe(false);
  for (let time = 0; time < 2; time++) expect(ingest.work.told(ID, "a", { state: "running", objects: [object("one", "done")] }, T0 + 2)).toBe(true);
  expect(await theRun()).toMatchObject({ state: "running", steps: [{ state: "running", after: "1 done" }] });
  for (let time = 0; time < 2; time++) expect(ingest.work.told(ID, "a", { state: "ended", objects: [object("one", "done"), object("two", "failed")] }, T0 + 3)).toBe(true);
  expect(await theRun()).toMatchObject({ state: "applied", finishedMs: T0 + 3, steps: [{ state: "done", after: "1 done, 1 failed" }] });
  expect((await state.work({ id: ID }))?.outcome?.objects).toEqual([object("one", "done"), object("two", "failed")]);
  expect(await outcomes()).toEqual(["done", "allowed"]);
});

it("a run of which nothing was done has failed, with the first reason", async () => {
  await begin();
  ingest.work.take(ID, T0);
  ingest.work.told(ID, "a", { state: "ended", objects: [{ ...object("one", "failed"), reason: "the daemon is away" }] }, T0 + 1);
  expect(await theRun()).toMatchObject({ state: "failed", error: "Nothing was done. one: the daemon is away" });
  expect(await outcomes()).toEqual(["failed", "allowed"]);
});

it("an order that nobody took fails its run; one that was taken and not told of interrupts it, until a late word says what happened", async () => {
  await begin();
  expect(ingest.work.expire(T0 + TAKE_WITHIN_MS - 1)).toBe(0);
  ingest.work.take(ID, T0 + 1);
  expect(ingest.work.expire(T0 + ORDER_VALID_MS + TOLD_WITHIN_MS - 1)).toBe(0);
  expect(ingest.work.expire(T0 + ORDER_VALID_MS + TOLD_WITHIN_MS)).toBe(1);
  expect(await theRun()).toMatchObject({ state: "interrupted" });
  ingest.work.told(ID, "a", { state: "ended", objects: [object("one", "done")] }, T0 + 2 * ORDER_VALID_MS);
  expect(await theRun()).toMatchObject({ state: "applied" });
  expect(await outcomes()).toEqual(["done", "failed", "allowed"]);
});

it("a restart of the collector interrupts runs of its own and none of an agent", async () => {
  await begin();
  await state.startRun(permit, entry("request-2"), run("request-2"));
  expect(ingest.verifications.interrupt(T0 + 1, T0 + 1)).toBe(1);
  expect([(await theRun())?.state, (await state.run(requestId("request-2")))?.state]).toEqual(["running", "interrupted"]);
});

it("a dry order is found by its plan while it counts, and is gone a day later", async () => {
  await state.askDry(permit, entry("request-1"), order({ dry: true, objects: [] }));
  const tried = (sinceMs: number, version = "v1") => state.triedDry({ node: "a", version, sinceMs });
  expect(await tried(T0)).toBeUndefined();
  ingest.work.take(ID, T0);
  ingest.work.told(ID, "a", { state: "ended", objects: [object("one", "would")] }, T0 + 5);
  expect((await tried(T0))?.outcome?.objects).toEqual([object("one", "would")]);
  expect([await tried(T0 + 6), await tried(T0, "v2")]).toEqual([undefined, undefined]);
  ingest.work.expire(T0 + 24 * 3_600_000 + 1);
  expect(await state.work({ id: ID })).toBeUndefined();
});
