import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ListSplitter, NotAList } from "./list-splitter";

function split(text: string, cuts: readonly number[] = [64], maxItemBytes = 1_000_000) {
  const counts = { tooLong: 0 };
  const splitter = new ListSplitter(maxItemBytes, counts);
  const bytes = Buffer.from(text);
  const items: unknown[] = [];
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const length = cuts[piece % cuts.length] ?? 64;
    for (const item of splitter.feed(bytes.subarray(at, at + length))) items.push(JSON.parse(item.toString("utf8")));
    at += length;
  }
  return { items, metadata: splitter.end(), ...counts };
}
const object = fc.dictionary(fc.oneof(fc.constantFrom("items", "metadata", "a\"b", "\\", "{", "]"), fc.string()), fc.jsonValue()).filter((value) => !Object.hasOwn(value, "__proto__"));
const cuts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 });

describe("a list that arrives in pieces", () => {
  it("gives what JSON.parse gives of the whole, for any objects, cuts, spaces and order of fields", () => {
    fc.assert(
      fc.property(fc.array(object), object, cuts, fc.constantFrom(undefined, 1, "\t"), fc.boolean(), (items, metadata, pieces, indent, itemsFirst) => {
        const list = { kind: "PodList", other: { items: [{ no: 1 }], metadata: { no: 1 } }, ...(itemsFirst ? { items, metadata } : { metadata, items }) };
        const text = JSON.stringify(list, undefined, indent);
        const whole = JSON.parse(text) as typeof list;
        expect(split(text, pieces)).toEqual({ items: whole.items, metadata: whole.metadata, tooLong: 0 });
      }),
      { numRuns: 300 },
    );
  });

  it("takes a list without items, with null for items, and without metadata", () => {
    expect(split('{"metadata":{"resourceVersion":"1"},"items":[]}')).toEqual({ items: [], metadata: { resourceVersion: "1" }, tooLong: 0 });
    expect(split('{"metadata":{},"items":null}').items).toEqual([]);
    expect(split("{}")).toEqual({ items: [], metadata: {}, tooLong: 0 });
  });

  it("passes over an item past the bound, counts it, and keeps the others", () => {
    const text = JSON.stringify({ metadata: {}, items: [{ a: 1 }, { b: "x".repeat(500) }, { c: 1 }] });
    fc.assert(
      fc.property(cuts, (pieces) => {
        expect(split(text, pieces, 100)).toEqual({ items: [{ a: 1 }, { c: 1 }], metadata: {}, tooLong: 1 });
      }),
    );
  });

  it.each(["", "[1]", "<html></html>", "null", '"text"', '{"items":[{"a":1}', '{"items":[]}{"items":[]}', '{"items":[]} trailing', "}"])("says of %j that it is no list", (text) => {
    expect(() => split(text)).toThrow(NotAList);
  });

  it("never ends in anything but a list, NotAList or a SyntaxError, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ items metadata 1'.split("")), maxLength: 60 }), cuts, (text, pieces) => {
        try {
          split(text, pieces);
        } catch (error) {
          expect(error instanceof NotAList || error instanceof SyntaxError).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
