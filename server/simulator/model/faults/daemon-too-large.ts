import type { DaemonResources } from "../parameters";
import type { Fault } from "./fault";

/** A memory limit without a request, so that the request is as high, in a template that rolls by hand; then this node's pod is deleted. */
export const daemonTooLarge = (limitBytes: number): Fault => ({
  what: "The daemon's new pod asks for more memory than the node has left.",
  break: ({ model, node }) => {
    model.daemonSet.strategy = "OnDelete";
    model.daemonSet.setTemplate({ resources: { ...model.daemonSet.resources, memoryLimitBytes: limitBytes, memoryRequestBytes: limitBytes } });
    const pod = model.daemonSet.podOn(node.parameters.name);
    if (pod !== undefined) node.deletePod(pod, model.nowMs);
  },
  mend: ({ model }) => {
    const resources: DaemonResources = { ...model.daemonSet.resources, memoryRequestBytes: SMALL_REQUEST_BYTES };
    model.daemonSet.strategy = "RollingUpdate";
    model.daemonSet.setTemplate({ resources });
  },
});

const SMALL_REQUEST_BYTES = 50 * 2 ** 20;
