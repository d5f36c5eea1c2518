import type { Fault } from "./fault";

const FILE = "00-cilium.conflist";
const TEXT = JSON.stringify({ cniVersion: "0.3.1", name: "cilium", plugins: [{ type: "cilium-cni", "enable-debug": false }] }, null, 2);

/** A node image of an older cluster brings its CNI's files along: config and program, and no agent behind them. */
export const confOfOtherCni: Fault = {
  what: "An image update brings back config and program of a CNI that the cluster no longer has.",
  break: ({ node }) => {
    node.files.putProgram("cilium-cni", node.engine.nowMs);
    node.files.writeConf(FILE, TEXT, node.engine.nowMs);
  },
  mend: ({ node }) => node.files.removeConf(FILE),
};
