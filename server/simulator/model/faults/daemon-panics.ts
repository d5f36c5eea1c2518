import type { Fault } from "./fault";

/** The daemon meets something on this node that it does not survive, now and after each start. */
export const daemonPanics: Fault = {
  what: "The daemon's process panics, and panics again after every start.",
  break: ({ node }) => {
    node.host.daemonPanics = true;
    node.daemonPod?.crash();
  },
  mend: ({ node, model }) => {
    node.host.daemonPanics = false;
    const pod = model.daemonSet.podOn(node.parameters.name);
    if (pod !== undefined) node.deletePod(pod, model.nowMs); // its successor has no back-off
  },
};
