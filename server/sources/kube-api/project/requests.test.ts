import { describe, expect, it } from "vitest";
import { requestReader } from "./requests";

const MI = 2 ** 20;
const asks = (memory?: unknown, more: object = {}) => ({ name: "c", resources: { requests: { ...(memory === undefined ? {} : { memory }), cpu: "100m" } }, ...more });

describe("what a pod asks for", () => {
  it.each([{}, { containers: "none" }, { initContainers: [asks("1Gi")] }])("is not told by %j", (spec) => {
    expect(requestReader()(spec)).toBeUndefined();
  });

  it.each([
    ["is the sum of its containers", { containers: [asks("64Mi"), asks("32Mi")] }, 96 * MI],
    ["is one init container where that asks for more", { containers: [asks("64Mi")], initContainers: [asks("1Gi"), asks("10Mi")] }, 1_024 * MI],
    ["holds sidecars beside the containers, and beside the init containers after them", { containers: [asks("64Mi")], initContainers: [asks("100Mi", { restartPolicy: "Always" }), asks("128Mi")] }, 228 * MI],
    ["is what the pod as a whole asks for, where that is set", { containers: [asks("64Mi")], resources: { requests: { memory: "200Mi" } } }, 200 * MI],
    ["has its runtime's overhead on top", { containers: [asks("64Mi")], overhead: { memory: "16Mi" } }, 80 * MI],
    ["is nothing where nothing is set", { containers: [{ name: "c" }] }, 0],
    ["is read past what is no quantity and no container", { containers: [asks("many"), asks({}), null, "x", asks("1Mi")], initContainers: "none" }, MI],
  ])("%s", (_, spec, memoryBytes) => {
    expect(requestReader()(spec)?.memoryBytes).toBe(memoryBytes);
  });

  it("is one object for all pods that ask for the same", () => {
    const read = requestReader();
    expect(read({ containers: [asks("64Mi")] })).toBe(read({ containers: [asks("65536Ki")] }));
    expect(read({ containers: [asks("64Mi")] })?.cpuCores).toBeCloseTo(0.1);
  });
});
