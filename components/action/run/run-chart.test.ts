import { expect, test } from "vitest";
import type { Timeline } from "@/server/contract/schemas";
import { run } from "../testing/run";
import { drawBacklog } from "@/components/chart/backlog/drawing";
import { chartWindow, pinsOf } from "./run-chart";

const MINUTE_MS = 60_000;
const started = Date.parse(run().started);

test("the chart reaches from ten minutes before the run to just after its last check", () => {
  expect(chartWindow(run(), started)).toEqual({ fromMs: started - 10 * MINUTE_MS, toMs: Date.parse(run().verifications[2]?.due ?? "") + MINUTE_MS / 2 });
  expect(chartWindow({ started: run().started, verifications: [] }, started + MINUTE_MS)).toEqual({ fromMs: started - 10 * MINUTE_MS, toMs: started + 11.5 * MINUTE_MS });
});

test("the run and every check have a mark, hollow until it was made, in their order", () => {
  const [first, ...rest] = run().verifications;
  const one = run({ verifications: [{ due: first?.due ?? "", verdict: "worked" }, ...rest] });
  const pins = pinsOf(one, chartWindow(one, started));
  expect(pins.map(({ label, done }) => [label, done])).toEqual([["run", true], ["+1", true], ["+3", false], ["+10", false]]);
  expect(pins.map(({ share }) => share)).toEqual([...pins.map(({ share }) => share)].sort((a, b) => a - b));
  expect(pins.every(({ share }) => share > 0 && share < 1)).toBe(true);
});

const timeline = (minutes: readonly number[], toMinute: number): Timeline => {
  const at = minutes.map((minute) => started + minute * MINUTE_MS);
  const values = minutes.map(() => 214);
  return {
    node: "node-07", from: new Date(started - 10 * MINUTE_MS).toISOString(), to: new Date(started + toMinute * MINUTE_MS).toISOString(), stepSeconds: 60, tier: "1m",
    series: [{ signal: "pods.waiting", instance: "", unit: "count", at, min: values, max: values, last: values }],
    gaps: [], answers: [], events: [], eventsTruncated: false,
  };
};
const all = Array.from({ length: 13 }, (_, index) => index - 10);

test("what has not passed yet is neither a line nor a gap", () => {
  const window = chartWindow(run(), started);
  const { waiting, gaps, scale } = drawBacklog(timeline(all, 2), window);
  expect(gaps).toEqual([]);
  expect(waiting.now).toBe(214);
  expect(scale.max).toBeGreaterThanOrEqual(214);
  const xs = waiting.lines.flatMap((line) => [...line.matchAll(/[ML](-?[\d.]+) /g)].map((match) => Number(match[1])));
  const now = ((12 * MINUTE_MS) / (window.toMs - window.fromMs)) * 1_000;
  expect(Math.max(...xs)).toBeLessThanOrEqual(now + 1);
});

test("a stretch without data breaks the line and is a gap; a series that is absent is no line and no zero", () => {
  const { waiting, dead, gaps } = drawBacklog(timeline(all.filter((minute) => minute < -6 || minute > -1), 2), chartWindow(run(), started));
  expect(gaps).toHaveLength(1);
  expect(waiting.lines).toHaveLength(2);
  expect(dead).toMatchObject({ lines: [], areas: [], now: undefined });
});
