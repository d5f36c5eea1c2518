import type { IncidentSummary } from "@/server/contract/incidents";

export const incident = (over: Partial<IncidentSummary> = {}): IncidentSummary => ({
  id: 1, scope: "node", node: "node-07", pool: "general", state: "open", stateSince: "2026-03-17T02:36:34Z", severity: "blocks", title: "node-07 cannot start pods", lead: "0 fresh sandboxes in 10 min.", sign: "2026-03-17T02:24:31Z", opened: "2026-03-17T02:36:34Z", relapses: 0, reopened: 0,
  causes: [{ code: "daemon-down", title: "The CNI daemon is down", certainty: "named", severity: "blocks", state: "firing" }], hurt: { workloads: 0, waiting: 0, system: [] }, notes: 0, ...over,
});
