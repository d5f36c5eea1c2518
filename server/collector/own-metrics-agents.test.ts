import { afterEach, expect, test } from "vitest";
import type { NodeView } from "../domain/node-view";
import type { LostReports } from "../domain/agent-report";
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
  metrics.update([], status({ listening: true, reporting: 2, accepted: 12, turnedAway: 3, connections: 4, dropped: { replayed: 1, busy: 4 }, identityTrouble: { reason: "no right", sinceMs: 1 } }));
  const lines = (await (await fetch(`http://127.0.0.1:${String(server.port)}/metrics`)).text()).split("\n").filter((line) => line.startsWith("sandglass_agent_"));
  expect(lines).toEqual([
    "sandglass_agent_reports_total 12",
    'sandglass_agent_dropped_total{reason="replayed"} 1',
    'sandglass_agent_dropped_total{reason="busy"} 4',
    "sandglass_agent_connections_turned_away_total 3",
    "sandglass_agent_connections 4",
    "sandglass_agent_tokens_checked 0",
  ]);
});

/** What the metrics look at of a view. */
const view = (name: string, lostReports?: LostReports): NodeView =>
  ({ name, answer: { state: "yes" }, counts: { waiting: 0 }, sources: [{ source: "agent", freshness: "fresh" }], ...(lostReports === undefined ? {} : { lostReports }) }) as unknown as NodeView;

test("reports that agents gave up are summed over those that tell; where none does there is no series, which is not a zero", async () => {
  const metrics = createOwnMetrics(createLog("silent", "test"));
  const server = await metrics.serve(0, "127.0.0.1");
  served = server;
  const told = async (): Promise<readonly string[]> => (await (await fetch(`http://127.0.0.1:${String(server.port)}/metrics`)).text()).split("\n").filter((line) => /^sandglass_agent(s_telling_losses|_reports_lost)/.test(line));
  const agents = { listening: true, reporting: 2, dropped: {} };
  metrics.update([view("a")], status(agents));
  expect(await told()).toEqual(['sandglass_agents_telling_losses{tells="yes"} 0', 'sandglass_agents_telling_losses{tells="no"} 1']);
  metrics.update([view("a"), view("b", { thinned: 30, tooOld: 7, fromMs: 1, toMs: 2 }), view("c", { thinned: 0, tooOld: 1, fromMs: 1, toMs: 1 })], status(agents));
  expect(await told()).toEqual(['sandglass_agent_reports_lost{reason="thinned"} 30', 'sandglass_agent_reports_lost{reason="too-old"} 8', 'sandglass_agents_telling_losses{tells="yes"} 2', 'sandglass_agents_telling_losses{tells="no"} 1']);
});
