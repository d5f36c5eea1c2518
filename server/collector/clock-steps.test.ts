import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENT_PERIOD_MS, API_FRESH_MS, FRESH_PERIODS } from "../domain/sources";
import { CALM_REJUDGE_MS } from "./pipeline";
import { PipelineHarness } from "./testing/harness";

const HOUR_MS = 3_600_000;

let h: PipelineHarness;
beforeEach(() => {
  h = new PipelineHarness();
  h.ready(["a"]);
  h.report("a", []);
  h.tick(1_000);
});
afterEach(() => h.close());

const freshness = (source: string) => h.pipeline.view("a")?.sources.find((one) => one.source === source)?.freshness;

test("a source that falls silent after the clock was set back is stale in its own time, not when the old time comes again", () => {
  expect(h.answer("a")?.state).toBe("yes");
  h.tick(-HOUR_MS);
  expect([freshness("api"), freshness("agent")]).toEqual(["fresh", "fresh"]);
  h.tick(FRESH_PERIODS * AGENT_PERIOD_MS + 1_000);
  expect([freshness("api"), freshness("agent")]).toEqual(["fresh", "stale"]);
  h.tick(API_FRESH_MS);
  expect(freshness("api")).toBe("stale");
  expect(h.answer("a")?.state).toBe("unknown");
});

test("a watch that fails after the clock was set back, and tells its last word by the clock of before, is no sign of life", () => {
  const before = h.nowMs;
  h.tick(-HOUR_MS);
  for (const kind of ["nodes", "pods"] as const) h.kind(kind, { state: "failing", reason: "connection refused", lastMs: before, failingSinceMs: h.nowMs });
  h.tick(API_FRESH_MS - 1_000);
  expect(freshness("api")).toBe("fresh");
  for (const kind of ["nodes", "pods"] as const) h.kind(kind, { state: "failing", reason: "connection refused", lastMs: before, failingSinceMs: h.nowMs });
  h.tick(1_000 + CALM_REJUDGE_MS);
  expect(freshness("api")).toBe("stale");
});

test("a source that goes on after the clock was set back stays fresh", () => {
  h.tick(-HOUR_MS);
  for (let round = 0; round < 20; round += 1) {
    h.nowMs += AGENT_PERIOD_MS;
    h.report("a", []);
    for (const kind of ["nodes", "pods"] as const) h.kind(kind);
    h.tick();
    expect([freshness("api"), freshness("agent")]).toEqual(["fresh", "fresh"]);
  }
});
