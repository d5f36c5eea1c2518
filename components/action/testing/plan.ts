import type { ActionPlan } from "@/server/contract/schemas";

/** A plan as the API gives it, for tests of what is made of one. */
export const plan = (over: Partial<ActionPlan> = {}): ActionPlan => ({
  action: "set-daemon-resources",
  title: "Set kube-multus to 2 CPU and 4 Gi",
  node: "node-07",
  object: { kind: "DaemonSet", namespace: "kube-system", name: "kube-multus-ds" },
  params: { container: "kube-multus", cpuLimit: "2", memoryRequest: "256Mi", memoryLimit: "4Gi" },
  steps: [
    { title: "Check that nothing changed since the plan", writes: false, call: { method: "GET", path: "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-multus-ds" } },
    { title: "Set limits and requests", writes: true, call: { method: "PATCH", path: "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-multus-ds?fieldManager=sandglass", body: '{"spec":{"template":{}}}' } },
    { title: "Verify on node-07 after 1, 3, 10 min", writes: false },
  ],
  diff: [
    { kind: "same", text: "- name: kube-multus" },
    { kind: "same", text: "    limits:" },
    { kind: "removed", text: "      cpu: 100m" },
    { kind: "added", text: "      cpu: 2" },
    { kind: "removed", text: "      memory: 1Gi" },
    { kind: "added", text: "      memory: 4Gi" },
  ],
  affected: { nodes: 24, ofNodes: 24, podsRestarted: 24, atOnce: "10%" },
  hazards: [{ title: "Rolls all 24 nodes, 10% at once.", detail: "Each has no CNI daemon for some seconds." }],
  refusals: [],
  undo: { possible: true, how: "Sets the values of before again.", call: { method: "PATCH", path: "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-multus-ds?fieldManager=sandglass", body: '{"spec":{"undo":{}}}' } },
  confirm: { kind: "type", text: "kube-multus-ds" },
  version: "uid:15:no",
  evidence: [{ what: "Pods stuck", look: "seen", value: 214, source: "api" }],
  passRule: "Worked: pods that waited got a sandbox.",
  ...over,
});
