import { NOTHING_TO_MEND, type Fault } from "./fault";

/** What mends pods that came up without the networks that they ask for: they are deleted, and their successors are attached. */
export const bypassedPodsStay: Fault = {
  what: "Pods that came up without their networks go on without them.",
  break: NOTHING_TO_MEND, // it is how it works
  mend: ({ model, node }) => {
    for (const pod of [...node.kubelet.pods.values()]) if (pod.networks !== undefined && pod.networkStatus === undefined && pod.sandboxReady.status) node.deletePod(pod, model.nowMs);
  },
};
