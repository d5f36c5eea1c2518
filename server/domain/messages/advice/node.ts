import { command, onNode, safe } from "./commands";
import type { Adviser } from "./types";

export const linkConflict: Adviser = (input) => ({
  lookAt: [
    onNode("ip -d link; ip addr; ip route", "who has the link, the address, the route"),
    "Whether NetworkManager, systemd-networkd or udev manage the CNI's links (MACAddressPolicy)",
    "Whether another CNI was here before: cni0, flannel.1, cilium_*, vxlan.calico left over",
  ],
  fix: [
    ...(input.plugin === "flannel" || input.plugin === "cni-plugins" ? ["cni0 with another range than the node's: with the node drained, `ip link delete cni0`; it is made anew with the right address."] : []),
    "Remove the left-over link, or keep the host's network manager off the CNI's links (unmanaged, MACAddressPolicy=none).",
  ],
});

export const hostPermission: Adviser = (input) => ({
  lookAt: [
    onNode("ausearch -m avc -ts recent; dmesg | grep -i apparmor", "what was denied"),
    onNode(`ls -lZ ${safe(input.facts.file ?? input.facts.socketPath, "PATH")}`, "and whether its file system is read-only"),
    "The daemon's securityContext (privileged, capabilities, seLinuxOptions) and its mounts: mountPropagation of /run/netns and of the host's root",
  ],
  fix:
    input.detail === "mount-propagation" || input.facts.file?.includes("netns")
      ? ["Mount /run/netns (and what holds it) into the daemon with mountPropagation: HostToContainer, and restart the daemon's pod."]
      : ["Give the daemon the right that it lacks (privileged or the capability; the right SELinux type or label: `restorecon`), or make the path writable."],
});

export const kernel: Adviser = () => ({
  lookAt: [
    onNode("uname -r; lsmod; dmesg | tail -50"),
    onNode("iptables --version", "legacy or nf_tables: the programs in the image and the host's tables must be of one kind"),
    onNode("sysctl net.ipv6.conf.all.disable_ipv6", "where the text is about IPv6"),
  ],
  fix: ["Load the module on the host (`modprobe MODULE`, and /etc/modules-load.d for the next boot), or take a kernel that has it.", "Or switch the feature off in the CNI's config."],
});

export const device: Adviser = (input) => ({
  lookAt: [
    command("kubectl get node NODE -o jsonpath='{.status.allocatable}'", "is the resource there, and is any left"),
    onNode("ls -l /sys/class/net; lspci | grep -i 'virtual function'"),
    "The network attachment's annotation k8s.v1.cni.cncf.io/resourceName against the pod's resource request",
    ...(input.plugin === "sriov" ? ["Log of the SR-IOV device plugin on this node"] : []),
  ],
  fix: ["Name the resource in the network attachment and request it in the pod, so that the device plugin hands a device over.", "Where the device is gone: bring it back (VFs after a reboot, PF up, right driver), then restart the device plugin."],
});

export const netnsGone: Adviser = () => ({
  lookAt: ["Whether it stays: mostly the pod was deleted or its sandbox ended while CNI ran, and the next try works", command("kubectl -n NAMESPACE describe pod POD", "a sandbox's own process (pause) that ends at once")],
  fix: ["Nothing, unless it repeats for one pod: then find why its sandbox ends (image, limit, runtime)."],
});

export const teardown: Adviser = (input) => ({
  lookAt: [
    onNode("crictl pods --state NotReady | wc -l", "does it grow?"),
    '`kubelet_runtime_operations_errors_total{operation_type="stop_podsandbox"}`',
    input.detail === "cache-broken" ? onNode("find /var/lib/cni/results /var/lib/cni/cache -size 0", "records cut short by a crash") : "The runtime's log: which plugin's DEL fails, and why",
    "The CNI daemon: a DEL that it does not answer keeps the sandbox",
  ],
  fix: [
    ...(input.detail === "cache-broken" ? ["Remove the empty or broken record of that sandbox, and no other: a record of a live sandbox is needed for its DEL."] : []),
    "Make DEL work again (daemon, API server, plugin); the kubelet tries by itself.",
    "Sandboxes of pods that are gone: `crictl stopp`, then `crictl rmp`, a few at a time, since each calls DEL.",
  ],
});

export const runtimeSlow: Adviser = (input) => ({
  lookAt: [
    onNode("time crictl pods; systemctl status containerd crio"),
    onNode("iostat -x 1 5; dmesg | grep 'blocked for more than'", "the disk"),
    "`kubelet_pleg_relist_duration_seconds`; `kubelet_runtime_operations_duration_seconds` by operation",
    ...(input.facts.reservedFor === undefined ? [] : [onNode(`crictl inspectp ${safe(input.facts.reservedFor, "SANDBOX")}`, "the sandbox that holds the name")]),
    "A name that stays reserved also comes from a CNI call that never ended: look at the daemon and at teardown-failed",
  ],
  fix: [
    "Take the load off the disk or the runtime; where it hangs, restart it (`systemctl restart containerd`): running containers go on, every CRI call fails meanwhile.",
    "A reserved name is free again when the earlier attempt has ended; where its DEL fails, mend that first.",
  ],
});

export const resources: Adviser = () => ({
  lookAt: [
    onNode("df -h; df -i; free -m", "disk, inodes, memory"),
    onNode("cat /proc/sys/kernel/pid_max; ps -eLf | wc -l; cat /proc/sys/fs/file-nr; sysctl fs.inotify", "threads, descriptors, watches"),
    onNode("systemctl show containerd -p TasksMax -p LimitNOFILE", "limits of the runtime"),
    onNode("iptables-save | wc -l", "a long list holds the xtables lock"),
    command("kubectl describe node NODE", "pressure conditions"),
  ],
  fix: ["Free or raise what the text names: disk, inodes, processes, descriptors, inotify watches, the lock.", "Find who uses it up: a leak comes back."],
});
