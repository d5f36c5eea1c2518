import { expect, test } from "vitest";
import type { AgentReport } from "./agent-report";
import { shiftTimes } from "./shift-times";
import { EVERY_LATER_PART } from "./testing/later-parts";

const blind = { looked: false, reason: "none" } as const;
const report: AgentReport = { version: 1, node: "n", startId: "s", sequence: 1, atMs: 1_000, agentVersion: "0", runtime: blind, sandboxes: blind, sockets: blind, config: blind };
const sandbox = { id: "a", namespace: "d", name: "p", uid: "u", attempt: 0, ready: false };

/** Every time in a value, by its place. */
function times(value: unknown, place = ""): Record<string, number> {
  if (typeof value !== "object" || value === null) return /Ms$/.test(place) && typeof value === "number" ? { [place]: value } : {};
  return Object.assign({}, ...Object.entries(value).map(([key, inner]) => times(inner, `${place}.${key}`))) as Record<string, number>; // of records only
}

test("a clock's correction moves every time of a report and invents none", () => {
  const items = [{ ...sandbox, createdMs: 400 }, sandbox];
  const whole: AgentReport = { ...report, ...EVERY_LATER_PART, lostReports: { thinned: 3, tooOld: 1, fromMs: 500, toMs: 900 }, sandboxes: { looked: true, items, tookSeconds: 0, truncated: false } };
  const before = times(whole);
  expect(Object.keys(before).length).toBeGreaterThanOrEqual(10);
  expect(times(shiftTimes(whole, 250))).toEqual(Object.fromEntries(Object.entries(before).map(([place, time]) => [place, time + 250])));
  expect(shiftTimes(report, -250)).toEqual({ ...report, atMs: 750 });
});

test("what is no time stays as it was, also in parts that could not be looked at", () => {
  const whole: AgentReport = { ...report, ...EVERY_LATER_PART };
  expect(shiftTimes(shiftTimes(whole, 99), -99)).toEqual(whole);
  const seesNothing: AgentReport = { ...report, cgroups: blind, processes: blind, mounts: blind, socketUse: blind, binaries: blind, configFiles: blind, caches: blind, kubelet: blind };
  expect(shiftTimes(seesNothing, 250)).toEqual({ ...seesNothing, atMs: 1_250 });
});
