import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuQuantity, memoryQuantity, parseQuantity } from "./quantity";

describe("quantities", () => {
  test.each([
    ["100m", 0.1], ["2", 2], ["1.5", 1.5], ["1e3", 1_000], ["1E3", 1_000], ["1Gi", 2 ** 30], ["50Mi", 50 * 2 ** 20], ["123Ki", 125_952], ["1M", 1e6], ["0.5Gi", 2 ** 29], [".5", 0.5], ["128974848", 128_974_848], ["-1", -1], ["1E", 1e18],
  ])("%s is %d", (text, value) => {
    expect(parseQuantity(text)).toBeCloseTo(value, 6);
  });
  test.each(["", "Gi", "1GiB", "1 Gi", "abc", "1e", "0x10", "1e9999", "٣"])("%j is not a quantity", (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });
  test("what is written is read back as the same amount", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 45 }), (bytes) => parseQuantity(memoryQuantity(bytes)) === bytes));
    fc.assert(fc.property(fc.integer({ min: 1, max: 256_000 }), (milli) => Math.round((parseQuantity(cpuQuantity(milli / 1_000)) ?? 0) * 1_000) === milli));
  });
});

test("millicores are the same number as the fraction, so that what was set is known again when the pod tells it", () => {
  for (let milli = 1; milli <= 4_000; milli++) expect(parseQuantity(`${milli}m`)).toBe(Number((milli / 1_000).toString()));
  expect(parseQuantity("700m")).toBe(parseQuantity("0.7"));
});
