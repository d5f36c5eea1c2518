import { describe, expect, test } from "vitest";
import type { ActionRunOut } from "@/server/contract/schemas";
import { checkLabel, isSettled, neverSeen, nextCheck, outcomeOf, recentRun, type VerdictWord } from "./run-state";
import { run } from "./testing/run";

const judged = (...verdicts: readonly (VerdictWord | undefined)[]): ActionRunOut["verifications"] =>
  run().verifications.map((check, index) => {
    const verdict = verdicts[index];
    return verdict === undefined ? check : { ...check, verdict, because: "so" };
  });
/** `run()` whose change was not seen. */
const unseen = (over: Partial<ActionRunOut> = {}): ActionRunOut => {
  const { seen: _, ...rest } = run({ verifications: [], ...over });
  return rest;
};

describe("the outcome of a run", () => {
  test.each<[string, ActionRunOut, string]>([
    ["running", unseen({ state: "running" }), "running"],
    ["failed", unseen({ state: "failed" }), "failed"],
    ["interrupted, which is a state and no verdict", unseen({ state: "interrupted" }), "interrupted"],
    ["waiting until the change is seen", unseen(), "waiting-to-be-seen"],
    ["being checked before the first check", run(), "checking"],
    ["still being checked where the first check was too early", run({ verifications: judged("too-early") }), "checking"],
    ["the newest verdict while checks remain", run({ verifications: judged("worse") }), "worse"],
    ["what an earlier check saw where a later one could not verify", run({ verifications: judged("worse", "could-not-verify", "could-not-verify") }), "worse"],
    ["could not verify where nothing else is known", run({ verifications: judged("too-early", "could-not-verify") }), "could-not-verify"],
    ["the newest verdict of several", run({ verifications: judged("worse", "worked") }), "worked"],
    ["too early where no check remains", run({ verifications: judged("too-early", "too-early", "too-early") }), "too-early"],
  ])("is %s", (_, one, outcome) => {
    expect(outcomeOf(one)).toBe(outcome);
  });
});

test("a run is settled only when nothing of it will change", () => {
  expect(isSettled(unseen({ state: "running" }))).toBe(false);
  expect(isSettled(unseen())).toBe(false);
  expect(isSettled(run({ verifications: judged("worked", "worked") }))).toBe(false);
  expect(isSettled(run({ verifications: judged("worked", "worked", "worked") }))).toBe(true);
  expect(isSettled(unseen({ state: "failed" }))).toBe(true);
  expect(isSettled(unseen({ state: "interrupted" }))).toBe(true);
});

test("the next check is the first without a verdict, and is named by its minute after the change was seen", () => {
  const one = run({ verifications: judged("too-early") });
  const next = nextCheck(one);
  expect(next?.due).toBe(run().verifications[1]?.due);
  expect(run().verifications.map((check) => checkLabel(one, check))).toEqual(["+1 min", "+3 min", "+10 min"]);
  expect(checkLabel(run(), { due: run().seen ?? "" })).toBe("once");
});

test("a change that never reached its node is told from one that did", () => {
  expect(neverSeen(run())).toBe(false);
  expect(neverSeen(unseen())).toBe(false);
  expect(neverSeen(run({ verifications: [{ due: run().seen ?? "", verdict: "could-not-verify" }] }))).toBe(true);
});

test("a node shows the run that is under way, else one of the last hour, else none", () => {
  const done = run({ id: 1, verifications: judged("worked", "worked", "worked") });
  const under = run({ id: 2 });
  const now = Date.parse(done.started);
  expect(recentRun([done, under], now + 3 * 3_600_000)?.id).toBe(2);
  expect(recentRun([done], now + 59 * 60_000)?.id).toBe(1);
  expect(recentRun([done], now + 61 * 60_000)).toBeUndefined();
});
