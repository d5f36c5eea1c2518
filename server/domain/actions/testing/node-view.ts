import { NO_DIAGNOSIS } from "../../causes/types";
import type { NodeView } from "../../node-view";
import type { NodeAction } from "../work-order";

interface Told {
  readonly answer?: "yes" | "no";
  readonly agent?: "fresh" | "stale";
  readonly nodeActions?: readonly NodeAction[] | undefined;
  readonly dead?: number;
  readonly daemonReady?: boolean;
  readonly causes?: NodeView["causes"];
}

/** A node that cannot start pods, with 600 dead sandboxes, whose agent takes every order. */
export function nodeViewOf(told: Told = {}): NodeView {
  const { answer = "no", agent = "fresh", dead = 600, daemonReady = true, causes = [] } = told;
  const nodeActions = "nodeActions" in told ? told.nodeActions : (["purge-dead-sandboxes", "move-busy-shim-aside", "remove-broken-cache-entry"] as const);
  return {
    name: "node-1",
    pool: "default",
    answer: { state: answer, atRisk: false, idle: false, row: answer === "no" ? 3 : 5, summary: "", proof: [], sinceMs: 0 },
    ready: "True",
    schedulable: true,
    taints: [],
    conditions: [],
    versions: {},
    sources: [{ source: "agent", freshness: agent, ...(agent === "stale" ? { reason: "nothing for 2 min" } : {}) }],
    signals: [{ signal: "sandbox.dead", instance: "", source: "agent", state: "fresh", value: dead }],
    counts: { pods: 110, waiting: 20, waitingSystem: 0, stuck: 20, ownRequest: 0, other: 0 },
    waitingPods: [],
    deadline: { seconds: 240, assumed: false },
    daemons: [{ daemonSet: "kube-system/kube-multus-ds", pod: "kube-multus-ds-abcde", container: "kube-multus", ready: daemonReady, restarts: 0, oomKillsMs: [] }],
    sockets: [],
    ...(nodeActions === undefined ? {} : { nodeActions }),
    blind: [],
    ...NO_DIAGNOSIS,
    causes,
  };
}
