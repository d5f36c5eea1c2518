import type { NodeDetail, Timeline } from "@/server/contract/schemas";
import { summary } from "./summaries";

export const START_MS = Date.parse("2026-03-17T02:12:00.000Z");
export const STEP_MS = 15_000;
export const iso = (ms: number): string => new Date(ms).toISOString();

type Wire = Timeline["series"][number];

/** A series with one value every 15 s from the start; `undefined` leaves a sample out. */
export function wire(signal: Wire["signal"], values: readonly (number | undefined)[], instance = ""): Wire {
  const told = values.flatMap((value, index) => (value === undefined ? [] : [{ at: START_MS + index * STEP_MS, value }]));
  return { signal, instance, unit: "count", at: told.map((point) => point.at), min: told.map((point) => point.value), max: told.map((point) => point.value), last: told.map((point) => point.value) };
}

export function timelineOf(series: readonly Wire[], change: Partial<Timeline> = {}): Timeline {
  return { node: "node-7", from: iso(START_MS), to: iso(START_MS + 20 * STEP_MS), stepSeconds: 0, tier: "raw", series: [...series], gaps: [], answers: [], events: [], eventsTruncated: false, ...change };
}

export function detailOf(change: Partial<NodeDetail> = {}): NodeDetail {
  return { ...summary("node-7"), seq: 1, conditions: [], waitingPods: [], daemons: [], sockets: [], blind: [], diagnosis: { causes: [], unknown: [], accepted: [], suspended: [] }, ...change };
}
