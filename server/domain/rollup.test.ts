import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeRollups, rollUp, rollupOf, spanStart, type Rollup, type TimedRollup } from "./rollup";

// Whole numbers, so that sums are exact and "the same" can mean equal.
const samples = fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 3_600_000 }), value: fc.integer({ min: -1_000_000, max: 1_000_000 }) }), { minLength: 1, maxLength: 60 });
const rollup = samples.map((list) => whole(list));

function whole(list: readonly { readonly atMs: number; readonly value: number }[]): Rollup {
  return list.map(({ atMs, value }) => rollupOf(atMs, value)).reduce(mergeRollups);
}
const parts = (list: readonly { readonly atMs: number; readonly value: number }[]): TimedRollup[] => list.map(({ atMs, value }) => ({ atMs, ...rollupOf(atMs, value) }));

describe("mergeRollups", () => {
  it("does not depend on order or grouping", () => {
    fc.assert(
      fc.property(rollup, rollup, rollup, (a, b, c) => {
        expect(mergeRollups(a, b)).toEqual(mergeRollups(b, a));
        expect(mergeRollups(mergeRollups(a, b), c)).toEqual(mergeRollups(a, mergeRollups(b, c)));
      }),
    );
  });

  it("agrees with what the samples themselves give", () => {
    fc.assert(
      fc.property(samples, (list) => {
        const values = list.map(({ value }) => value);
        const lastMs = Math.max(...list.map(({ atMs }) => atMs));
        const last = Math.max(...list.filter(({ atMs }) => atMs === lastMs).map(({ value }) => value));
        expect(whole(list)).toEqual({ min: Math.min(...values), max: Math.max(...values), sum: values.reduce((sum, value) => sum + value, 0), count: list.length, last, lastMs });
      }),
    );
  });
});

describe("rollUp", () => {
  it("gives the same through minutes as straight into five minutes", () => {
    fc.assert(
      fc.property(samples, (list) => {
        expect(rollUp(rollUp(parts(list), 60_000), 300_000)).toEqual(rollUp(parts(list), 300_000));
      }),
    );
  });

  it("keeps every sample in exactly the span that holds it, and makes up no span", () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 1, max: 600_000 }), (list, stepMs) => {
        const spans = rollUp(parts(list), stepMs);
        expect(spans.map((span) => span.atMs)).toEqual([...new Set(list.map(({ atMs }) => spanStart(atMs, stepMs)))].sort((a, b) => a - b));
        for (const span of spans) expect(span).toEqual({ ...whole(list.filter(({ atMs }) => atMs >= span.atMs && atMs < span.atMs + stepMs)), atMs: span.atMs });
      }),
    );
  });

  it("lets a spike of one sample survive", () => {
    const spike = parts([...Array(20).keys()].map((index) => ({ atMs: index * 15_000, value: index === 7 ? 600 : 0 })));
    expect(rollUp(spike, 300_000)).toMatchObject([{ min: 0, max: 600, count: 20 }]);
  });
});
