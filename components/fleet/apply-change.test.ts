import { describe, expect, it } from "vitest";
import { answered, change, row, summary } from "@/components/testing/summaries";
import { applyChange } from "./apply-change";
import { countFleet, type FleetModel } from "./model";

const MINUTE = 60_000;
const NOW = Date.parse("2026-03-17T03:12:40.000Z");
const model = (part: Partial<FleetModel> = {}): FleetModel => ({
  atMs: NOW - 5_000,
  seq: 10,
  rows: [row("node-1"), row("node-2"), row("node-10")],
  history: [{ atMs: NOW - 2 * MINUTE, no: 0, unknown: 0 }, { atMs: NOW - MINUTE + 1, no: 0, unknown: 0 }],
  changes: [],
  ...part,
});

describe("a message of the stream", () => {
  it("changes the nodes that it tells of and leaves the others as they are", () => {
    const before = model();
    const after = applyChange(before, change(11, [answered("node-2", "no")]));
    expect(after.rows.map((one) => [one.name, one.state])).toEqual([["node-1", "yes"], ["node-2", "no"], ["node-10", "yes"]]);
    expect(after.rows[0]).toBe(before.rows[0]);
    expect(after.seq).toBe(11);
  });

  it("is not applied twice, nor after a newer one", () => {
    const before = model();
    expect(applyChange(before, change(10, [answered("node-2", "no")]))).toBe(before);
    expect(applyChange(before, change(9, [answered("node-2", "no")]))).toBe(before);
  });

  it("adds a new node in the order of names and takes away one that is gone", () => {
    const after = applyChange(model(), change(11, [summary("node-3")], { gone: ["node-1"] }));
    expect(after.rows.map((one) => one.name)).toEqual(["node-2", "node-3", "node-10"]);
  });

  it("lists a change of answer or mark once, and none where only figures changed", () => {
    const after = applyChange(model(), change(11, [answered("node-1", "no", { since: "2026-03-17T03:12:30.000Z" }), answered("node-2", "yes", { atRisk: true }), summary("node-10")]));
    expect(after.changes.map((one) => [one.node, one.before, one.state, one.atRisk]).sort()).toEqual([["node-1", "yes", "no", false], ["node-2", "yes", "yes", true]]);
  });

  it("keeps the worst moment of a step of the history, and opens the next one when it is over", () => {
    const worst = applyChange(model(), change(11, [answered("node-1", "no")]));
    expect(worst.history.at(-1)).toMatchObject({ no: 1 });
    const better = applyChange(worst, change(12, [summary("node-1")]));
    expect(better.history.at(-1)).toMatchObject({ no: 1 });
    const later = applyChange(better, change(13, [summary("node-1")], { at: new Date(NOW + MINUTE).toISOString() }));
    expect(later.history).toHaveLength(2);
    expect(later.history.at(-1)).toMatchObject({ no: 0 });
  });

  it("fills steps without a word with what held until then", () => {
    const before = model({ history: [0, 1, 2, 3].map((index) => ({ atMs: NOW - (6 - index) * MINUTE, no: 2, unknown: 0 })) });
    const after = applyChange(before, change(11, [summary("node-1")]));
    expect(after.history.map((bucket) => bucket.no)).toEqual([2, 2, 2, 0]);
  });

  it("counts unknown as unknown alone and at risk as yes", () => {
    const after = applyChange(model(), change(11, [answered("node-1", "unknown"), answered("node-2", "yes", { atRisk: true })]));
    expect(countFleet(after.rows)).toMatchObject({ nodes: 3, no: 0, unknown: 1, yes: 2, atRisk: 1 });
  });
});
