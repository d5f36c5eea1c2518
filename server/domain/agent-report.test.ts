import { expect, test } from "vitest";
import { capText, compatibility } from "./agent-report";

test.each([
  [1, 1, { ok: true }],
  [1, 2, { ok: true }],
  [2, 1, { ok: true }],
  [1, 3, { ok: false, upgrade: "agent" }],
  [3, 1, { ok: false, upgrade: "server" }],
] as const)("report version %i against a server of version %i", (theirs, ours, verdict) => {
  expect(compatibility(theirs, ours)).toEqual(verdict);
});

test("text is cut to its bound with a mark, and left alone within it", () => {
  expect(capText("abc", 3)).toBe("abc");
  expect(capText("abcd", 3)).toBe("ab…");
});
