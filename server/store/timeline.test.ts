import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SignalId } from "../domain/signals";
import { MAX_TIMELINE_EVENTS, MAX_TIMELINE_POINTS, type NodeTimeline } from "../domain/timeline";
import { MAX_ANSWER_SPANS } from "./reader/answers";
import { answer, batch, event, nodeName, sample, view } from "./testing/batches";
import { closeStore, openStore, type OpenStore } from "./testing/open-store";
import { T0 } from "./testing/temp-store";
import type { Ingest, IngestBatch, Reader } from "./types";

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

let store: OpenStore["store"];
let ingest: Ingest;
let reader: Reader;
beforeEach(() => {
  ({ store, ingest, reader } = openStore());
});
afterEach(() => closeStore({ store, ingest, reader }));

/** A batch every 15 s in [fromMs, toMs), as the collector writes them. */
function collect(fromMs: number, toMs: number, parts: (atMs: number) => Partial<IngestBatch>): void {
  for (let atMs = fromMs; atMs < toMs; atMs += 15 * SECOND) ingest.write(batch(atMs, parts(atMs)));
}
function maintainAll(nowMs: number): void {
  for (let steps = 0; ingest.maintain(nowMs); steps += 1) if (steps > 10_000) throw new Error("upkeep does not end");
}
const look = (fromMs: number, toMs: number, signals: readonly SignalId[] = ["cri.run_sandbox.calls"], points = MAX_TIMELINE_POINTS): NodeTimeline => reader.timeline({ node: nodeName("a"), fromMs, toMs, signals, points });
const calls = (atMs: number, value: number) => sample("a", "cri.run_sandbox.calls", atMs, value);

describe("the points of a range", () => {
  it("are the raw samples where those are still kept and fit", () => {
    collect(T0, T0 + HOUR, (atMs) => ({ samples: [calls(atMs, atMs - T0)] }));
    const seen = look(T0, T0 + HOUR - 15 * SECOND);
    expect(seen).toMatchObject({ tier: "raw", stepMs: 0 });
    expect(seen.series[0]?.atMs).toHaveLength(240);
    expect(seen.series[0]?.last.at(-1)).toBe(HOUR - 15 * SECOND);
  });

  it("are never more than asked for, and a spike of one sample is in them at whatever width", () => {
    collect(T0, T0 + 5 * HOUR, (atMs) => ({ samples: [calls(atMs, atMs === T0 + 2 * HOUR ? 600 : 1), sample("a", "pods.waiting", atMs, 5)] }));
    for (const when of ["raw", "rolled up"]) {
      for (const points of [2, 3, 7, 100, 299, 1_000, 1_500, 5_000]) {
        const { series } = look(T0 + 1, T0 + 5 * HOUR, ["cri.run_sandbox.calls", "pods.waiting"], points);
        expect(series.map(({ signal }) => signal)).toEqual(["cri.run_sandbox.calls", "pods.waiting"]);
        for (const { atMs, min, max, last } of series) {
          expect(atMs.length, `${when}, ${points}`).toBeLessThanOrEqual(Math.min(points, MAX_TIMELINE_POINTS));
          expect([min.length, max.length, last.length]).toEqual([atMs.length, atMs.length, atMs.length]);
          expect([...atMs].sort((a, b) => a - b)).toEqual(atMs);
          expect(atMs[0]).toBeGreaterThanOrEqual(T0 + 1);
        }
        expect(Math.max(...(series[0]?.max ?? []))).toBe(600);
        expect(Math.min(...(series[0]?.min ?? []))).toBe(1);
      }
      maintainAll(T0 + 20 * HOUR);
      ingest.write(batch(T0 + 20 * HOUR));
    }
  });

  it("come from minutes and five minutes where raw samples are gone, and from raw ones where nothing is rolled up yet", () => {
    collect(T0, T0 + 30 * HOUR, (atMs) => (atMs % MINUTE === 0 ? { samples: [calls(atMs, 1)] } : {}));
    maintainAll(T0 + 29 * HOUR); // the last hour is raw only
    const total = (seen: NodeTimeline): number => seen.series[0]?.atMs.length ?? 0;
    const now = T0 + 30 * HOUR - MINUTE;
    expect(look(now - HOUR, now)).toMatchObject({ tier: "raw", stepMs: 0 });
    const minutes = look(now - 20 * HOUR, now);
    expect(minutes).toMatchObject({ tier: "1m", stepMs: MINUTE });
    expect(total(minutes)).toBe(20 * 60 + 1);
    expect(minutes.series[0]?.atMs.at(-1)).toBe(now);
    const fives = look(T0, now);
    expect(fives).toMatchObject({ tier: "5m", stepMs: 5 * MINUTE });
    expect(total(fives)).toBe(30 * 12);
  });

  it("hold nothing where there was nothing", () => {
    collect(T0, T0 + HOUR, (atMs) => (atMs < T0 + 20 * MINUTE || atMs >= T0 + 40 * MINUTE ? { samples: [calls(atMs, 1)] } : {}));
    for (const upkeep of [false, true]) {
      if (upkeep) maintainAll(T0 + 9 * HOUR);
      expect(look(T0, T0 + HOUR).series[0]?.atMs.filter((atMs) => atMs >= T0 + 20 * MINUTE && atMs < T0 + 40 * MINUTE)).toEqual([]);
    }
    expect(look(T0 + 20 * MINUTE, T0 + 39 * MINUTE).series).toEqual([]);
    expect(look(T0, T0 + HOUR, ["socket.state"]).series).toEqual([]);
  });

  it("keep the instances of a signal apart", () => {
    ingest.write(batch(T0, { samples: [sample("a", "socket.state", T0, 0, "/run/a.sock"), sample("a", "socket.state", T0, 2, "/run/b.sock"), sample("b", "socket.state", T0, 3, "/run/a.sock")] }));
    expect(look(T0, T0, ["socket.state"]).series.map(({ instance, last }) => [instance, last])).toEqual([["/run/a.sock", [0]], ["/run/b.sock", [2]]]);
  });
});

describe("gaps", () => {
  it("are the stretches in which a source was stale, with its reason, the one that began before the range included", () => {
    collect(T0, T0 + HOUR, (atMs) => (atMs < T0 + 10 * MINUTE || atMs >= T0 + 30 * MINUTE ? { samples: [calls(atMs, 1)] } : {}));
    ingest.write(batch(T0 + HOUR, { sources: [{ node: "a", source: "kubelet", atMs: T0 + 10 * MINUTE + 45 * SECOND, fresh: false, reason: "connection refused" }, { node: "a", source: "kubelet", atMs: T0 + 30 * MINUTE, fresh: true, reason: "" }] }));
    expect(look(T0, T0 + HOUR).gaps).toEqual([{ source: "kubelet", fromMs: T0 + 10 * MINUTE - 15 * SECOND, toMs: T0 + 30 * MINUTE, reason: "connection refused" }]);
    expect(look(T0 + 15 * MINUTE, T0 + 20 * MINUTE).gaps).toEqual([{ source: "kubelet", fromMs: T0 + 15 * MINUTE, toMs: T0 + 20 * MINUTE, reason: "connection refused" }]);
  });

  it("are also where samples are simply missing for more than three periods, in every tier", () => {
    collect(T0, T0 + HOUR, (atMs) => {
      const silent = atMs >= T0 + 20 * MINUTE && atMs < T0 + 40 * MINUTE;
      const missed = atMs === T0 + 50 * MINUTE;
      return silent || missed ? {} : { samples: [calls(atMs, 0), sample("a", "cri.run_sandbox.p95.low", atMs, 1)] };
    });
    const silence = { source: "kubelet", fromMs: T0 + 20 * MINUTE - 15 * SECOND, toMs: T0 + 40 * MINUTE };
    expect(look(T0, T0 + HOUR, ["pods.waiting"]).gaps).toEqual([{ ...silence, reason: "No sample came for 20 min." }]);
    maintainAll(T0 + 9 * HOUR);
    const rolledUp = look(T0, T0 + HOUR, ["pods.waiting"]);
    expect(rolledUp.tier).toBe("1m");
    expect(rolledUp.gaps).toEqual([{ ...silence, reason: "No sample came for 20 min." }]);
  });

  it("are not made of a percentile that had no call to tell of", () => {
    collect(T0, T0 + HOUR, (atMs) => ({ samples: [calls(atMs, 0), ...(atMs < T0 + 10 * MINUTE ? [sample("a", "cri.run_sandbox.p95.low", atMs, 1)] : [])] }));
    expect(look(T0, T0 + HOUR - 15 * SECOND, ["cri.run_sandbox.p95.low"]).gaps).toEqual([]);
  });

  it("say that no collector was at work, for every source that ever spoke, also while it still is not", () => {
    collect(T0, T0 + 10 * MINUTE, (atMs) => ({ samples: [calls(atMs, 1)] }));
    collect(T0 + 40 * MINUTE, T0 + 50 * MINUTE, (atMs) => ({ samples: [calls(atMs, 1)] }));
    const { gaps } = look(T0, T0 + HOUR);
    const last = T0 + 50 * MINUTE - 15 * SECOND;
    expect(gaps.filter(({ source }) => source === "api")).toEqual([
      { source: "api", fromMs: T0 + 10 * MINUTE - 15 * SECOND, toMs: T0 + 40 * MINUTE, reason: "No collector was at work." },
      { source: "api", fromMs: last, toMs: T0 + HOUR, reason: "No collector was at work." },
    ]);
    expect(gaps.filter(({ source }) => source === "kubelet").map(({ reason }) => reason)).toEqual(["No collector was at work.", "No collector was at work."]);
    expect(gaps.filter(({ source }) => source === "agent")).toEqual([]);
  });

  it("close as a history is filled in behind the present", () => {
    ingest.write(batch(T0 - HOUR));
    ingest.write(batch(T0)); // an hour of nothing, and then the collector fills it in
    expect(look(T0 - HOUR, T0).gaps).toHaveLength(1);
    for (let atMs = T0 - HOUR + MINUTE; atMs < T0; atMs += MINUTE) ingest.write(batch(atMs));
    ingest.write(batch(T0 + 1));
    expect(look(T0 - HOUR, T0).gaps).toEqual([]);
  });
});

describe("answers over a range", () => {
  const states = (fromMs: number, toMs: number) => look(fromMs, toMs).answers.map((span) => [span.state, span.fromMs - T0, span.toMs - T0]);

  it("are clipped to it and include the one that began before it", () => {
    collect(T0, T0 + HOUR, () => ({}));
    ingest.write(batch(T0 + HOUR, { answers: [answer("a", T0, "yes"), answer("a", T0 + 20 * MINUTE, "no", { summary: "0 fresh" }), answer("a", T0 + 40 * MINUTE, "yes", { atRisk: true }), answer("b", T0 + 1, "no")] }));
    expect(states(T0 + 10 * MINUTE, T0 + 50 * MINUTE)).toEqual([["yes", 10 * MINUTE, 20 * MINUTE], ["no", 20 * MINUTE, 40 * MINUTE], ["yes", 40 * MINUTE, 50 * MINUTE]]);
    expect(look(T0 + 25 * MINUTE, T0 + 30 * MINUTE).answers).toEqual([{ fromMs: T0 + 25 * MINUTE, toMs: T0 + 30 * MINUTE, state: "no", atRisk: false, idle: false, summary: "0 fresh" }]);
    expect(states(T0 - HOUR, T0 + 5 * MINUTE)).toEqual([["yes", 0, 5 * MINUTE]]);
  });

  it("are unknown while no collector was at work, and nothing while the node was not in the cluster", () => {
    collect(T0, T0 + 10 * MINUTE, () => ({}));
    ingest.write(batch(T0 + 10 * MINUTE, { answers: [answer("a", T0, "yes")] }));
    collect(T0 + 30 * MINUTE, T0 + 40 * MINUTE, () => ({}));
    ingest.write(batch(T0 + 40 * MINUTE, { gone: ["a"] }));
    collect(T0 + 40 * MINUTE, T0 + 50 * MINUTE, () => ({}));
    ingest.write(batch(T0 + 50 * MINUTE, { views: [view("a")], answers: [answer("a", T0 + 50 * MINUTE, "no")] }));
    expect(states(T0, T0 + 52 * MINUTE)).toEqual([
      ["yes", 0, 10 * MINUTE],
      ["unknown", 10 * MINUTE, 30 * MINUTE],
      ["yes", 30 * MINUTE, 40 * MINUTE],
      ["no", 50 * MINUTE, 52 * MINUTE],
    ]);
  });

  it("of a node that flaps are bounded, and its worst moments stay", () => {
    const flips = Array.from({ length: 2 * MAX_ANSWER_SPANS }, (_, index) => answer("a", T0 + index * 10 * SECOND, index === 1_777 ? "no" : index % 2 === 0 ? "yes" : "unknown"));
    const endMs = T0 + flips.length * 10 * SECOND;
    for (let atMs = T0; atMs < endMs; atMs += MINUTE) ingest.write(batch(atMs));
    ingest.write(batch(endMs, { answers: flips }));
    const { answers } = look(T0, endMs);
    expect(answers.length).toBeLessThanOrEqual(MAX_ANSWER_SPANS);
    expect(answers.some((span) => span.state === "no" && span.fromMs <= T0 + 17_770 * SECOND && span.toMs > T0 + 17_770 * SECOND)).toBe(true);
    expect(answers[0]?.fromMs).toBe(T0);
    expect(answers.at(-1)?.toMs).toBe(endMs);
    for (const [index, span] of answers.entries()) if (index > 0) expect(span.fromMs).toBe(answers[index - 1]?.toMs);
  });
});

describe("events of a range", () => {
  it("stand at their last occurrence, or at their first where the last is outside", () => {
    ingest.write(
      batch(T0, {
        events: [
          event("before", { host: "a", firstMs: T0 - 10, lastMs: T0 - 5 }),
          event("ends", { host: "a", firstMs: T0 - 10, lastMs: T0 + 5, count: 3 }),
          event("begins", { host: "a", firstMs: T0 + 50, lastMs: T0 + 500, count: 9 }),
          event("spans", { host: "a", firstMs: T0 - 10, lastMs: T0 + 500 }),
          event("other", { host: "b", firstMs: T0, lastMs: T0 + 10 }),
        ],
      }),
    );
    expect(look(T0, T0 + 100).events.map(({ atMs, count, about }) => [atMs - T0, count, about])).toEqual([[5, 3, "Pod default/web-1"], [50, 9, "Pod default/web-1"]]);
  });

  it("are bounded to the newest, and the answer says that there are more", () => {
    ingest.write(batch(T0, { events: Array.from({ length: MAX_TIMELINE_EVENTS + 5 }, (_, index) => event(`e${index}`, { host: "a", firstMs: T0 + index, lastMs: T0 + index })) }));
    const seen = look(T0, T0 + 10_000);
    expect(seen.eventsTruncated).toBe(true);
    expect(seen.events).toHaveLength(MAX_TIMELINE_EVENTS);
    expect(seen.events.at(-1)?.atMs).toBe(T0 + MAX_TIMELINE_EVENTS + 4);
  });
});

describe("the fleet's history", () => {
  const history = (fromMs: number, toMs: number, buckets: number) => reader.fleetHistory({ fromMs, toMs, buckets }).map(({ no, unknown }) => [no, unknown]);

  it("tells of each step its worst moment, from the state before the range on", () => {
    collect(T0 - HOUR, T0 + 4 * MINUTE, () => ({}));
    ingest.write(
      batch(T0 + 4 * MINUTE, {
        answers: [
          answer("a", T0 - HOUR, "no"), answer("b", T0 - HOUR, "yes"), answer("c", T0 - HOUR, "unknown"),
          answer("b", T0 + 70 * SECOND, "no"), answer("b", T0 + 80 * SECOND, "yes"), // for ten seconds two were no
          answer("a", T0 + 2 * MINUTE, "yes"),
          answer("c", T0 + 3 * MINUTE, "yes"),
        ],
      }),
    );
    expect(history(T0, T0 + 4 * MINUTE, 4)).toEqual([[1, 1], [2, 1], [0, 1], [0, 0]]);
  });

  it("counts no node that had left, and every node as unknown while no collector was at work", () => {
    ingest.write(batch(T0, { answers: [answer("a", T0, "no"), answer("b", T0, "yes"), answer("c", T0, "unknown")] }));
    ingest.write(batch(T0 + 1 * MINUTE, { gone: ["c"] }));
    ingest.write(batch(T0 + 10 * MINUTE));
    expect(history(T0, T0 + 10 * MINUTE, 10)).toEqual([[1, 1], ...Array.from({ length: 9 }, () => [0, 2])]);
  });
});

describe("changes of answers", () => {
  it("come newest first with the state before, bounded, and without nodes that left", () => {
    ingest.write(batch(T0, { answers: [answer("a", T0, "yes"), answer("a", T0 + 1, "no", { atRisk: false }), answer("b", T0 + 2, "unknown")], gone: ["c"] }));
    expect(reader.answerChanges({ fromMs: T0, limit: 10 })).toEqual([
      { node: "b", atMs: T0 + 2, state: "unknown", atRisk: false, summary: "b unknown" },
      { node: "a", atMs: T0 + 1, state: "no", before: "yes", atRisk: false, summary: "a no" },
      { node: "a", atMs: T0, state: "yes", atRisk: false, summary: "a yes" },
    ]);
    expect(reader.answerChanges({ fromMs: T0, limit: 1 })).toHaveLength(1);
  });
});
