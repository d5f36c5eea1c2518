import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "./lines";

/** Feeds `bytes` in pieces of the given lengths. */
function split(bytes: Buffer, cuts: readonly number[], maxBytes: number) {
  const counts = { tooLong: 0, halfLines: 0 };
  const splitter = new LineSplitter(maxBytes, counts);
  const lines: string[] = [];
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const length = Math.max(1, cuts[piece % Math.max(1, cuts.length)] ?? bytes.length);
    for (const line of splitter.feed(bytes.subarray(at, at + length))) lines.push(line.toString("utf8"));
    at += length;
  }
  splitter.end();
  return { lines, ...counts };
}

describe("a stream of lines", () => {
  it("gives the same lines wherever the chunks are cut, also inside a character", () => {
    const line = fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => !text.includes("\n") && text !== "");
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        expect(split(bytes, cuts, 10_000)).toEqual({ lines: lines.map((text) => Buffer.from(text).toString("utf8")), tooLong: 0, halfLines: 0 });
      }),
    );
  });

  it("passes over a line past the bound up to its end, counts it once, and goes on with the next", () => {
    fc.assert(
      fc.property(fc.integer({ min: 101, max: 500 }), fc.array(fc.integer({ min: 1, max: 130 }), { minLength: 1 }), (length, cuts) => {
        expect(split(Buffer.from(`a\n${"x".repeat(length)}\nb\n`), cuts, 100)).toEqual({ lines: ["a", "b"], tooLong: 1, halfLines: 0 });
      }),
    );
  });

  it("keeps a line of exactly the bound", () => {
    expect(split(Buffer.from(`${"x".repeat(100)}\n`), [7], 100).lines).toHaveLength(1);
  });

  it("drops and counts half a line at the end", () => {
    expect(split(Buffer.from('a\n{"type":"ADD'), [3], 100)).toEqual({ lines: ["a"], tooLong: 0, halfLines: 1 });
  });
});
