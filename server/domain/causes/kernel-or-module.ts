import { couldNotLook, seen } from "./evidence";
import { saidByPods } from "./said-by-pods";
import type { Cause, CauseInput } from "./types";

export const kernelOrModule: Cause = {
  code: "kernel-or-module",
  title: "The kernel lacks what the plugin asks for",
  severity: "blocks",
  meaning:
    "A plugin uses a feature of the kernel that is not there: a module that is not loaded or not shipped (iptables tables, br_netfilter, vxlan, ip6tables), IPv6 that is switched off, a BPF feature of a newer kernel. Usually after the node came up with another kernel or image.",
  impact: "Every pod waits on the nodes with that kernel; nodes with another start pods.",
  checks: ["Texts of waiting pods: a table does not exist, a module cannot be loaded, an operation or protocol is not supported, once a pod has waited for 30 s.", "Beside them: the node's kernel and operating system."],
  lookAlikes: [
    { code: "host-permission-or-mount", tells: "There the kernel has it and the node forbids it." },
    { code: "node-resource-exhausted", tells: "There the kernel has it and a table or limit of it is full." },
    { code: "plugin-bug", tells: "There the plugin asks for the wrong thing." },
  ],
  mitigation: [
    "Compare the kernel with a node that starts pods: `kubectl get nodes -o custom-columns=N:.metadata.name,K:.status.nodeInfo.kernelVersion,O:.status.nodeInfo.osImage`.",
    "Load the module: `modprobe br_netfilter iptable_nat ip6table_nat vxlan`, and put it into /etc/modules-load.d so that it stays.",
    "A module that does not exist for the running kernel: the packages were updated and the node not rebooted, or the image leaves it out (linux-modules-extra on Ubuntu clouds).",
    "iptables and nftables variants that are mixed give the same texts: the CNI's image and the node must use the same one.",
    "IPv6 that is off with a dual-stack config: switch it on, or take the IPv6 range out of the config.",
  ],
  actions: [],
  explains: [],
  check: (input) => saidByPods(input, "kernel-or-module", { says: "say that the kernel lacks something that the plugin needs.", beside: [kernelOf(input)] }),
};

const kernelOf = ({ node }: CauseInput) => {
  const { kernel, os } = node.versions;
  return kernel === undefined ? couldNotLook("The node's kernel", "api", "the node does not tell it") : seen("The node's kernel", "api", { value: os === undefined ? kernel : `${kernel}, ${os}` });
};
