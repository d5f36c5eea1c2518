import { versionOf } from "../images";
import { SHIM } from "../texts";
import type { Fault } from "./fault";

/** An upgrade of the distribution puts its own plugins in the bin dir and with that removes the shim. */
export const shimRemoved: Fault = {
  what: "An upgrade of the distribution removes the shim from the bin dir.",
  break: ({ node }) => void node.files.bin.delete(SHIM),
  mend: ({ node, model }) => node.files.installShim(node.engine.nowMs, versionOf(model.daemonSet.image)),
};
