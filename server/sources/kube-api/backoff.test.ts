import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BACKOFF_CAP_MS, backoffMs } from "./backoff";
import { MAX_RETRY_AFTER_MS, retryAfterMs } from "./body";
import { isOlder, versionOf } from "./resource-version";

describe("the pause after a failure", () => {
  it("doubles up to its cap and is anything between nothing and that", () => {
    expect([0, 1, 2, 3, 4, 5, 99].map((attempt) => backoffMs(attempt, () => 1))).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    fc.assert(fc.property(fc.nat(1_000), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => backoffMs(attempt, () => random) <= BACKOFF_CAP_MS));
  });
  it("is never shorter than what the server asked for", () => {
    fc.assert(fc.property(fc.nat(20), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(600_000), (attempt, random, floor) => backoffMs(attempt, () => random, floor) >= floor));
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-30T10:00:00Z");
  it.each([
    ["7", 7_000],
    ["Mon, 30 Nov 2026 10:00:30 GMT", 30_000],
    ["Mon, 30 Nov 2026 09:00:00 GMT", 0],
    ["99999999", MAX_RETRY_AFTER_MS],
    ["soon", undefined],
    [undefined, undefined],
  ])("%j means %j ms", (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });
});

describe("resourceVersions", () => {
  it("are compared as numbers of any length", () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.bigInt({ min: 0n, max: 10n ** 30n }), (a, b) => isOlder(String(a), String(b)) === a < b));
    expect(isOlder("0099", "100")).toBe(true);
  });
  it("that are no numbers are never called older", () => {
    expect(isOlder("abc", "abd")).toBe(false);
    expect(isOlder("1", "x")).toBe(false);
  });
  it.each([null, 1, {}, { metadata: null }, { metadata: { resourceVersion: 7 } }, { metadata: { resourceVersion: "" } }])("of %j there is none", (raw) => {
    expect(versionOf(raw)).toBeUndefined();
  });
});
