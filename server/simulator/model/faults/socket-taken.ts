import type { Fault } from "./fault";

/** A second instance of the daemon binds the path, and ends: the file is its, and the first one listens where no path leads. */
export const socketTaken: Fault = {
  what: "Another process binds the daemon's socket anew, and ends.",
  break: ({ node }) => node.files.makeSocket(node.engine.nowMs),
  mend: ({ node, model }) => {
    const pod = model.daemonSet.podOn(node.parameters.name);
    if (pod !== undefined) node.deletePod(pod, model.nowMs);
  },
};
