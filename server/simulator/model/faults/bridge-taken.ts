import { BRIDGE } from "../files";
import type { Fault } from "./fault";

/** Another tool on the node has made a bridge of this name, with an address of its own. */
export const bridgeTaken: Fault = {
  what: "The node's bridge has an address of another network.",
  break: ({ node }) => void node.host.links.set(BRIDGE, { kind: "bridge", address: "10.88.0.1/16" }),
  mend: ({ node }) => void node.host.links.delete(BRIDGE),
};
