import { expect, test } from "vitest";
import { capText, compatibility, shiftTimes, type AgentReport } from "./agent-report";

const blind = { looked: false, reason: "none" } as const;
const report: AgentReport = { version: 1, node: "n", startId: "s", sequence: 1, atMs: 1_000, agentVersion: "0", runtime: blind, sandboxes: blind, sockets: blind, config: blind };
const sandbox = { id: "a", namespace: "d", name: "p", uid: "u", attempt: 0, ready: false };

test.each([
  [1, 1, { ok: true }],
  [1, 2, { ok: true }],
  [2, 1, { ok: true }],
  [1, 3, { ok: false, upgrade: "agent" }],
  [3, 1, { ok: false, upgrade: "server" }],
] as const)("report version %i against a server of version %i", (theirs, ours, verdict) => {
  expect(compatibility(theirs, ours)).toEqual(verdict);
});

test("a clock's correction moves every time of a report and invents none", () => {
  const items = [{ ...sandbox, createdMs: 400 }, sandbox];
  const moved = shiftTimes({ ...report, sandboxes: { looked: true, items, tookSeconds: 0, truncated: false } }, 250);
  expect(moved.atMs).toBe(1_250);
  expect(moved.sandboxes).toMatchObject({ items: [{ createdMs: 650 }, sandbox] });
  expect(shiftTimes(report, -250)).toEqual({ ...report, atMs: 750 });
});

test("text is cut to its bound with a mark, and left alone within it", () => {
  expect(capText("abc", 3)).toBe("abc");
  expect(capText("abcd", 3)).toBe("ab…");
});
