import { isStale } from "../mounts";
import { NOTHING_TO_MEND, type Fault } from "./fault";

/** What mends a pod that still sees the socket of before a restart: the pod is deleted. */
export const consumerKeepsSocket: Fault = {
  what: "A pod that mounts the daemon's socket goes on seeing the old one.",
  break: NOTHING_TO_MEND, // it is a mount from the beginning
  mend: ({ node, model }) => {
    for (const pod of [...node.kubelet.pods.values()]) if (pod.mounts.some((mount) => isStale(mount, node.files))) node.deletePod(pod, model.nowMs);
  },
};
