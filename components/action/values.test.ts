import { describe, expect, test } from "vitest";
import { effectWords, localErrors, paramsOf, sameParams, spaced, valuesBefore, valuesOf } from "./values";

const lasting = { container: "kube-multus", cpuLimit: null, memoryRequest: "256Mi", memoryLimit: "4Gi" };

describe("the fields of a plan", () => {
  test("no limit is null in the request, whatever the field still holds", () => {
    expect(paramsOf("kube-multus", { cpuLimit: "100m", noCpuLimit: true, memoryRequest: " 256Mi ", memoryLimit: "4Gi" })).toEqual(lasting);
  });
  test("an empty memory field is left out, so that what stands is kept", () => {
    expect(paramsOf("c", { cpuLimit: " 2 ", noCpuLimit: false, memoryRequest: "", memoryLimit: " " })).toEqual({ container: "c", cpuLimit: "2" });
  });
  test("parameters survive the way through the fields", () => {
    for (const params of [lasting, { container: "c", cpuLimit: "2", memoryLimit: "4Gi" }, { container: "c", cpuLimit: "100m" }]) expect(paramsOf(params.container, valuesOf(params))).toEqual(params);
  });
  test("an empty CPU limit that is not none is an error of that field", () => {
    expect(localErrors({ cpuLimit: " ", noCpuLimit: false, memoryRequest: "", memoryLimit: "" })).toEqual({ cpuLimit: expect.stringContaining("choose no limit") });
    expect(localErrors({ cpuLimit: "", noCpuLimit: true, memoryRequest: "", memoryLimit: "" })).toEqual({});
  });
  test("a quantity over the API's length is refused with both numbers", () => {
    expect(localErrors({ cpuLimit: "2", noCpuLimit: false, memoryRequest: "", memoryLimit: "4".repeat(33) })).toEqual({ memoryLimit: "Memory limit has 33 characters: at most 32." });
  });
  test("what is no quantity is told by its field, and a field that is none is not looked at", () => {
    const values = { cpuLimit: "two", noCpuLimit: false, memoryRequest: "1Zi", memoryLimit: "4Gi" };
    expect(localErrors(values)).toEqual({ cpuLimit: expect.stringContaining('"two"'), memoryRequest: expect.stringContaining('"1Zi"') });
    expect(localErrors({ ...values, noCpuLimit: true, memoryRequest: "" })).toEqual({});
  });
});

test("parameters are the same only where all four are", () => {
  expect(sameParams(lasting, { ...lasting })).toBe(true);
  expect(sameParams(lasting, { ...lasting, cpuLimit: "2" })).toBe(false);
  expect(sameParams(lasting, { container: "kube-multus", cpuLimit: null, memoryLimit: "4Gi" })).toBe(false);
});

test("a button says its effect in words", () => {
  expect(effectWords({ container: "c", cpuLimit: "2", memoryLimit: "4Gi" })).toBe("2 CPU and 4 Gi");
  expect(effectWords(lasting)).toBe("no CPU limit, 4 Gi");
  expect(effectWords({ container: "c", cpuLimit: "100m" })).toBe("100m CPU and memory as it is");
  expect([spaced("256Mi"), spaced("1.5Gi"), spaced("1073741824"), spaced("100m")]).toEqual(["256 Mi", "1.5 Gi", "1073741824", "100m"]);
});

describe("the values to go back to", () => {
  const step = (after: string) => ({ title: "Check", state: "done" as const, started: "2026-03-17T03:25:08.000Z", after });
  const before = (after: string) => valuesBefore({ params: lasting, steps: [step(after), step(JSON.stringify([{ name: "kube-multus", resources: { limits: { memory: "4Gi" } } }]))] });
  test("are what the first step saw, of the container that was changed", () => {
    expect(before(JSON.stringify([{ name: "other", resources: { limits: { cpu: "9" } } }, { name: "kube-multus", resources: { limits: { cpu: "100m", memory: "1Gi" }, requests: { cpu: "100m", memory: "50Mi" } } }]))).toEqual({
      container: "kube-multus", cpuLimit: "100m", memoryRequest: "50Mi", memoryLimit: "1Gi",
    });
  });
  test("without a limit are none, not zero", () => {
    expect(before(JSON.stringify([{ name: "kube-multus" }]))).toEqual({ container: "kube-multus", cpuLimit: null });
  });
  test("are unknown where the record is cut off, of another shape, or missing", () => {
    for (const text of ['[{"name":"kube-mul', '"text"', "null", '{"name":"kube-multus"}', '[{"name":"other"}]']) expect(before(text)).toBeUndefined();
    expect(valuesBefore({ params: lasting, steps: [] })).toBeUndefined();
  });
});
