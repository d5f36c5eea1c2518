import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { axisFor, shareFromTop, type AxisUnit } from "./scale";
import { timeTicks, zoneOffsetMs } from "./time-ticks";

describe("a y axis", () => {
  it("starts at zero, holds the highest value, and has two to five ticks", () => {
    fc.assert(
      fc.property(fc.constantFrom<AxisUnit>("count", "seconds", "bytes"), fc.double({ min: 0, max: 1e6, noNaN: true }), (unit, value) => {
        const highest = unit === "bytes" ? value * 1e6 : value;
        const { max, ticks } = axisFor(unit, highest);
        expect(max).toBeGreaterThanOrEqual(highest * (1 - 1e-9));
        expect(ticks[0]).toBe(0);
        expect(ticks.at(-1)).toBeCloseTo(max, 6);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(5);
      }),
    );
  });

  it("takes steps that people read: whole minutes, powers of two of Mi", () => {
    expect(axisFor("seconds", 288).ticks).toEqual([0, 120, 240, 360]);
    expect(axisFor("bytes", 1.25 * 1_024 ** 3).ticks).toEqual([0, 512 * 1_024 ** 2, 1_024 ** 3, 1.5 * 1_024 ** 3]);
    expect(axisFor("count", 603).ticks).toEqual([0, 200, 400, 600, 800]);
  });

  it("always shows a share against the whole", () => {
    expect(axisFor("ratio", 0.02)).toEqual({ max: 1, ticks: [0, 0.5, 1] });
  });

  it("keeps a value that passes the axis inside the plot", () => {
    expect(shareFromTop(900, { max: 600, ticks: [] })).toBe(0);
    expect(shareFromTop(0, { max: 600, ticks: [] })).toBe(1);
  });
});

describe("the time axis", () => {
  it("has at most as many ticks as asked for, all round and inside", () => {
    const HOUR = 3_600_000;
    const from = Date.parse("2026-03-17T02:12:40Z");
    fc.assert(
      fc.property(fc.constantFrom(0.25, 1, 6, 24, 24 * 7, 24 * 30), fc.integer({ min: 3, max: 14 }), (hours, most) => {
        const { ticks, stepMs } = timeTicks({ fromMs: from, toMs: from + hours * HOUR }, most);
        expect(ticks.length).toBeLessThanOrEqual(most + 1);
        for (const tick of ticks) {
          expect(tick % stepMs).toBe(0);
          expect(tick).toBeGreaterThanOrEqual(from);
          expect(tick).toBeLessThanOrEqual(from + hours * HOUR);
        }
      }),
    );
  });

  it("counts days as the reader's zone does", () => {
    const at = Date.parse("2026-07-01T00:00:00Z");
    expect(zoneOffsetMs(at, "Europe/Berlin")).toBe(2 * 3_600_000);
    expect(zoneOffsetMs(at, "Asia/Kolkata")).toBe(5.5 * 3_600_000);
    const { ticks } = timeTicks({ fromMs: at, toMs: at + 2 * 86_400_000 }, 3, zoneOffsetMs(at, "Europe/Berlin"));
    expect(ticks.map((tick) => new Date(tick).toISOString())).toEqual(["2026-07-01T22:00:00.000Z", "2026-07-02T22:00:00.000Z"]);
  });
});
