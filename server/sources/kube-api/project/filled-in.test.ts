import { describe, expect, it } from "vitest";
import { filledIn } from "./filled-in";

describe("what a LimitRange filled in", () => {
  it("is told by container, limits and requests apart, init containers too", () => {
    expect(filledIn("LimitRanger plugin set: cpu, memory request for container kube-multus; cpu, memory limit for container kube-multus; memory limit for init container install")).toEqual([
      { container: "kube-multus", init: false, requests: ["cpu", "memory"], limits: ["cpu", "memory"] },
      { container: "install", init: true, requests: [], limits: ["memory"] },
    ]);
  });

  it.each([undefined, "", "LimitRanger plugin set: ", "somebody else's words", "LimitRanger plugin set: memory limit", "LimitRanger plugin set: memory limit for pod x", "LimitRanger plugin set: memory limit for container "])("is nothing in %j", (text) => {
    expect(filledIn(text)).toBeUndefined();
  });

  it("has a bound", () => {
    const many = Array.from({ length: 500 }, (_, index) => `memory limit for container c${index}`).join("; ");
    expect(filledIn(`LimitRanger plugin set: ${many}`)).toHaveLength(64);
  });
});
