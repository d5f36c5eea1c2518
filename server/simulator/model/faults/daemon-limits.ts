import type { DaemonResources } from "../parameters";
import type { Fault } from "./fault";

/** Other resources for the daemon of this node, in place. */
export const daemonLimits = (what: string, resources: Partial<DaemonResources>): Fault => ({
  what,
  break: ({ model, node }) => {
    const pod = model.daemonSet.podOn(node.parameters.name);
    if (pod !== undefined) node.resizeDaemon(pod, { ...pod.resources, ...resources });
  },
  mend: ({ model, node }) => {
    const pod = model.daemonSet.podOn(node.parameters.name);
    if (pod !== undefined) node.resizeDaemon(pod, model.daemonSet.resources);
  },
});
