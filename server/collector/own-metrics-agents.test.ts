import { afterEach, expect, test } from "vitest";
import { createLog } from "../log";
import type { CollectorStatus } from "../store/types";
import { createOwnMetrics } from "./own-metrics";

const status = (agents: CollectorStatus["agents"]): CollectorStatus => ({
  cluster: { uid: "u", name: "c", server: "https://127.0.0.1", user: "me", simulated: false },
  startedMs: 0,
  atMs: 0,
  kinds: [],
  api: { reachable: true, sinceMs: 0 },
  kubelet: { mode: "direct", tls: "verify", scraped: 0, failing: 0, skipped: 0, lateMs: 0 },
  agents,
  store: { writable: true, pendingBatches: 0, droppedSamples: 0 },
  actionsAllowed: false,
});
let served: { close(): Promise<void> } | undefined;
afterEach(() => served?.close());

test("messages to the agent port are counted by their reason, each once, however often the status is told", async () => {
  const metrics = createOwnMetrics(createLog("silent", "test"));
  const server = await metrics.serve(0, "127.0.0.1");
  served = server;
  metrics.update([], status({ listening: true, reporting: 2, accepted: 10, turnedAway: 0, dropped: { replayed: 1, busy: 0 } }));
  metrics.update([], status({ listening: true, reporting: 2, accepted: 12, turnedAway: 3, dropped: { replayed: 1, busy: 4 }, identityTrouble: { reason: "no right", sinceMs: 1 } }));
  const lines = (await (await fetch(`http://127.0.0.1:${String(server.port)}/metrics`)).text()).split("\n").filter((line) => line.startsWith("sandglass_agent_"));
  expect(lines).toEqual([
    "sandglass_agent_reports_total 12",
    'sandglass_agent_dropped_total{reason="replayed"} 1',
    'sandglass_agent_dropped_total{reason="busy"} 4',
    "sandglass_agent_connections_turned_away_total 3",
    "sandglass_agent_tokens_checked 0",
  ]);
});
