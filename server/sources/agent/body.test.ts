import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_UNPACKED_BYTES, parseBody } from "./body";
import { Dropped } from "./drops";
import { tooMuchJson } from "./json-shape";
import { EVERY_LATER_PART } from "@/server/domain/testing/later-parts";
import { parseReport } from "./schema";
import { sampleReport } from "./testing";

const LIMITS = { maxDepth: 3, maxContainers: 5, maxItems: 6 };
const shape = (text: string) => tooMuchJson(Buffer.from(text), LIMITS);

test.each([
  ["[[[]]]", undefined],
  ["[[[[]]]]", "nested deeper than 3"],
  ["[[],[],[],[]]", undefined],
  ["[[],[],[],[],[]]", "more than 5 objects and arrays"],
  ["[1,2,3,4,5,6,7]", undefined],
  ["[1,2,3,4,5,6,7,8]", "more than 6 values"],
  ['["[[[[[[,,,,,,,,{{{{"]', undefined],
  ['["\\"[[[[[[", "\\\\"]', undefined],
  ['["\\\\",[[[]]]]', "nested deeper than 3"],
])("%s: %s", (text, problem) => {
  expect(shape(text)).toBe(problem);
});

test("whatever JSON.parse would make, its containers were counted first", () => {
  const count = (value: unknown): number => (typeof value === "object" && value !== null ? 1 + Object.values(value).reduce<number>((sum, one) => sum + count(one), 0) : 0);
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const containers = count(value);
      const bytes = Buffer.from(JSON.stringify(value));
      const wide = { maxDepth: 100, maxItems: 1e6 };
      expect(tooMuchJson(bytes, { ...wide, maxContainers: containers })).toBeUndefined();
      if (containers > 0) expect(tooMuchJson(bytes, { ...wide, maxContainers: containers - 1 })).toBeDefined();
    }),
  );
});

/** A seeded generator, so that a failure can be repeated. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** What is alive on the heap, everything else having been collected. */
function liveBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // what the flag gives a new context
  collect();
  return process.memoryUsage().heapUsed;
}
/** What a pattern or a compiled function may cost once; a report that were kept each time would be 100 times as much. */
const MAX_GROWTH_BYTES = 16 * 1024 * 1024;
/** All of it is work: ten seconds of a core, which a busy machine shares among many. */
const FUZZ_TIMEOUT_MS = 180_000;

test("100,000 mutated reports end in a report or in a reason, never in anything else, and leave no memory behind", async () => {
  const random = chance(7);
  const before = liveBytes();
  const original = Buffer.from(JSON.stringify(sampleReport(EVERY_LATER_PART)));
  let taken = 0;
  for (let round = 0; round < 100_000; round += 1) {
    const bytes = Buffer.from(original);
    for (let change = Math.floor(random() * 4); change >= 0; change -= 1) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    const cut = random() < 0.1 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
    try {
      if (parseReport(await parseBody(cut, false)).ok) taken += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(Dropped);
    }
  }
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(100_000);
  expect(liveBytes() - before).toBeLessThan(MAX_GROWTH_BYTES);
}, FUZZ_TIMEOUT_MS);

test("2,000 mutated gzip streams end in a value or in a reason", async () => {
  const random = chance(11);
  const original = gzipSync(JSON.stringify(sampleReport()));
  for (let round = 0; round < 2_000; round += 1) {
    const bytes = Buffer.from(original);
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    await parseBody(bytes, true).catch((error: unknown) => {
      expect(error).toBeInstanceOf(Dropped);
    });
  }
});

test.each([
  ["small", 1_000],
  ["small packed and large unpacked", 2_000_000],
])("a gzip body that is %s is taken whole", async (_what, chars) => {
  expect(await parseBody(gzipSync(JSON.stringify("a".repeat(chars))), true)).toBe("a".repeat(chars));
});

test("a gzip body that is large packed is taken whole", async () => {
  const random = chance(3);
  const value = Array.from({ length: 40_000 }, () => random());
  const body = gzipSync(JSON.stringify(value));
  expect(body.length).toBeGreaterThan(64 * 1024);
  expect(await parseBody(body, true)).toEqual(value);
});

test("a gzip body that unpacks to more than the bound is dropped as too large, however small it is", async () => {
  const body = gzipSync(Buffer.alloc(MAX_UNPACKED_BYTES + 1, " "));
  expect(body.length).toBeLessThan(64 * 1024);
  await expect(parseBody(body, true)).rejects.toMatchObject({ reason: "too-large" });
});
