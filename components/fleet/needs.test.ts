import { describe, expect, it } from "vitest";
import { row } from "@/components/testing/summaries";
import { needsOf } from "./needs";

const pods = (value: number) => ({ waiting: { value } });

describe("needs you now", () => {
  it("is empty for a fleet in order", () => {
    expect(needsOf([row("a"), row("b", { idle: true })])).toEqual([]);
  });

  it("lists no before unknown before at risk, and system pods before many pods", () => {
    const needs = needsOf([
      row("risk", { atRisk: true, ...pods(9) }),
      row("blind", { state: "unknown", detail: "kubelet: refused" }),
      row("many", { state: "no", ...pods(300) }),
      row("system", { state: "no", ...pods(20), waitingSystem: 5 }),
    ]);
    expect(needs.map((need) => need.first.name)).toEqual(["system", "many", "blind", "risk"]);
  });

  it("tells nodes that are blind for one reason as one line, and others apart", () => {
    const needs = needsOf([
      row("e-2", { state: "unknown", detail: "agent: silent", sinceMs: 5 }),
      row("e-1", { state: "unknown", detail: "agent: silent", sinceMs: 9 }),
      row("f-1", { state: "unknown", detail: "kubelet: refused" }),
    ]);
    expect(needs.map((need) => need.rows.map((one) => one.name))).toEqual([["e-1", "e-2"], ["f-1"]]);
    expect(needs[0]?.sinceMs).toBe(5);
  });

  it("gives no number of pods where one of the nodes could not be counted", () => {
    const [need] = needsOf([row("a", { state: "unknown", detail: "x", waiting: { words: "no data", blind: true } }), row("b", { state: "unknown", detail: "x", ...pods(4) })]);
    expect(need?.waiting).toBeUndefined();
  });
});
