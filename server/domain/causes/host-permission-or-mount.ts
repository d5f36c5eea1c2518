import { saidByPods } from "./said-by-pods";
import type { Cause } from "./types";

export const hostPermissionOrMount: Cause = {
  code: "host-permission-or-mount",
  title: "The node forbids the plugin what it needs",
  severity: "blocks",
  meaning:
    "A plugin or daemon may not read, write or run something on the node: SELinux or AppArmor denies it, a capability is missing, a file system is read-only. Or it looks through a mount of its pod into which new things do not show up: a daemon that mounts /run/netns without propagation never sees the namespace of a new sandbox.",
  impact: "Every pod that takes this way waits. Often after an update of the operating system or of the CNI's manifest, and then on all nodes.",
  checks: [
    "Texts of waiting pods: permission denied, operation not permitted, AVC, read-only file system, once a pod has waited for 30 s.",
    "Texts that a namespace is not there under a folder into which the daemon mounts the host (detail mount-propagation).",
  ],
  lookAlikes: [
    { code: "auth-or-rbac", tells: "There the API server refuses, not the node." },
    { code: "netns-gone", tells: "There the namespace is really gone; here it exists and the daemon does not see it." },
    { code: "plugin-binary-missing", tells: "There the program is missing or broken; here it may not be run." },
    { code: "kernel-or-module", tells: "There the kernel cannot do what is asked; here it may not." },
  ],
  mitigation: [
    "What is denied: `ausearch -m avc -ts recent`, or `dmesg | grep -iE 'avc|apparmor'`. `restorecon -Rv /etc/cni /opt/cni` gives the folders back their labels.",
    "Mounts of the daemon: /run/netns (and /var/run/netns) need mountPropagation HostToContainer, in multus, antrea, the DHCP daemon and every other that enters namespaces.",
    "Compare the daemon's securityContext with the CNI's own manifest of its version: a policy controller may have taken privileged or a capability away.",
    "A read-only file system after an error of the disk: `dmesg | grep -i 'remounting filesystem read-only'`. Then the node needs to be replaced, not mended.",
  ],
  actions: [],
  explains: ["teardown-failed"],
  check: (input) => saidByPods(input, "host-permission-or-mount", { says: "say that the node forbids the plugin something, or hides it from it." }),
};
