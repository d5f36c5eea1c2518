import { versionOf } from "../images";
import type { Fault } from "./fault";

/** Another installer puts a newer shim beside the older daemon. */
export const newerShim = (version: string): Fault => ({
  what: `Shim ${version} is installed beside a daemon that is older.`,
  break: ({ node }) => node.files.installShim(node.engine.nowMs, version),
  mend: ({ node, model }) => node.files.installShim(node.engine.nowMs, versionOf(model.daemonSet.image)),
});
