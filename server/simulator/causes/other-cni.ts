import type { CauseScenario } from "./types";

/** A node whose daemon hands pods to another CNI, which has an agent of its own. */
export const CILIUM_NODE: NonNullable<CauseScenario["node"]> = {
  primary: "cilium",
  extraPrograms: ["cilium-cni"],
  extraPods: [{ namespace: "kube-system", app: "cilium", count: 1, of: "DaemonSet", hostNetwork: true, memoryLimitBytes: 2 ** 30 }],
};
