import { describe, expect, test } from "vitest";
import { allDone, currentStep, dryRunState, runBlocked, type TriedPlan } from "./sheet-step";
import { plan } from "./testing/plan";
import { run } from "./testing/run";

const at = Date.parse("2026-03-17T03:24:22.000Z");
const tried = (over: Partial<TriedPlan["result"]> = {}): TriedPlan => ({
  key: "values",
  result: { accepted: true, message: "", at: new Date(at).toISOString(), validUntil: new Date(at + 300_000).toISOString(), version: plan().version, ...over },
});

describe("a dry run", () => {
  test("counts for the same values and plan until it expires, to the millisecond", () => {
    expect(dryRunState(tried(), "values", plan(), at + 299_999)).toBe("valid");
    expect(dryRunState(tried(), "values", plan(), at + 300_000)).toBe("expired");
  });
  test("is void for other values, for another plan, where it was refused, and where there is no plan", () => {
    expect(dryRunState(tried(), "others", plan(), at)).toBe("other-values");
    expect(dryRunState(tried(), "values", plan({ version: "uid:16:no" }), at)).toBe("other-plan");
    expect(dryRunState(tried({ accepted: false }), "values", plan(), at)).toBe("refused");
    expect(dryRunState(tried(), "values", undefined, at)).toBe("other-plan");
    expect(dryRunState(undefined, "values", plan(), at)).toBe("none");
  });
});

test("the step is where the person is", () => {
  const idle = { run: undefined, sending: false, trying: false, dryRun: "none" } as const;
  expect(currentStep(idle)).toBe("Plan");
  expect(currentStep({ ...idle, trying: true })).toBe("Dry run");
  expect(currentStep({ ...idle, dryRun: "expired" })).toBe("Dry run");
  expect(currentStep({ ...idle, dryRun: "other-values" })).toBe("Plan");
  expect(currentStep({ ...idle, dryRun: "valid" })).toBe("Confirm");
  expect(currentStep({ ...idle, dryRun: "valid", sending: true })).toBe("Run");
  expect(currentStep({ ...idle, run: run({ state: "running" }) })).toBe("Run");
  expect(currentStep({ ...idle, run: run({ state: "failed" }) })).toBe("Run");
  expect(currentStep({ ...idle, run: run() })).toBe("Verify");
  expect(allDone(run())).toBe(false);
  expect(allDone(run({ state: "failed" }))).toBe(false);
});

test("the last button waits for plan, dry run and the exact name", () => {
  expect(runBlocked(plan(), "kube-multus-ds", "valid")).toBeUndefined();
  expect(runBlocked(plan(), "kube-multus-d", "valid")).toContain("kube-multus-ds");
  expect(runBlocked(plan(), "Kube-Multus-Ds", "valid")).toBeDefined();
  expect(runBlocked(plan(), "kube-multus-ds", "expired")).toBeDefined();
  expect(runBlocked(plan({ refusals: [{ message: "no" }] }), "kube-multus-ds", "valid")).toBeDefined();
  expect(runBlocked(plan({ confirm: { kind: "click", text: "" } }), "", "valid")).toBeUndefined();
});
