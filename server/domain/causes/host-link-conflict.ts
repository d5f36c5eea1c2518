import { saidByPods } from "./said-by-pods";
import type { Cause } from "./types";

export const hostLinkConflict: Cause = {
  code: "host-link-conflict",
  title: "A link or bridge of the node is in the way",
  severity: "blocks",
  meaning:
    "A plugin wants to make or set up a link on the node and finds one that is there already and different: a bridge with another address (left over from another CNI or an earlier range), a veth of the same name, or a link whose MAC address something else (systemd-udevd, NetworkManager) rewrote.",
  impact: "Every pod that needs this link waits. It does not mend itself.",
  checks: ["Texts of waiting pods: a link that already exists, a bridge that has another address, a MAC address that does not fit, once a pod has waited for 30 s."],
  lookAlikes: [
    { code: "cni-config-invalid", tells: "There the config names a link that does not exist at all." },
    { code: "cni-config-conflict", tells: "There another CNI's config is in force; left over links often come with it." },
    { code: "teardown-failed", tells: "There links stay because sandboxes cannot be taken down." },
  ],
  mitigation: [
    "See it: `ip -d link show BRIDGE; ip addr show BRIDGE`, and compare with the range in the conflist.",
    "A bridge without ports can go: `ip link set cni0 down && ip link delete cni0`; the plugin makes it again. With ports, pods of this node use it: drain the node first.",
    "A MAC address that is rewritten: `MACAddressPolicy=none` in a systemd .link file for veth, and keep NetworkManager off the CNI's links.",
    "After a change of the CNI or of the range a reboot of the node clears what was left.",
  ],
  actions: [],
  explains: [],
  check: (input) => saidByPods(input, "host-link-conflict", { says: "say that a link or bridge of the node is in the way." }),
};
