import { expect, test } from "vitest";
import { detailParts, runLink } from "./audit-detail";

test("what was tried and what was said come first, everything else follows, and null is none", () => {
  expect(detailParts({ action: "set-daemon-resources", params: { container: "kube-multus", cpuLimitCores: null, memoryLimitBytes: 4 * 2 ** 30, memoryRequestBytes: 1_000, deep: { a: 1 } }, message: "No.", title: "Set it" })).toEqual([
    { name: "title", text: "Set it" },
    { name: "message", text: "No." },
    { name: "action", text: "set-daemon-resources" },
    { name: "params", text: 'container kube-multus, cpu limit none, memory limit 4Gi, memory request 1000, deep {"a":1}' },
  ]);
});

test("a long detail is cut, a list and a null stay readable", () => {
  const [long, list, none] = detailParts({ a: "x".repeat(700), b: [1, 2], c: null });
  expect(long?.text).toHaveLength(601);
  expect([list?.text, none?.text]).toEqual(["[1,2]", "none"]);
});

test("only a run that was started has a page", () => {
  expect(runLink({ verb: "action.run", outcome: "done", requestId: "r" })).toBe("r");
  expect(runLink({ verb: "action.run", outcome: "failed", requestId: "r" })).toBe("r");
  expect(runLink({ verb: "action.run", outcome: "refused", requestId: "r" })).toBeUndefined();
  expect(runLink({ verb: "action.dry-run", outcome: "done", requestId: "r" })).toBeUndefined();
});
