import { saidByPods } from "./said-by-pods";
import type { Cause } from "./types";

export const deviceUnavailable: Cause = {
  code: "device-unavailable",
  title: "A network device that the pod needs is not there",
  severity: "blocks",
  meaning:
    "The pod is to get a device of the node: an SR-IOV virtual function, a physical NIC, a vfio or vhost device. The plugin was given none, or the one that it was given is gone: the physical function was reset or moved, the driver lost it, the network attachment lacks the annotation that names the resource, or the pod did not request it.",
  impact: "Pods that ask for such a device wait; others start. Where the node's only NIC for pods is one of them, no pod starts.",
  checks: ["Texts of waiting pods: a VF or PCI address that is required or not there, no such network interface, a device that is busy, once a pod has waited for 30 s."],
  lookAlikes: [
    { code: "cni-config-invalid", tells: "There the config names a master link that this node never had." },
    { code: "nad-missing", tells: "There the network attachment itself does not exist." },
    { code: "host-link-conflict", tells: "There a link is there and in the way." },
  ],
  mitigation: [
    "What the node offers and has given away: `kubectl get node NODE -o jsonpath='{.status.allocatable}'`; on the node `ip -d link show PF`, `ls /sys/class/net/PF/device/virtfn*`.",
    "Does the network attachment have the annotation k8s.v1.cni.cncf.io/resourceName, and does the pod request that resource?",
    "Device plugin and VFs disagree after a reset: restart the device plugin's pod on this node, then the pods that wait.",
    "VFs that are gone: `dmesg | grep -iE 'vf|firmware'`; make them anew (`echo N > /sys/class/net/PF/device/sriov_numvfs`) with no pod using them. A NIC that fell off the bus needs the node replaced: the same text comes once in a flap and always in a wedge, so look whether fresh sandboxes appear.",
  ],
  actions: [],
  explains: [],
  check: (input) => saidByPods(input, "device-unavailable", { says: "say that a network device they need is not there." }),
};
