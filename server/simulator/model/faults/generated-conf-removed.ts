import { MULTUS_CONF, multusConf } from "../files";
import type { Fault } from "./fault";

/** Somebody tidies the conf dir up and takes the daemon's config for a leftover; the daemon does not write it again by itself. */
export const generatedConfRemoved: Fault = {
  what: "The config that sends pods to the daemon is deleted while the daemon runs.",
  break: ({ node }) => node.files.removeConf(MULTUS_CONF),
  mend: ({ node }) => node.files.writeConf(MULTUS_CONF, multusConf(node.multus.master ?? ""), node.engine.nowMs),
};
