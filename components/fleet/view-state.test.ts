import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { row } from "@/components/testing/summaries";
import { COLOURS, COLUMNS, DEFAULT_VIEW, filterRows, formatView, parseView, sortRows, tableItems, type ViewState } from "./view-state";
import { LOOKS } from "./model";

const view = (part: Partial<ViewState>): ViewState => ({ ...DEFAULT_VIEW, ...part });
const names = (rows: readonly { readonly name: string }[]): string[] => rows.map((one) => one.name);

describe("the view in the URL", () => {
  it("comes back from its own text", () => {
    const anyView = fc.record({
      answers: fc.subarray([...LOOKS]),
      pools: fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 5 }),
      text: fc.string({ maxLength: 40 }),
      sort: fc.record({ column: fc.constantFrom(...COLUMNS), descending: fc.boolean() }),
      group: fc.boolean(),
      colour: fc.constantFrom(...COLOURS),
    });
    fc.assert(
      fc.property(anyView, (some) => {
        expect(parseView(new URLSearchParams(formatView(some)))).toEqual(some);
      }),
    );
  });

  it("says nothing for the default view", () => {
    expect(formatView(DEFAULT_VIEW)).toBe("");
  });

  it("opens with the default where a link carries nonsense", () => {
    expect(parseView(new URLSearchParams("answer=maybe&sort=-colour&group=zone&colour=red"))).toEqual(DEFAULT_VIEW);
  });
});

describe("filters", () => {
  const rows = [row("node-1", { state: "no" }), row("edge-1", { pool: "edge", atRisk: true }), row("edge-2", { pool: "edge", summary: "Refused by multus" })];

  it("hold together: answer and pool and text", () => {
    expect(names(filterRows(rows, view({ answers: ["no", "risk"] })))).toEqual(["node-1", "edge-1"]);
    expect(names(filterRows(rows, view({ pools: ["edge"], answers: ["yes"] })))).toEqual(["edge-2"]);
    expect(names(filterRows(rows, view({ text: "MULTUS" })))).toEqual(["edge-2"]);
  });

  it("let everything through when there are none", () => {
    expect(filterRows(rows, DEFAULT_VIEW)).toBe(rows);
  });
});

describe("sorting", () => {
  it("puts the worst answer first, and among equals the most pods hurt", () => {
    const rows = [row("a"), row("b", { atRisk: true }), row("c", { state: "unknown" }), row("d", { state: "no", waiting: { value: 2 } }), row("e", { state: "no", waiting: { value: 200 } })];
    expect(names(sortRows(rows, DEFAULT_VIEW.sort))).toEqual(["e", "d", "c", "b", "a"]);
  });

  it("never sinks what nobody could see under what is known", () => {
    const rows = [row("zero", { dead: { value: 0 } }), row("blind", { dead: { words: "no data", blind: true } }), row("many", { dead: { value: 600 } })];
    expect(names(sortRows(rows, { column: "dead", descending: true }))).toEqual(["blind", "many", "zero"]);
  });

  it("counts 'no calls' and 'no limit' as less than any number", () => {
    const rows = [row("quiet", { p95: { words: "no calls", blind: false } }), row("slow", { p95: { low: 119, high: 298 } }), row("open", { p95: { low: 745 } })];
    expect(names(sortRows(rows, { column: "p95", descending: true }))).toEqual(["open", "slow", "quiet"]);
  });

  it("orders names as people count", () => {
    const rows = [row("node-10"), row("node-9")];
    expect(names(sortRows(rows, { column: "name", descending: false }))).toEqual(["node-9", "node-10"]);
  });
});

describe("grouping", () => {
  it("gives each pool a line above its nodes, the largest pool first, and loses none", () => {
    const rows = [row("a", { pool: "small" }), row("b", { pool: "large" }), row("c", { pool: "large" })];
    const items = tableItems(rows, true);
    expect(items.map((item) => (item.kind === "pool" ? `[${item.name}]` : item.row.name))).toEqual(["[large]", "b", "c", "[small]", "a"]);
  });
});
