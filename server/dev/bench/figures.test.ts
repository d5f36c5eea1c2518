import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writeBetweenMarks } from "./docs";
import { markdownTable, met, shown, textTable, type Figure } from "./figures";
import { percentile } from "./statistics";

const folder = mkdtempSync(path.join(tmpdir(), "sandglass-bench-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const figure = (value: number, more: Partial<Figure> = {}): Figure => ({ part: "collector", what: "CPU", value, unit: "cores", ...more });
const target = { most: 0.3, words: "≤ 0.3 core at 500 nodes", nodes: 500 };

describe("a figure beside its target", () => {
  it("is met or not where the whole fleet was measured", () => {
    expect(met(figure(0.3, { nodes: 500, target }))).toBe("yes");
    expect(met(figure(0.31, { nodes: 500, target }))).toBe("no");
  });

  it("of a smaller fleet can miss the target, but not show that it is met", () => {
    expect(met(figure(0.31, { nodes: 50, target }))).toBe("no");
    expect(met(figure(0.01, { nodes: 50, target }))).toBe("not shown by 50 nodes");
  });

  it("without a target claims nothing", () => {
    expect(met(figure(9))).toBe("");
  });

  it("that is no number is never met", () => {
    expect(met(figure(NaN, { nodes: 500, target }))).toBe("no");
  });

  it("stands in both tables with what was measured, the target's words and the verdict", () => {
    const figures = [figure(0.214, { nodes: 500, target, note: "or less" })];
    expect(markdownTable(figures)).toContain("| collector | CPU | 0.214 core or less | ≤ 0.3 core at 500 nodes | yes |");
    expect(textTable(figures).split("\n")[1]).toMatch(/^collector {2}CPU {3}0\.214 core or less {2}≤ 0\.3 core at 500 nodes {2}yes$/);
  });

  it("is shown with its unit", () => {
    const units: readonly (readonly [Figure["unit"], number, string])[] = [["MiB", 281.3, "281 MiB"], ["ms", 7.421, "7.42 ms"], ["ms", 1_468.2, "1,468 ms"], ["KB", 184.63, "184.6 KB"], ["per second", 46_365.2, "46,365 /s"], ["bytes", 45.62, "45.6 B"], ["count", 17_280, "17,280"]];
    for (const [unit, value, words] of units) expect(shown(figure(value, { unit }))).toBe(words);
  });
});

describe("the page in the docs", () => {
  it("gets the table between its marks, again and again, and keeps the rest", () => {
    const file = path.join(folder, "page.md");
    writeFileSync(file, "before\n<!-- bench: written by npm run bench -- --write-docs -->\nold\n<!-- end of bench -->\nafter\n");
    writeBetweenMarks(file, "first");
    writeBetweenMarks(file, "second");
    expect(readFileSync(file, "utf8")).toBe("before\n<!-- bench: written by npm run bench -- --write-docs -->\n\nsecond\n\n<!-- end of bench -->\nafter\n");
  });

  it("is refused, not overwritten, where the marks are gone", () => {
    const file = path.join(folder, "lost.md");
    writeFileSync(file, "nothing here");
    expect(() => writeBetweenMarks(file, "table")).toThrow("has lost the lines");
    expect(readFileSync(file, "utf8")).toBe("nothing here");
  });

  it("has its marks", () => {
    const file = path.join(folder, "performance.md");
    writeFileSync(file, readFileSync(path.resolve(import.meta.dirname, "../../../docs/operate/performance.md")));
    writeBetweenMarks(file, "table");
    expect(readFileSync(file, "utf8")).toContain("\n\ntable\n\n");
  });
});

describe("percentiles", () => {
  it("are values that were measured, by nearest rank", () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect([percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1)]).toEqual([100, 198, 200]);
    expect(percentile([7], 0.5)).toBe(7);
  });

  it("of nothing are an error", () => {
    expect(() => percentile([], 0.5)).toThrow("nothing");
  });
});
