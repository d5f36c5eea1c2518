import type { Fault } from "./fault";

/** A new version of the manifest forgets the limits of the init container; this node's pod is made of it. */
export const initUnlimited: Fault = {
  what: "The daemon's init container loses its limits, and with it the pod its own.",
  break: ({ model, node }) => {
    model.daemonSet.strategy = "OnDelete";
    model.daemonSet.setTemplate({ initLimited: false });
    const pod = model.daemonSet.podOn(node.parameters.name);
    if (pod !== undefined) node.deletePod(pod, model.nowMs);
  },
  mend: ({ model }) => {
    model.daemonSet.strategy = "RollingUpdate";
    model.daemonSet.setTemplate({ initLimited: true });
  },
};
