import type { Fault } from "./fault";

/** The workload grows beyond what the node's addresses last for. */
export const scaledUp = (factor: number): Fault => ({
  what: `The workload grows to ${factor} times its pods.`,
  break: ({ model, node }) => {
    const workload = model.workload(node.parameters.name);
    if (workload !== undefined) workload.share = factor;
  },
  mend: ({ model, node }) => {
    const workload = model.workload(node.parameters.name);
    if (workload !== undefined) workload.share = 1;
    const services = [...node.kubelet.pods.values()].filter(({ kind, deletingMs }) => kind === "service" && deletingMs === undefined);
    for (const pod of services.slice(node.parameters.workload.services)) node.deletePod(pod, model.nowMs);
  },
});
