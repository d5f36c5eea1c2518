import { expect, test } from "vitest";
import type { KindStatus } from "../domain/observation";
import { ApiWatch } from "./status";

const kind = (name: KindStatus["kind"], failingSinceMs?: number): KindStatus => ({ kind: name, state: failingSinceMs === undefined ? "watching" : "failing", objects: 1, ...(failingSinceMs === undefined ? {} : { failingSinceMs, reason: `${name} failed` }) });

test("the API server answers since the start, is away since the oldest failure of nodes and pods, and is back since its recovery", () => {
  const api = new ApiWatch(1_000);
  expect(api.look([], 2_000)).toEqual({ reachable: true, sinceMs: 1_000 });
  expect(api.look([kind("nodes"), kind("events", 2_500)], 3_000)).toEqual({ reachable: true, sinceMs: 1_000 });
  expect(api.look([kind("nodes", 4_500), kind("pods", 4_000)], 5_000)).toEqual({ reachable: false, sinceMs: 4_000, reason: "pods failed" });
  expect(api.look([kind("nodes", 4_500), kind("pods")], 6_000)).toEqual({ reachable: false, sinceMs: 4_500, reason: "nodes failed" });
  for (const nowMs of [7_000, 8_000]) expect(api.look([kind("nodes"), kind("pods")], nowMs)).toEqual({ reachable: true, sinceMs: 7_000 });
});
