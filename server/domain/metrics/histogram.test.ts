import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { histogramIncrease, isHistogram, percentileRange, toIntervals, type CumulativeBuckets, type Interval } from "./histogram";

/** The kubelet's own bounds: 0.005 s times 2.5, fourteen times. */
const BOUNDS = [...Array.from({ length: 14 }, (_, index) => 0.005 * 2.5 ** index), Infinity];

const ofDurations = (durations: readonly number[], bounds: readonly number[] = BOUNDS): CumulativeBuckets =>
  bounds.map((upTo) => ({ upTo, count: durations.filter((duration) => duration <= upTo).length }));

describe("a histogram's buckets", () => {
  it.each<[string, CumulativeBuckets]>([
    ["has none", []],
    ["does not end at +Infinity", [{ upTo: 1, count: 1 }]],
    ["has counts that fall", [{ upTo: 1, count: 2 }, { upTo: Infinity, count: 1 }]],
    ["has bounds out of order", [{ upTo: 2, count: 1 }, { upTo: 1, count: 1 }, { upTo: Infinity, count: 1 }]],
    ["has the same bound twice", [{ upTo: 1, count: 1 }, { upTo: 1, count: 1 }, { upTo: Infinity, count: 1 }]],
    ["has a count that is no number", [{ upTo: Infinity, count: NaN }]],
    ["has a bound that is no number", [{ upTo: NaN, count: 1 }, { upTo: Infinity, count: 1 }]],
    ["has more buckets than any", [...Array.from({ length: 64 }, (_, upTo) => ({ upTo, count: 0 })), { upTo: Infinity, count: 0 }]],
  ])("are none where it %s", (_what, buckets) => {
    expect(isHistogram(buckets)).toBe(false);
    expect(histogramIncrease([], buckets, true)).toBeUndefined();
  });

  it("become intervals, empty ones left out", () => {
    expect(toIntervals([{ upTo: 1, count: 2 }, { upTo: 5, count: 2 }, { upTo: Infinity, count: 3 }])).toEqual([
      { low: 0, high: 1, count: 2 },
      { low: 5, high: undefined, count: 1 },
    ]);
  });
});

describe("what a histogram gained", () => {
  const before = ofDurations([1, 2, 3]);
  it("is what is in it more than before", () => {
    expect(histogramIncrease(before, ofDurations([1, 2, 3, 200, 200]))).toEqual([{ low: BOUNDS[11], high: BOUNDS[12], count: 2 }]);
  });
  it("is nothing where no call finished", () => {
    expect(histogramIncrease(before, before)).toEqual([]);
  });
  it("is not known from a first reading", () => {
    expect(histogramIncrease(undefined, before)).toBeUndefined();
  });
  it("is all of it where one bucket holds less than before, even if the total grew", () => {
    const after = ofDurations([100, 100, 100, 100]);
    expect(histogramIncrease(before, after)).toEqual(toIntervals(after));
  });
  it("is all of it where the bounds changed, as with another kubelet", () => {
    const after = ofDurations([1, 2, 3, 4], [1, 10, Infinity]);
    expect(histogramIncrease(before, after)).toEqual(toIntervals(after));
  });

  it("adds up to the number of calls, whatever restarts there were, as long as they are told", () => {
    const step = fc.array(fc.double({ min: 0, max: 2000, noNaN: true }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }), (lives) => {
        let last: CumulativeBuckets | undefined;
        let calls = 0;
        for (const life of lives) {
          life.forEach((_, index) => {
            const now = ofDurations(life.slice(0, index + 1).flat());
            for (const { count } of histogramIncrease(last, now, index === 0) ?? [{ count: NaN }]) calls += count;
            last = now;
          });
        }
        expect(calls).toBe(lives.flat(2).length);
      }),
    );
  });
});

describe("a percentile", () => {
  it("is not known where no call finished", () => {
    expect(percentileRange([], 0.5)).toBeUndefined();
    expect(percentileRange([{ low: 0, high: 1, count: 0 }], 0.5)).toBeUndefined();
  });
  it("is the bucket that it falls into", () => {
    expect(percentileRange(toIntervals(ofDurations([1, 1, 1, 200])), 0.95)).toEqual({ low: BOUNDS[11], high: BOUNDS[12] });
  });
  it("has no upper edge above the last bucket", () => {
    expect(percentileRange(toIntervals(ofDurations([2000])), 0.5)).toEqual({ low: BOUNDS[13], high: undefined });
  });
  it("spans what two layouts of buckets leave open", () => {
    expect(percentileRange([{ low: 0, high: 10, count: 1 }, { low: 4, high: 5, count: 1 }], 0.5)).toEqual({ low: 0, high: 5 });
  });

  const durations = fc.array(fc.double({ min: 0, max: 2000, noNaN: true }), { minLength: 1, maxLength: 60 });
  const layouts = fc.array(fc.constantFrom(BOUNDS, [0.1, 1, 10, Infinity], [119, 298, Infinity], [Infinity]), { minLength: 1, maxLength: 3 });

  it("always holds the true one between its edges, whatever the layouts", () => {
    fc.assert(
      fc.property(durations, layouts, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, bounds, share) => {
        const parts = bounds.map((layout, index) => ofDurations(all.filter((_, at) => at % bounds.length === index), layout));
        const range = percentileRange(parts.flatMap(toIntervals), share);
        const truth = [...all].sort((a, b) => a - b)[Math.ceil(share * all.length - 1e-9) - 1] ?? NaN;
        expect(range).toBeDefined();
        expect(range !== undefined && range.low <= truth && truth <= (range.high ?? Infinity)).toBe(true);
      }),
    );
  });

  it("is never below a smaller one: p50 ≤ p95 ≤ p99, at both edges", () => {
    const interval: fc.Arbitrary<Interval> = fc
      .tuple(fc.double({ min: 0, max: 100, noNaN: true }), fc.double({ min: 0, max: 100, noNaN: true }), fc.boolean(), fc.nat({ max: 50 }))
      .map(([low, width, open, count]) => ({ low, high: open ? undefined : low + width, count }));
    fc.assert(
      fc.property(fc.array(interval, { minLength: 1, maxLength: 30 }), (intervals) => {
        const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentileRange(intervals, share));
        if (p50 === undefined || p95 === undefined || p99 === undefined) {
          expect([p50, p95, p99]).toEqual([undefined, undefined, undefined]);
          return;
        }
        const edge = (high: number | undefined): number => high ?? Infinity;
        expect(p50.low <= p95.low && p95.low <= p99.low).toBe(true);
        expect(edge(p50.high) <= edge(p95.high) && edge(p95.high) <= edge(p99.high)).toBe(true);
        for (const range of [p50, p95, p99]) expect(range.low).toBeLessThanOrEqual(edge(range.high));
      }),
    );
  });
});
