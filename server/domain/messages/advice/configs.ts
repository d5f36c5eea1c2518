import { binDir, daemonPods } from "./commands";
import type { Adviser } from "./types";

export const binaryMissing: Adviser = (input) => {
  const type = input.facts.pluginType ?? "PLUGIN";
  const dirs = input.facts.binDirs ?? ["/opt/cni/bin"];
  return {
    lookAt: [
      `On the node: ls -l ${dirs.map((dir) => `${dir}/${type}`).join(" ")}   (absent, zero bytes, not executable)`,
      `On the node: file ${binDir(input)}/${type}   (architecture)`,
      "The runtime's bin_dir (containerd: [plugins…cri…cni] bin_dir; CRI-O: plugin_dirs) against the folder into which the CNI installs; distributions differ (k3s, RKE2, GKE, MicroK8s)",
      ...(input.facts.network === undefined ? [] : [`Which network names it: ${input.facts.network}`]),
      daemonPods(input),
    ],
    fix: [
      `Put ${type} into the folder that is searched, on every node: the reference plugins (bridge, loopback, host-local, portmap, macvlan …) come from containernetworking/plugins, a CNI's own program from its installer.`,
      "Or point the runtime's bin_dir and the CNI's installer at one folder.",
    ],
  };
};

export const configMissing: Adviser = (input) => ({
  lookAt: [
    "On the node: ls -l /etc/cni/net.d   (or the runtime's conf_dir)",
    "On the node: crictl info   (NetworkReady, lastCNILoadStatus)",
    ...(input.facts.file === undefined ? [] : [`The file that is missed: ${input.facts.file}`]),
    daemonPods(input),
  ],
  fix: [
    "Let the CNI write its config: its daemon or installer must run on this node.",
    "Where a valid file is there and the runtime says that it is not initialized, the runtime has not noticed it: write the file again in place, or restart the runtime.",
    ...(input.plugin === "multus" ? ["Multus takes the first config by name that is there when it starts: pin the default network (multusMasterCNI), so that the order does not decide."] : []),
  ],
});

export const configInvalid: Adviser = (input) => ({
  lookAt: [
    ...(input.facts.network === undefined
      ? ["kubectl get network-attachment-definitions -A -o yaml   (spec.config: JSON, type, master, ipam)"]
      : [`kubectl get network-attachment-definitions -A -o yaml   (the one named ${input.facts.network}: spec.config, type, master, ipam)`]),
    "On the node: the first file of /etc/cni/net.d by name, read as JSON",
    "ip -br link   (does the master that the config names exist on this node?)",
    "Whether only pods that ask for one network fail: then its config is the cause",
  ],
  fix: ["Correct the config or the network attachment; pods that wait are tried again by themselves."],
});

export const configConflict: Adviser = (input) => ({
  lookAt: ["On the node: ls -l /etc/cni/net.d   (the first name wins; left-over files of a CNI that was taken away)", "Which CNIs run here: kubectl get ds -A", daemonPods(input)],
  fix: ["Take the config that is not meant to win out of the folder (move it elsewhere; a rename to *.bak inside the folder is enough for most runtimes).", ...(input.plugin === "multus" ? ["Pin multus' default network by name (multusMasterCNI at the top level of its config)."] : [])],
});

export const versionMismatch: Adviser = (input) => ({
  lookAt: ["cniVersion in the config on the node and in the network attachment", `On the node: CNI_COMMAND=VERSION ${binDir(input)}/${input.facts.pluginType ?? "PLUGIN"} </dev/null   (versions that the program speaks)`],
  fix: ["Name a cniVersion in the config that every plugin of the chain speaks, or bring the programs on the node up to date."],
});

export const nadMissing: Adviser = (input) => ({
  lookAt: [
    "kubectl get network-attachment-definitions -A",
    "kubectl get crd network-attachment-definitions.k8s.cni.cncf.io",
    "The pod's annotation k8s.v1.cni.cncf.io/networks   (a name without a namespace means the pod's own)",
    ...(input.facts.network === undefined ? [] : [`The one that is missed: ${input.facts.network}`]),
  ],
  fix: ["Make the network attachment in the namespace that is asked for, or correct the annotation. The pod starts by itself then."],
});
