import type { ActionRunOut } from "@/server/contract/schemas";

const at = (minute: number, second = 0): string => new Date(Date.UTC(2026, 2, 17, 3, minute, second)).toISOString();

/** A run as the API gives it: applied at 03:25:08, its change seen at 03:25:20. */
export const run = (over: Partial<ActionRunOut> = {}): ActionRunOut => ({
  id: 7,
  requestId: "0b0e4b52-request",
  action: "set-daemon-resources",
  title: "Set kube-multus to 2 CPU and 4 Gi",
  node: "node-07",
  object: { kind: "DaemonSet", namespace: "kube-system", name: "kube-multus-ds" },
  params: { container: "kube-multus", cpuLimit: "2", memoryRequest: "256Mi", memoryLimit: "4Gi" },
  actor: "somebody as admin",
  state: "applied",
  started: at(25, 8),
  finished: at(25, 9),
  seen: at(25, 20),
  passRule: "Worked: pods that waited got a sandbox.",
  undo: { possible: true, how: "Sets the values of before again." },
  before: { at: at(25, 8), answer: "no", atRisk: false, waiting: 214, stuck: 214, backlog: 641, throttledShare: 1, oomKills: 0, restarts: 0 },
  steps: [],
  verifications: [{ due: at(26, 20) }, { due: at(28, 20) }, { due: at(35, 20) }],
  ...over,
});
