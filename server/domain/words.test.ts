import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesWords, coresWords, countWords, durationWords, instantWords, lineWords, listWords, numberWords, rangeWords, shareWords, spanWords } from "./words";

describe("words", () => {
  it.each([
    [0, "0 s"],
    [-5, "0 s"],
    [14.9, "14 s"],
    [60, "1 min"],
    [250, "4 min 10 s"],
    [600, "10 min"],
    [2_839, "47 min"],
    [3_600, "1 h"],
    [3_900, "1 h 5 min"],
    [86_400, "1 d"],
    [273_600, "3 d 4 h"],
  ])("tell %d s as %s", (seconds, words) => {
    expect(durationWords(seconds)).toBe(words);
  });

  it("tell a span between two instants, and none that runs backwards", () => {
    expect(spanWords(1_000, 251_000)).toBe("4 min 10 s");
    expect(spanWords(251_000, 1_000)).toBe("0 s");
  });

  it("tell an instant by its time, and by its date on another day", () => {
    const nowMs = Date.parse("2026-03-17T03:12:40Z");
    expect(instantWords(Date.parse("2026-03-17T02:26:04.900Z"), nowMs)).toBe("02:26:04 UTC");
    expect(instantWords(Date.parse("2026-03-16T23:59:59Z"), nowMs)).toBe("2026-03-16 23:59:59 UTC");
  });

  it("count with the right plural and thousands apart", () => {
    expect([countWords(0, "pod"), countWords(1, "pod"), countWords(220, "pod"), countWords(1_234_567, "pod"), countWords(2, "address", "addresses")]).toEqual(["0 pods", "1 pod", "220 pods", "1,234,567 pods", "2 addresses"]);
    expect([numberWords(-1_234.5, 1), numberWords(2, 2), numberWords(1.25, 2)]).toEqual(["-1,234.5", "2", "1.25"]);
  });

  it("tell a percentile as the range that its bucket is", () => {
    expect([rangeWords(119.209, 298.023), rangeWords(745.058), rangeWords(745.058, Number.POSITIVE_INFINITY), rangeWords(0.005, 0.0125), rangeWords(2, 2)]).toEqual(["119–298 s", "> 745 s", "> 745 s", "0.005–0.0125 s", "2 s"]);
  });

  it("tell bytes in the unit that fits", () => {
    expect([bytesWords(512), bytesWords(684 * 2 ** 20), bytesWords(1.5 * 2 ** 30), bytesWords(4 * 2 ** 30), bytesWords(2 ** 30 - 1), bytesWords(52_428_800)]).toEqual(["512 B", "684 Mi", "1.5 Gi", "4 Gi", "1 Gi", "50 Mi"]);
  });

  it("tell cores and shares so that a little is never nothing", () => {
    expect([coresWords(0.03), coresWords(2), coresWords(1.5)]).toEqual(["30m CPU", "2 CPU", "1.5 CPU"]);
    expect([shareWords(1), shareWords(0.957), shareWords(0), shareWords(0.004), shareWords(0.0001)]).toEqual(["100 %", "96 %", "0 %", "0.4 %", "< 0.1 %"]);
  });

  it("list what fits and count the rest", () => {
    expect([listWords([]), listWords(["a"]), listWords(["a", "b"]), listWords(["a", "b", "c"]), listWords(["a", "b", "c", "d", "e"])]).toEqual(["", "a", "a and b", "a, b and c", "a, b, c and 2 more"]);
  });

  it("keep text from the cluster on one line and within its bound", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), fc.integer({ min: 1, max: 300 }), (text, most) => {
        const line = lineWords(text, most);
        expect(line.length).toBeLessThanOrEqual(most);
        expect([...line].every((char) => char >= " " && char !== "\u007f")).toBe(true);
      }),
    );
    expect(lineWords("one\r\ntwo", 100)).toBe("one  two");
  });
});
