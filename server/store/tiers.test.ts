import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rollUp, rollupOf, type TimedRollup } from "../domain/rollup";
import { openIngest } from "./ingest";
import { openReader } from "./reader";
import { batch, nodeName, sample } from "./testing/batches";
import { incidentBatch, nodeIncident } from "./testing/incidents";
import { T0, tempStore } from "./testing/temp-store";
import { FIVE_MINUTES_MS, MINUTE_MS, TIER_TABLES, type RolledStep } from "./tiers";
import type { Ingest } from "./types";

const HOUR = 3_600_000;

/** Every step of a round of upkeep; the bound makes an upkeep that never ends a failure. */
function maintainAll(ingest: Ingest, nowMs: number): number {
  for (let steps = 1; steps < 10_000; steps += 1) if (!ingest.maintain(nowMs)) return steps;
  throw new Error("upkeep does not end");
}

function rowsOf(file: string, step: RolledStep): TimedRollup[] {
  const db = new Database(file, { readonly: true });
  try {
    return db
      .prepare<[], { at: number; min: number; max: number; last: number; last_offset_ms: number; sum: number; count: number }>(`SELECT at, min, max, last, last_offset_ms, sum, count FROM ${TIER_TABLES[step]} ORDER BY at`)
      .all()
      .map((row) => ({ atMs: row.at, min: row.min, max: row.max, last: row.last, lastMs: row.at + row.last_offset_ms, sum: row.sum, count: row.count }));
  } finally {
    db.close();
  }
}
const rawCount = (file: string): number => {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare<[], number>("SELECT count(*) FROM sample_raw").pluck().get() ?? -1;
  } finally {
    db.close();
  }
};

/** A stretch whose samples are kept with an incident. */
const keptWith = (incident: number, node: string, stretch: { readonly fromMs: number; readonly toMs: number }) => incidentBatch({ saved: [nodeIncident(incident, node)], kept: [{ incident, node, ...stretch }] });

/** One value a time and series: the model of what the tiers must hold. */
const model = (samples: ReadonlyMap<number, number>, step: RolledStep, beforeMs: number): TimedRollup[] =>
  rollUp([...samples].filter(([atMs]) => atMs < beforeMs).map(([atMs, value]) => ({ atMs, ...rollupOf(atMs, value) })), step);

describe("roll-up", () => {
  it("holds of every span what its samples give, however late they came and however often upkeep ran or was cut short", () => {
    const action = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant("write" as const), offsets: fc.array(fc.integer({ min: 0, max: 2 * HOUR }), { minLength: 1, maxLength: 30 }) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant("late" as const), ageMs: fc.integer({ min: 0, max: 40 * HOUR }), count: fc.integer({ min: 1, max: 20 }) }) },
      { weight: 6, arbitrary: fc.record({ do: fc.constant("beside" as const), pick: fc.nat(), offsets: fc.array(fc.integer({ min: -200_000, max: 200_000 }), { minLength: 1, maxLength: 8 }) }) },
      { weight: 5, arbitrary: fc.record({ do: fc.constant("maintain" as const), steps: fc.integer({ min: 1, max: 12 }) }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant("pass-time" as const), ms: fc.oneof(fc.integer({ min: 0, max: HOUR }), fc.integer({ min: 0, max: 30 * HOUR })) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant("keep" as const), ageMs: fc.integer({ min: 0, max: 40 * HOUR }), forMs: fc.integer({ min: 1, max: 8 * HOUR }) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("clock-back" as const), ms: fc.integer({ min: 0, max: 3 * HOUR }) }) },
    );
    fc.assert(
      fc.property(fc.array(action, { minLength: 8, maxLength: 40 }), (actions) => {
        const store = tempStore();
        let ingest = openIngest({ file: store.file, nowMs: T0 });
        const samples = new Map<number, number>();
        let nowMs = T0;
        let value = 0;
        const write = (times: readonly number[]): void => {
          // A time is used once: sent again after its raw sample is gone it could not be told from a new one.
          const fresh = [...new Set(times)].filter((atMs) => !samples.has(atMs));
          for (const atMs of fresh) samples.set(atMs, (value = (value * 31 + 7) % 1_009));
          ingest.write(batch(nowMs, { samples: fresh.map((atMs) => sample("a", "pods.waiting", atMs, samples.get(atMs) ?? 0)) }));
        };
        try {
          for (const step of actions) {
            if (step.do === "write") write(step.offsets.map((offset) => nowMs - 2 * HOUR + offset));
            else if (step.do === "late") write(Array.from({ length: step.count }, (_, index) => nowMs - step.ageMs - index * 7_000));
            else if (step.do === "beside") {
              const beside = [...samples.keys()][step.pick % Math.max(1, samples.size)] ?? nowMs;
              write(step.offsets.map((offset) => beside + offset)); // into spans that were rolled up, or whose samples are deleted
            } else if (step.do === "maintain") for (let count = 0; count < step.steps; count += 1) ingest.maintain(nowMs);
            else if (step.do === "pass-time") nowMs += step.ms;
            else if (step.do === "keep") ingest.write(batch(nowMs, { incidents: keptWith(1, "a", { fromMs: nowMs - step.ageMs, toMs: nowMs - step.ageMs + step.forMs }) }));
            else if (step.do === "clock-back") nowMs -= step.ms;
            else {
              ingest.close();
              ingest = openIngest({ file: store.file, nowMs });
            }
          }
          nowMs = Math.max(nowMs, ...samples.keys()) + HOUR;
          maintainAll(ingest, nowMs);
          maintainAll(ingest, nowMs + 2 * HOUR);
          const minutes = rowsOf(store.file, MINUTE_MS);
          const first = minutes[0]?.atMs ?? Number.POSITIVE_INFINITY;
          expect(minutes).toEqual(model(samples, MINUTE_MS, Number.POSITIVE_INFINITY).filter((span) => span.atMs >= first));
          for (const span of model(samples, MINUTE_MS, Number.POSITIVE_INFINITY)) if (span.atMs >= nowMs + 2 * HOUR - 24 * HOUR) expect(minutes).toContainEqual(span);
          expect(rowsOf(store.file, FIVE_MINUTES_MS)).toEqual(model(samples, FIVE_MINUTES_MS, Number.POSITIVE_INFINITY));
        } finally {
          ingest.close();
          store.remove();
        }
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  const everyMinute = (times: readonly number[]) => batch(times[0] ?? T0, { samples: times.map((atMs) => sample("a", "pods.waiting", atMs, 1)) });
  const counts = (file: string, step: RolledStep): number => rowsOf(file, step).reduce((sum, span) => sum + span.count, 0);

  it("never deletes half of a span's samples, which a late one would then be counted with alone", () => {
    const store = tempStore();
    const ingest = openIngest({ file: store.file, nowMs: T0 });
    try {
      ingest.write(everyMinute([T0 + 10_000, T0 + 50_000]));
      maintainAll(ingest, T0 + 6 * HOUR + 30_000); // six hours ago is between the two
      ingest.write(everyMinute([T0 + 55_000]));
      maintainAll(ingest, T0 + 7 * HOUR);
      expect(rowsOf(store.file, MINUTE_MS)).toMatchObject([{ atMs: T0, count: 3 }]);
    } finally {
      ingest.close();
      store.remove();
    }
  });

  it("counts on from what was rolled up after the clock ran hours ahead and came back", () => {
    const store = tempStore();
    const ingest = openIngest({ file: store.file, nowMs: T0 });
    const reader = openReader({ file: store.file });
    try {
      const minutes = Array.from({ length: 60 }, (_, minute) => T0 + minute * 60_000);
      ingest.write(everyMinute(minutes));
      maintainAll(ingest, T0 + 10 * HOUR);
      maintainAll(ingest, T0 + HOUR);
      ingest.write(everyMinute(minutes.map((atMs) => atMs + 30_000)));
      const seen = reader.timeline({ node: nodeName("a"), fromMs: T0 + HOUR - 1_200_000, toMs: T0 + HOUR, signals: ["pods.waiting"], points: 1_000 });
      expect(seen.series[0]?.atMs.at(-1)).toBeGreaterThanOrEqual(T0 + 59 * 60_000);
      maintainAll(ingest, T0 + 2 * HOUR);
      expect(counts(store.file, MINUTE_MS)).toBe(120);
      expect(counts(store.file, FIVE_MINUTES_MS)).toBe(120);
    } finally {
      reader.close();
      ingest.close();
      store.remove();
    }
  });

  it("keeps the samples of an incident's stretch as they came, and them alone, until the incident goes", () => {
    const store = tempStore();
    const ingest = openIngest({ file: store.file, nowMs: T0 });
    const reader = openReader({ file: store.file });
    try {
      const times = Array.from({ length: 8 * 240 }, (_, tick) => T0 + tick * 15_000);
      ingest.write(batch(T0 + 8 * HOUR, { samples: times.flatMap((atMs) => [sample("a", "pods.waiting", atMs, 1), sample("b", "pods.waiting", atMs, 1)]) }));
      const stretch = { fromMs: T0 + 2 * HOUR + 7_000, toMs: T0 + 4 * HOUR - 7_000 };
      ingest.write(batch(T0 + 8 * HOUR, { incidents: keptWith(1, "a", stretch) }));
      maintainAll(ingest, T0 + 31 * HOUR);
      expect(rawCount(store.file)).toBe(2 * 240); // whole five minutes of one node
      const inside = reader.timeline({ node: nodeName("a"), fromMs: T0 + 2 * HOUR + 60_000, toMs: T0 + 3 * HOUR, signals: ["pods.waiting"], points: 1_000 });
      expect([inside.tier, inside.stepMs, inside.series[0]?.atMs.length]).toEqual(["raw", 0, 237]);
      expect(reader.timeline({ node: nodeName("a"), fromMs: T0 + HOUR, toMs: T0 + 2 * HOUR + 60_000, signals: ["pods.waiting"], points: 1_000 }).tier).toBe("5m");
      expect(counts(store.file, FIVE_MINUTES_MS)).toBe(2 * times.length);
      ingest.write(batch(T0 + 31 * HOUR, { incidents: incidentBatch({ saved: [{ ...nodeIncident(1, "a"), state: "closed", closedMs: T0 + 5 * HOUR }] }) }));
      maintainAll(ingest, T0 + 32 * 24 * HOUR);
      maintainAll(ingest, T0 + 32 * 24 * HOUR + HOUR);
      expect(rawCount(store.file)).toBe(0);
    } finally {
      reader.close();
      ingest.close();
      store.remove();
    }
  });

  it("does a bounded part at each call, and says when there is no more", () => {
    const store = tempStore();
    const ingest = openIngest({ file: store.file, nowMs: T0 });
    try {
      for (let minute = 0; minute < 60; minute += 1)
        ingest.write(batch(T0 + minute * 60_000, { samples: Array.from({ length: 700 }, (_, node) => sample(`n${node}`, "pods.waiting", T0 + minute * 60_000, node)) }));
      expect(maintainAll(ingest, T0 + HOUR)).toBeGreaterThan(42_000 / 4_000);
      expect(ingest.maintain(T0 + HOUR + 1_000)).toBe(false);
      expect(rowsOf(store.file, MINUTE_MS)).toHaveLength(55 * 700); // the newest five minutes may still get samples
    } finally {
      ingest.close();
      store.remove();
    }
  });

  it("after days without a collector deletes what each tier no longer keeps, and gives the room back", () => {
    const store = tempStore();
    const ingest = openIngest({ file: store.file, nowMs: T0 });
    const reader = openReader({ file: store.file });
    try {
      const series = 60;
      for (let tick = 0; tick < 2 * 240; tick += 1) ingest.write(batch(T0 + tick * 15_000, { samples: Array.from({ length: series }, (_, node) => sample(`n${node}`, "pods.waiting", T0 + tick * 15_000, tick)) }));
      const later = T0 + 5 * 24 * HOUR;
      maintainAll(ingest, later);
      expect(rawCount(store.file)).toBe(0);
      expect(rowsOf(store.file, MINUTE_MS)).toEqual([]);
      expect(rowsOf(store.file, FIVE_MINUTES_MS)).toHaveLength(24 * series);
      maintainAll(ingest, T0 + 31 * 24 * HOUR);
      expect(rowsOf(store.file, FIVE_MINUTES_MS)).toEqual([]);
      const db = new Database(store.file, { readonly: true });
      expect(db.prepare("SELECT count(*) FROM series").pluck().get()).toBe(0);
      db.close();
      ingest.write(batch(later, { samples: [sample("n0", "pods.waiting", later, 1)] })); // the series is made anew
      expect(reader.timeline({ node: nodeName("n0"), fromMs: later, toMs: later, signals: ["pods.waiting"], points: 10 }).series).toHaveLength(1);
    } finally {
      reader.close();
      ingest.close();
      store.remove();
    }
  });
});
