import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scrollToLine, visibleLines } from "./visible-lines";

describe("the lines of a long table that are on the page", () => {
  it("always hold every line that is in view, and never one that does not exist", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000 }), fc.constantFrom(32, 40), fc.integer({ min: -3_000, max: 210_000 }), fc.integer({ min: 100, max: 2_000 }), (count, linePx, top, height) => {
        const { start, end } = visibleLines(count, linePx, top, height);
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(count);
        for (let line = Math.max(0, Math.floor(top / linePx)); line < Math.min(count, Math.ceil((top + height) / linePx)); line += 1) {
          expect(line >= start && line < end).toBe(true);
        }
      }),
    );
  });

  it("are few, however many nodes there are", () => {
    const { start, end } = visibleLines(5_000, 32, 64_000, 900);
    expect(end - start).toBeLessThan(60);
  });
});

describe("walking the table by keyboard", () => {
  it("scrolls as far as the next line needs to be whole in view, and not at all where it is", () => {
    expect(scrollToLine(3, 32, 0, 900, 46)).toBe(0);
    expect(scrollToLine(30, 32, 0, 900, 46)).toBe(31 * 32 - 900);
    expect(scrollToLine(0, 32, 320, 900, 46)).toBe(-366);
  });
});
