import { NOTHING_TO_MEND, type Fault } from "./fault";

/** A rollout of the workload: pods of it are deleted, and their successors need sandboxes at once. */
export const rollout = (pods: number): Fault => ({
  what: `A rollout replaces ${pods} pods of the node.`,
  break: ({ model, node }) => {
    const services = [...node.kubelet.pods.values()].filter(({ kind, deletingMs }) => kind === "service" && deletingMs === undefined).slice(0, pods);
    for (const pod of services) node.deletePod(pod, model.nowMs);
  },
  mend: NOTHING_TO_MEND,
});
