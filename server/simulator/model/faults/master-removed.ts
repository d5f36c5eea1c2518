import { PRIMARY_CONF, primaryConf } from "../files";
import type { Fault } from "./fault";

/** The conflist that the daemon hands pods to is deleted while it runs. */
export const masterRemoved: Fault = {
  what: "The conflist behind the daemon is deleted.",
  break: ({ node }) => node.files.removeConf(PRIMARY_CONF),
  mend: ({ node }) => node.files.writeConf(PRIMARY_CONF, primaryConf(node.files.subnet), node.engine.nowMs),
};
