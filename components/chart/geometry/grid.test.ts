import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gridOf, holesOf, newest, toGrid, type Series } from "./grid";
import { mergeGaps, NO_DATA } from "./gaps";
import { runsOf } from "./strips";

const STEP = 15_000;
const series = (points: readonly (readonly [number, number])[]): Series => ({ at: points.map(([at]) => at), min: points.map(([, value]) => value), max: points.map(([, value]) => value), last: points.map(([, value]) => value) });
const steady = (from: number, count: number, value = 1): (readonly [number, number])[] => Array.from({ length: count }, (_, index) => [from + index * STEP, value] as const);

describe("a series on the grid", () => {
  it("puts each sample into its column", () => {
    const grid = gridOf({ fromMs: 0, toMs: 4 * STEP }, 720, 0);
    expect(toGrid(series([[0, 1], [STEP, 2], [2 * STEP, 3]]), grid).last.slice(0, 3)).toEqual([1, 2, 3]);
  });

  it("breaks at a gap at once, and bridges nothing", () => {
    const grid = gridOf({ fromMs: 0, toMs: 40 * STEP }, 720, 0);
    const values = toGrid(series([...steady(0, 10), ...steady(30 * STEP, 10)]), grid).last;
    expect(values.slice(0, 10)).toEqual(new Array(10).fill(1));
    expect(values.slice(10, 30)).toEqual(new Array(20).fill(undefined));
    expect(values[30]).toBe(1);
  });

  it("never makes a zero out of nothing", () => {
    const grid = gridOf({ fromMs: 0, toMs: 20 * STEP }, 720, 0);
    expect(toGrid(undefined, grid).last.every((value) => value === undefined)).toBe(true);
    expect(toGrid(series([]), grid).max.every((value) => value === undefined)).toBe(true);
  });

  it("holds a value for three of the series' own periods at the live end, and no longer", () => {
    const grid = gridOf({ fromMs: 0, toMs: 20 * STEP }, 720, 0);
    const values = toGrid(series(steady(0, 10)), grid).last;
    expect(values[12]).toBe(1);
    expect(values[13]).toBeUndefined();
  });

  it("holds the values of a slower source between its samples", () => {
    const grid = gridOf({ fromMs: 0, toMs: 20 * STEP }, 720, 0);
    const minutely = series([0, 4, 8, 12, 16, 20].map((column) => [column * STEP, column] as const));
    expect(toGrid(minutely, grid).last.every((value) => value !== undefined)).toBe(true);
  });

  it("takes two samples an hour apart for a gap, not for a source that tells once an hour", () => {
    const grid = gridOf({ fromMs: 0, toMs: 240 * STEP }, 720, 0);
    const values = toGrid(series([[0, 1], [240 * STEP, 9]]), grid).last;
    expect(values.filter((value) => value !== undefined)).toEqual([1, 9]);
  });

  it("keeps a spike that lasted one sample, however coarse the columns are", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 10, max: 300 }), (spike, points) => {
        const values = Array.from({ length: 1_000 }, (_, index) => [index * STEP, index === spike ? 99 : 1] as const);
        const grid = gridOf({ fromMs: 0, toMs: 999 * STEP }, points, 0);
        expect(Math.max(...toGrid(series(values), grid).max.filter((value) => value !== undefined))).toBe(99);
      }),
    );
  });

  it("reads 'now' only while the series still speaks", () => {
    expect(newest([1, 2, undefined])).toBe(2);
    expect(newest([1, undefined, undefined])).toBeUndefined();
  });
});

describe("gaps", () => {
  const grid = gridOf({ fromMs: 0, toMs: 100 * STEP }, 720, 0);

  it("are found where a series is silent, but not before its first sample of the range", () => {
    const values = toGrid(series([...steady(STEP, 20), ...steady(50 * STEP, 50)]), grid);
    expect(holesOf(values, grid)).toEqual([{ fromMs: 21 * STEP, toMs: 50 * STEP }]);
  });

  it("are found over the whole range where nothing was told at all", () => {
    expect(holesOf(toGrid(undefined, grid), grid)).toEqual([{ fromMs: 0, toMs: 101 * STEP }]);
  });

  it("that overlap are one, with the reason that says something", () => {
    const merged = mergeGaps([{ fromMs: 10, toMs: 30, reason: "the node was rebooting" }], [{ fromMs: 5, toMs: 20 }, { fromMs: 60, toMs: 90 }], { fromMs: 0, toMs: 80 });
    expect(merged).toEqual([{ fromMs: 5, toMs: 30, reason: "the node was rebooting" }, { fromMs: 60, toMs: 80, reason: NO_DATA }]);
  });
});

describe("a strip", () => {
  it("covers the window without overlap, and shows silence as a stretch of its own", () => {
    const window = { fromMs: 0, toMs: 40 * STEP };
    const grid = gridOf(window, 720, 0);
    const runs = runsOf(toGrid(series([...steady(0, 10, 0), ...steady(10 * STEP, 5, 2), ...steady(30 * STEP, 11, 0)]), grid), grid, window);
    expect(runs.map((run) => run.value)).toEqual([0, 2, undefined, 0]);
    runs.slice(1).forEach((run, index) => expect(run.fromMs).toBe(runs[index]?.toMs));
    expect(runs.at(-1)?.toMs).toBe(window.toMs);
  });
});
