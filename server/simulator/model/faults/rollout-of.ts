import { NOTHING_TO_MEND, type Fault } from "./fault";

/** A rollout of one app. */
export const rolloutOf = (app: string): Fault => ({
  what: `A rollout replaces every pod of ${app} on the node.`,
  break: ({ model, node }) => {
    for (const pod of [...node.kubelet.pods.values()]) if (pod.labels["app"] === app) node.deletePod(pod, model.nowMs);
  },
  mend: NOTHING_TO_MEND,
});
