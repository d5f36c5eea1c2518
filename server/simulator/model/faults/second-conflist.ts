import { primaryConf } from "../files";
import type { Fault } from "./fault";

export const SECOND_CONFLIST = "20-tenant.conflist";

/** Another CNI's conflist lies in the conf dir, after the first. */
export const secondConflist: Fault = {
  what: "A second conflist is written into the conf dir.",
  break: ({ node }) => node.files.writeConf(SECOND_CONFLIST, primaryConf(node.files.subnet), node.engine.nowMs),
  mend: ({ node }) => node.files.removeConf(SECOND_CONFLIST),
};
