import type { Fault } from "./fault";

/** The daemon's pod is being ended and then deleted by force: its successor starts while the old process takes its ten seconds. */
export const daemonsOverlap: Fault = {
  what: "The daemon's pod is deleted by force while it is ending, so that two daemons overlap.",
  break: ({ model, node }) => {
    const pod = model.daemonSet.podOn(node.parameters.name);
    if (pod === undefined) return;
    node.deletePod(pod, model.nowMs);
    node.kubelet.drop(pod.uid);
    model.podGone(pod);
  },
  mend: ({ model, node }) => {
    const pod = model.daemonSet.podOn(node.parameters.name);
    if (pod !== undefined) node.deletePod(pod, model.nowMs);
  },
};
