import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counterIncrease } from "./counter";

describe("the increase of a counter", () => {
  it.each<[string, number | undefined, number, boolean, number | undefined]>([
    ["is the difference", 5, 8, false, 3],
    ["is nothing where nothing was counted", 5, 5, false, 0],
    ["is not known from a first reading", undefined, 5, false, undefined],
    ["is all that it shows after a fall, for it began again at zero", 500, 3, false, 3],
    ["is all that it shows after a restart, even where that is more than before", 5, 9, true, 9],
    ["is all that it shows where the first reading follows a restart", undefined, 9, true, 9],
    ["is not known of a reading that is no number", 5, NaN, false, undefined],
    ["is not known of a reading without end", 5, Infinity, true, undefined],
    ["is not known of a negative reading", 5, -1, false, undefined],
    ["is not known after a reading that was no number", NaN, 5, false, undefined],
  ])("%s", (_what, before, after, restarted, expected) => {
    expect(counterIncrease(before, after, restarted)).toBe(expected);
  });

  it("adds up to all that was counted, whatever restarts there were, as long as they are told", () => {
    const life = fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 10 }); // what was counted between readings
    fc.assert(
      fc.property(fc.array(life, { minLength: 1, maxLength: 6 }), (lives) => {
        let before: number | undefined;
        let gained = 0;
        for (const counted of lives) {
          let value = 0;
          counted.forEach((count, index) => {
            value += count;
            gained += counterIncrease(before, value, index === 0) ?? NaN;
            before = value;
          });
        }
        expect(gained).toBe(lives.flat().reduce((sum, count) => sum + count, 0));
      }),
    );
  });

  it("is never negative and never more than the reading, told restart or not", () => {
    fc.assert(
      fc.property(fc.option(fc.double(), { nil: undefined }), fc.double(), fc.boolean(), (before, after, restarted) => {
        const gained = counterIncrease(before, after, restarted);
        if (gained !== undefined) expect(gained >= 0 && gained <= after).toBe(true);
      }),
    );
  });
});
