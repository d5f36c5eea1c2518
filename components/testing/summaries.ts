import type { ChangeMessage, NodeSummary } from "@/server/contract/schemas";
import { toRow } from "@/components/fleet/to-row";
import type { FleetRow } from "@/components/fleet/model";

const AT = "2026-03-17T03:12:40.000Z";

type Signal = NodeSummary["signals"][number];

export const signal = (id: Signal["signal"], value: number | undefined, extra: Partial<Signal> = {}): Signal => ({
  signal: id,
  instance: "",
  source: "kubelet",
  unit: "count",
  state: value === undefined ? "unknown" : "fresh",
  ...(value === undefined ? { reason: "no data" } : { value, at: AT }),
  ...extra,
});

/** A healthy node in the API's shape; a test says what differs. */
export function summary(name: string, change: Partial<NodeSummary> = {}): NodeSummary {
  return {
    name,
    pool: "general",
    answer: { state: "yes", atRisk: false, idle: false, since: "2026-03-17T01:00:00.000Z", row: 5, summary: "14 fresh sandboxes in 10 min, none stuck.", proof: [] },
    ready: "True",
    schedulable: true,
    taints: [],
    versions: { kubelet: "v1.37.2", runtime: "containerd://2.0.3" },
    sources: [{ source: "api", freshness: "fresh", last: AT }],
    signals: [],
    counts: { seen: true, pods: 30, waiting: 0, waitingSystem: 0, stuck: 0, ownRequest: 0, other: 0 },
    causes: [],
    deadline: { seconds: 240, assumed: false },
    ...change,
  };
}

/** The same node with another answer. */
export function answered(name: string, state: NodeSummary["answer"]["state"], change: Partial<NodeSummary["answer"]> = {}, rest: Partial<NodeSummary> = {}): NodeSummary {
  const base = summary(name, rest);
  return { ...base, answer: { ...base.answer, state, ...change } };
}

export const row = (name: string, change: Partial<FleetRow> = {}): FleetRow => ({ ...toRow(summary(name)), ...change });

export const change = (seq: number, nodes: readonly NodeSummary[], rest: Partial<ChangeMessage> = {}): ChangeMessage => ({ seq, at: AT, nodes: [...nodes], gone: [], ...rest });
