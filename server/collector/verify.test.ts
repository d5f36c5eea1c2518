import { afterEach, beforeEach, expect, it } from "vitest";
import { buildView } from "../domain/build-view";
import { NOW_MS, nodeWindow } from "../domain/testing/builders";
import { DEFAULT_THRESHOLDS } from "../domain/thresholds";
import { createLog } from "../log";
import type { NewRun, State } from "../store/state-types";
import { entry, permit, requestId, run } from "../store/testing/actions";
import { closeStore, openWholeStore, type OpenStore } from "../store/testing/open-store";
import { T0 } from "../store/testing/temp-store";
import { carryOutVerifications } from "./verify";

let open: OpenStore & { readonly state: State };
beforeEach(() => {
  open = openWholeStore();
});
afterEach(() => closeStore(open));

const view = buildView(nodeWindow(), NOW_MS, DEFAULT_THRESHOLDS);
const log = createLog("silent", "test");
const QUARTER_HOUR_MS = 15 * 60_000;

/** A plan as another version may have left it. */
const unreadable = (id: string): NewRun => ({ ...run(id), plan: { ...run(id).plan, params: null } });

it("a run whose plan cannot be read keeps no other waiting, and its check says that it failed", async () => {
  const { state, ingest } = open;
  for (const one of [unreadable("request-1"), run("request-2")]) {
    const { run: made } = await state.startRun(permit, entry(one.requestId), one);
    await state.finishRun(permit, entry(one.requestId, "done"), made.id, { state: "applied", atMs: T0 });
  }
  carryOutVerifications(ingest.verifications, () => view, T0 + QUARTER_HOUR_MS + 1, log);
  const verdicts = async (id: string) => (await state.run(requestId(id)))?.verifications.map(({ verdict, because }) => [verdict, because]);
  expect(await verdicts("request-1")).toEqual([["could-not-verify", "Sandglass failed to carry out this check; its log has the reason."]]);
  expect(await verdicts("request-2")).toEqual([["could-not-verify", expect.not.stringContaining("failed to carry out")]]);
});

it("a run of an action that this version does not know, or of a node that is gone, is not verified and says why", async () => {
  const { state, ingest } = open;
  for (const one of [{ ...run("request-1"), plan: { ...run("request-1").plan, action: "of-tomorrow" } }, { ...run("request-2"), plan: { ...run("request-2").plan, node: "gone" } }]) {
    const { run: made } = await state.startRun(permit, entry(one.requestId), one);
    await state.finishRun(permit, entry(one.requestId, "done"), made.id, { state: "applied", atMs: T0 });
  }
  carryOutVerifications(ingest.verifications, (node) => (node === "gone" ? undefined : view), T0 + QUARTER_HOUR_MS + 1, log);
  const because = async (id: string) => (await state.run(requestId(id)))?.verifications.map((check) => check.because);
  expect(await because("request-1")).toEqual(["This version does not know the action."]);
  expect(await because("request-2")).toEqual(["The node is gone."]);
});
