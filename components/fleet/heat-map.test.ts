import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { row } from "@/components/testing/summaries";
import { cellAt, heightBudget, hitTest, layoutHeatMap } from "./heat-map-geometry";
import { moveOnMap } from "./heat-map-keys";
import { rampLevel } from "./heat-map-paint";

const anyFleet = fc.record({
  pools: fc.array(fc.record({ name: fc.string({ maxLength: 12 }), count: fc.integer({ min: 1, max: 900 }) }), { minLength: 1, maxLength: 12 }),
  width: fc.integer({ min: 200, max: 2_400 }),
});
const total = (pools: readonly { readonly count: number }[]): number => pools.reduce((sum, pool) => sum + pool.count, 0);

describe("the map's layout", () => {
  it("gives every node a cell of its own inside the map", () => {
    fc.assert(
      fc.property(anyFleet, ({ pools, width }) => {
        const layout = layoutHeatMap(pools, width);
        const taken = new Set<string>();
        for (let index = 0; index < total(pools); index += 1) {
          const cell = cellAt(layout, index);
          if (cell === undefined) throw new Error(`node ${index} has no cell`);
          taken.add(`${cell.x} ${cell.y}`);
          expect(cell.x + layout.step).toBeLessThanOrEqual(width + 1);
          expect(cell.y + layout.step).toBeLessThanOrEqual(layout.height);
        }
        expect(taken.size).toBe(total(pools));
      }),
      { numRuns: 40 },
    );
  });

  it("finds under a point the node whose cell it is", () => {
    fc.assert(
      fc.property(anyFleet, fc.nat(), ({ pools, width }, seed) => {
        const layout = layoutHeatMap(pools, width);
        const index = seed % total(pools);
        const cell = cellAt(layout, index);
        if (cell === undefined) throw new Error("no cell");
        expect(hitTest(layout, cell.x + layout.step / 2, cell.y + layout.step / 2)).toBe(index);
      }),
    );
  });

  it("finds nothing beside the cells", () => {
    const layout = layoutHeatMap([{ name: "general", count: 5 }], 800);
    expect(hitTest(layout, -3, 30)).toBeUndefined();
    expect(hitTest(layout, 790, 30)).toBeUndefined();
    expect(hitTest(layout, 10, 5)).toBeUndefined();
  });

  it("stays within its height for 24, 420 and 5,000 nodes on a usual screen", () => {
    for (const count of [24, 420, 5_000]) {
      const layout = layoutHeatMap([{ name: "a", count: Math.ceil(count / 2) }, { name: "b", count: Math.floor(count / 2) }], 1_392);
      expect(layout.height).toBeLessThanOrEqual(heightBudget(count, 1_392));
    }
  });

  it("keeps cells of a few hundred nodes large enough for a pointer and a letter", () => {
    expect(layoutHeatMap([{ name: "a", count: 420 }], 1_392).step).toBeGreaterThanOrEqual(20);
  });

  it("is empty without nodes", () => {
    expect(layoutHeatMap([], 1_000)).toMatchObject({ height: 0, blocks: [] });
  });
});

describe("the map's keyboard", () => {
  const layout = layoutHeatMap([{ name: "a", count: 30 }, { name: "b", count: 7 }], 400);
  const [a, b] = layout.blocks;
  if (a === undefined || b === undefined) throw new Error("two pools make two blocks");

  it("reaches the first and the last node, and stays there", () => {
    expect(moveOnMap(layout, 12, "Home")).toBe(0);
    expect(moveOnMap(layout, 12, "End")).toBe(36);
    expect(moveOnMap(layout, 36, "ArrowRight")).toBe(36);
    expect(moveOnMap(layout, 0, "ArrowLeft")).toBe(0);
  });

  it("moves along a column and stops at its ends", () => {
    expect(moveOnMap(layout, 0, "ArrowUp")).toBe(0);
    expect(moveOnMap(layout, 0, "ArrowDown")).toBe(a.rows > 1 ? 1 : 0);
    expect(moveOnMap(layout, a.rows - 1, "ArrowDown")).toBe(a.rows - 1);
  });

  it("crosses into the next pool and back", () => {
    const into = moveOnMap(layout, 29, "ArrowRight") ?? 0;
    expect(into).toBeGreaterThanOrEqual(30);
    expect(moveOnMap(layout, 30, "ArrowLeft")).toBeLessThan(30);
  });

  it("never leaves the map and visits every node by walking right and down", () => {
    fc.assert(
      fc.property(anyFleet, fc.nat(), fc.constantFrom("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"), ({ pools, width }, seed, key) => {
        const map = layoutHeatMap(pools, width);
        const next = moveOnMap(map, seed % total(pools), key);
        expect(next).toBeGreaterThanOrEqual(0);
        expect(next).toBeLessThan(total(pools));
      }),
    );
  });

  it("leaves other keys to the page", () => {
    expect(moveOnMap(layout, 3, "j")).toBeUndefined();
    expect(moveOnMap(layout, 3, "Tab")).toBeUndefined();
  });
});

describe("colouring by a number", () => {
  it("has no level where there is no number", () => {
    expect(rampLevel(row("a", { waiting: { words: "no data", blind: true } }), "waiting")).toBeUndefined();
    expect(rampLevel(row("a", { throttled: { words: "no limit", blind: false } }), "throttled")).toBeUndefined();
  });

  it("takes the upper edge of a range, and the lower one where there is no upper", () => {
    expect(rampLevel(row("a", { p95: { low: 119, high: 298 } }), "p95")).toBe(4);
    expect(rampLevel(row("a", { p95: { low: 745 } }), "p95")).toBe(4);
    expect(rampLevel(row("a", { p95: { low: 0.5, high: 1.2 } }), "p95")).toBe(0);
  });
});
