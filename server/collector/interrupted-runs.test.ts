import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../log";
import { openIngest } from "../store/ingest";
import { openState } from "../store/state";
import type { State } from "../store/state-types";
import { entry, permit, requestId, run } from "../store/testing/actions";
import { holdWriteLock } from "../store/testing/hold";
import { T0, tempStore } from "../store/testing/temp-store";
import { StoreUnwritable, type Ingest } from "../store/types";
import { InterruptedRuns } from "./interrupted-runs";

let store: ReturnType<typeof tempStore>;
let ingest: Ingest;
let state: State;
beforeEach(() => {
  store = tempStore();
  ingest = openIngest({ file: store.file, nowMs: T0 });
  state = openState({ file: store.file });
});
afterEach(async () => {
  await state.close();
  ingest.close();
  store.remove();
});

const stateOf = async (id: string) => (await state.run(requestId(id)))?.state;

test("a run whose web process ended while nothing could be written is interrupted once something can, and what was begun since is not", async () => {
  const runs = new InterruptedRuns(ingest.verifications, createLog("silent", "test"));
  await state.startRun(permit, entry("request-1"), run("request-1"));
  runs.leftBehind(T0 + 1_000);
  await state.startRun(permit, entry("request-2"), { ...run("request-2"), startedMs: T0 + 2_000 });
  const letGo = holdWriteLock(store.file);
  try {
    expect(() => runs.end(T0 + 3_000)).toThrow(StoreUnwritable);
  } finally {
    letGo();
  }
  expect(await stateOf("request-1")).toBe("running");
  runs.end(T0 + 4_000);
  expect([await stateOf("request-1"), await stateOf("request-2")]).toEqual(["interrupted", "running"]);
  runs.end(T0 + 5_000);
  expect(await stateOf("request-2")).toBe("running");
});
