import { MULTUS_CONF, multusConf } from "../files";
import type { Fault } from "./fault";

const BYTES_LEFT = 60;

/** The disk was full for a moment while the config in force was written. */
export const confCutShort: Fault = {
  what: "The config in force is written, and cut short.",
  break: ({ node }) => {
    const text = node.files.conf.get(MULTUS_CONF)?.text ?? "";
    node.files.writeConf(MULTUS_CONF, text.slice(0, BYTES_LEFT), node.engine.nowMs);
  },
  mend: ({ node }) => node.files.writeConf(MULTUS_CONF, multusConf(node.multus.master ?? ""), node.engine.nowMs),
};
