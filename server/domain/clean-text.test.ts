import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText, MAX_TEXT_CHARS } from "./clean-text";

describe("text of the cluster", () => {
  it.each([
    ["\u001b[2J\u001b[31mred", "␛[2J␛[31mred"],
    ["\u001b]8;;http://evil\u0007link", "␛]8;;http://evil␇link"],
    ["a\0b\u007fc\u0085d", "a␀b\\u007fc\\u0085d"],
    ["right \u202e to left", "right \\u202e to left"],
    ["line\u2028sep", "line\\u2028sep"],
    ["one\r\ntwo\rthree\n\tfour", "one\ntwo␍three\n\tfour"],
    ["lone \ud800 half", "lone \ufffd half"],
    ["größer als 日本語 🚀", "größer als 日本語 🚀"],
  ])("%j is shown as %j", (text, shown) => {
    expect(cleanText(text)).toBe(shown);
  });

  it("is never longer than its bound and holds nothing that acts, whatever it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.integer({ min: 1, max: 100 }), (text, max) => {
        const clean = cleanText(text, max);
        expect(clean.length).toBeLessThanOrEqual(max);
        expect(clean).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect(clean.isWellFormed()).toBe(true);
      }),
    );
  });

  it("is cut to 4,096 characters, and says by an ellipsis that it was", () => {
    expect(cleanText("A".repeat(1_000_000))).toBe(`${"A".repeat(MAX_TEXT_CHARS - 1)}…`);
  });
});
