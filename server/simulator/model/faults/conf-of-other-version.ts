import { PRIMARY_CONF, primaryConf } from "../files";
import type { Fault } from "./fault";

/** The conflist is upgraded before the plugins are. */
export const confOfOtherVersion: Fault = {
  what: "The conflist asks for a CNI version that the node's plugins do not know.",
  break: ({ node }) => {
    const conf: unknown = JSON.parse(primaryConf(node.files.subnet));
    node.files.writeConf(PRIMARY_CONF, JSON.stringify({ ...(conf as object), cniVersion: "1.1.0" }, null, 2), node.engine.nowMs); // an object, made by primaryConf
  },
  mend: ({ node }) => node.files.writeConf(PRIMARY_CONF, primaryConf(node.files.subnet), node.engine.nowMs),
};
