import type { Fault } from "./fault";

/** The way from this node's pods to the API server's Service address is broken; the kubelet has another. */
export const apiUnreachable: Fault = {
  what: "The daemon cannot reach the API server's Service address.",
  break: ({ node }) => {
    node.api.reachable = false;
  },
  mend: ({ node }) => {
    node.api.reachable = true;
  },
};
