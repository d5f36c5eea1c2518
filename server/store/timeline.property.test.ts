import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openIngest } from "./ingest";
import { openReader } from "./reader";
import { batch, nodeName, sample } from "./testing/batches";
import { T0, tempStore } from "./testing/temp-store";
import { FIVE_MINUTES_MS, MINUTE_MS } from "./tiers";

const HOUR = 3_600_000;
const BASE = { raw: 0, "1m": MINUTE_MS, "5m": FIVE_MINUTES_MS } as const;

describe("a timeline over any range", () => {
  it("shows every sample within a point that spans its time and value, and no value that no sample had", () => {
    const history = fc.record({
      // Offsets from T0 over thirty hours, some of them side by side.
      times: fc.uniqueArray(fc.oneof(fc.integer({ min: 0, max: 30 * HOUR }), fc.integer({ min: 29 * HOUR, max: 30 * HOUR })), { minLength: 1, maxLength: 80 }),
      maintainedAt: fc.option(fc.integer({ min: 0, max: 31 * HOUR })),
      late: fc.boolean(),
    });
    const range = fc.record({ from: fc.integer({ min: -HOUR, max: 30 * HOUR }), width: fc.oneof(fc.integer({ min: 0, max: HOUR }), fc.integer({ min: 0, max: 31 * HOUR })), points: fc.integer({ min: 2, max: 1_500 }) });
    fc.assert(
      fc.property(history, fc.array(range, { minLength: 1, maxLength: 6 }), ({ times, maintainedAt, late }, ranges) => {
        const store = tempStore();
        const ingest = openIngest({ file: store.file, nowMs: T0 });
        const reader = openReader({ file: store.file });
        try {
          const samples = times.map((offset, index) => ({ atMs: T0 + offset, value: (index * 7_919) % 1_000 }));
          const before = maintainedAt ?? 0;
          const write = (list: typeof samples, nowMs: number) => ingest.write(batch(nowMs, { samples: list.map(({ atMs, value }) => sample("a", "pods.waiting", atMs, value)) }));
          const early = samples.filter(({ atMs }, index) => atMs <= T0 + before && !(late && index % 3 === 0));
          write(early, T0 + before);
          if (maintainedAt !== null) while (ingest.maintain(T0 + before)) continue;
          write(samples.filter((one) => !early.includes(one)), T0 + Math.max(before, 30 * HOUR));
          // What came late into a span that was rolled up shows after the next pass.
          if (late && maintainedAt !== null) while (ingest.maintain(T0 + Math.max(before, 30 * HOUR) + HOUR)) continue;

          for (const { from, width, points } of ranges) {
            const [fromMs, toMs] = [T0 + from, T0 + from + width];
            const seen = reader.timeline({ node: nodeName("a"), fromMs, toMs, signals: ["pods.waiting"], points });
            const series = seen.series[0] ?? { atMs: [], min: [], max: [], last: [] };
            const width_ = Math.max(seen.stepMs, BASE[seen.tier]);
            expect(series.atMs.length).toBeLessThanOrEqual(points);
            const startOf = (index: number): number => (width_ === 0 ? (series.atMs[index] ?? 0) : Math.floor((series.atMs[index] ?? 0) / width_) * width_);
            for (const { atMs, value } of samples) {
              if (atMs < fromMs || atMs > toMs) continue;
              const index = series.atMs.findIndex((_, at) => startOf(at) <= atMs && atMs < startOf(at) + Math.max(1, width_));
              expect(index, `the sample at ${atMs} in ${JSON.stringify({ tier: seen.tier, stepMs: seen.stepMs })}`).toBeGreaterThanOrEqual(0);
              expect(series.min[index]).toBeLessThanOrEqual(value);
              expect(series.max[index]).toBeGreaterThanOrEqual(value);
            }
            series.atMs.forEach((_, index) => {
              const inside = samples.filter(({ atMs }) => atMs >= startOf(index) && atMs < startOf(index) + Math.max(1, width_)).map(({ value }) => value);
              for (const column of [series.min, series.max, series.last]) expect(inside).toContain(column[index]);
            });
          }
        } finally {
          reader.close();
          ingest.close();
          store.remove();
        }
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});
