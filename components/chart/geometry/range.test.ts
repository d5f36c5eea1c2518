import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_RANGE, formatRange, MAX_LENGTH_MS, MIN_LENGTH_MS, overviewOf, parseRange, stepRange, windowOf, zoomTo, type Range } from "./range";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-03-17T03:12:40Z");
const fixed: Range = { kind: "fixed", fromMs: NOW - 2 * HOUR, toMs: NOW - HOUR };

describe("a range in the URL", () => {
  it("comes back from its own text, to the second", () => {
    const anyRange: fc.Arbitrary<Range> = fc.oneof(
      fc.integer({ min: 1, max: 40_000 }).map((minutes): Range => ({ kind: "live", lengthMs: minutes * 60_000 })),
      fc.tuple(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 60, max: 2_000_000 })).map(([start, length]): Range => ({ kind: "fixed", fromMs: NOW + start * 1_000, toMs: NOW + (start + length) * 1_000 })),
    );
    fc.assert(
      fc.property(anyRange, (range) => {
        const { from, to } = formatRange(range);
        expect(parseRange(from, to)).toEqual(range);
      }),
    );
  });

  it.each([
    ["", ""], ["yesterday", "now"], ["2026-03-17T03:00:00Z", "2026-03-17T02:00:00Z"], ["2026-03-17T03:00:00Z", "2026-03-17T03:00:10Z"], ["2020-01-01T00:00:00Z", "2026-01-01T00:00:00Z"], ["now-5y", "now"],
  ])("shows the default for %s to %s", (from, to) => {
    expect(parseRange(from, to)).toEqual(DEFAULT_RANGE);
  });

  it("cuts a length beyond what is kept", () => {
    expect(parseRange("now-400d", "now")).toEqual({ kind: "live", lengthMs: MAX_LENGTH_MS });
  });
});

describe("a window", () => {
  it("follows now for a live range and stands for a fixed one", () => {
    expect(windowOf({ kind: "live", lengthMs: HOUR }, NOW)).toEqual({ fromMs: NOW - HOUR, toMs: NOW });
    expect(windowOf(fixed, NOW + HOUR)).toEqual({ fromMs: fixed.fromMs, toMs: fixed.toMs });
  });
});

describe("zoom", () => {
  it("takes the part that was dragged over, in whichever direction", () => {
    const window = { fromMs: 0, toMs: 10 * HOUR };
    expect(zoomTo(window, 0.2, 0.4, NOW)).toEqual(zoomTo(window, 0.4, 0.2, NOW));
    expect(zoomTo(window, 0.2, 0.4, NOW)).toEqual({ kind: "fixed", fromMs: 2 * HOUR, toMs: 4 * HOUR });
  });

  it("never makes a range too short to show, nor one beyond now", () => {
    const zoomed = zoomTo({ fromMs: NOW - HOUR, toMs: NOW }, 0.9999, 1, NOW);
    if (zoomed.kind !== "fixed") throw new Error("a zoom is fixed");
    expect(zoomed.toMs - zoomed.fromMs).toBe(MIN_LENGTH_MS);
    expect(zoomed.toMs).toBeLessThanOrEqual(NOW);
  });
});

describe("shorter and longer", () => {
  it("steps along the presets and stops at the ends", () => {
    expect(stepRange({ kind: "live", lengthMs: HOUR }, 1)).toEqual({ kind: "live", lengthMs: 6 * HOUR });
    expect(stepRange({ kind: "live", lengthMs: HOUR }, -1)).toEqual({ kind: "live", lengthMs: HOUR / 4 });
    const shortest: Range = { kind: "live", lengthMs: HOUR / 4 };
    expect(stepRange(shortest, -1)).toBe(shortest);
  });

  it("keeps the end of a fixed range", () => {
    expect(stepRange(fixed, 1)).toEqual({ kind: "fixed", fromMs: fixed.toMs - 6 * HOUR, toMs: fixed.toMs });
  });
});

describe("the overview", () => {
  it("always holds the whole range and never passes now", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 24 * 30 }), fc.integer({ min: 0, max: 24 * 30 }), (hours, ago) => {
        const toMs = NOW - ago * HOUR;
        const range: Range = { kind: "fixed", fromMs: toMs - hours * HOUR, toMs };
        const around = overviewOf(range, NOW);
        expect(around.fromMs).toBeLessThanOrEqual(range.fromMs);
        expect(around.toMs).toBeGreaterThanOrEqual(range.toMs);
        expect(around.toMs).toBeLessThanOrEqual(NOW);
      }),
    );
  });
});
