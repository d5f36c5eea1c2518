import { PRIMARY_CONF, primaryConf } from "../files";
import type { Fault } from "./fault";

/** Everything in the conf dir is deleted. */
export const confDirEmptied: Fault = {
  what: "Every file of the CNI conf dir is deleted.",
  break: ({ node }) => {
    for (const name of [...node.files.conf.keys()]) node.files.removeConf(name);
  },
  // The daemon follows its master's file, and writes its own again once that is back.
  mend: ({ node }) => node.files.writeConf(PRIMARY_CONF, primaryConf(node.files.subnet), node.engine.nowMs),
};
