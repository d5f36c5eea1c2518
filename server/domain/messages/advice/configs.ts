import { command, daemonPods, onNode, safe } from "./commands";
import type { AdviceInput, Adviser } from "./types";

const dirsOf = ({ facts }: AdviceInput): readonly string[] => (facts.binDirs ?? ["/opt/cni/bin"]).map((dir) => safe(dir, "BIN-DIR"));
const programsOf = (input: AdviceInput): readonly string[] => dirsOf(input).map((dir) => `${dir}/${safe(input.facts.pluginType, "PLUGIN")}`);

export const binaryMissing: Adviser = (input) => ({
  lookAt: [
    onNode(`ls -l ${programsOf(input).join(" ")}`, "absent, zero bytes, not executable"),
    onNode(`file ${programsOf(input)[0] ?? "PLUGIN"}`, "architecture"),
    "The runtime's bin dir (containerd: `bin_dir` of its CRI plugin; CRI-O: `plugin_dirs`) against the folder into which the CNI installs; distributions differ (k3s, RKE2, GKE, MicroK8s)",
    ...(input.facts.network === undefined ? [] : [`Which network names it: ${input.facts.network}`]),
    daemonPods(input),
  ],
  fix: [
    `Put ${safe(input.facts.pluginType, "the program")} into the folder that is searched, on every node: the reference plugins (bridge, loopback, host-local, portmap, macvlan …) come from containernetworking/plugins, a CNI's own program from its installer.`,
    "Or point the runtime's bin dir and the CNI's installer at one folder.",
  ],
});

export const configMissing: Adviser = (input) => ({
  lookAt: [
    onNode("ls -l /etc/cni/net.d", "or the runtime's conf dir"),
    onNode("crictl info", "NetworkReady, lastCNILoadStatus"),
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
    command("kubectl get network-attachment-definitions -A -o yaml", `spec.config: JSON, type, master, ipam${input.facts.network === undefined ? "" : `; the text names ${input.facts.network}`}`),
    onNode("ls /etc/cni/net.d", "the first file by name: is it JSON, with a type and a name?"),
    onNode("ip -br link", "does the master that the config names exist here?"),
    "Whether only pods that ask for one network fail: then its config is the cause",
  ],
  fix: ["Correct the config or the network attachment; pods that wait are tried again by themselves."],
});

export const configConflict: Adviser = (input) => ({
  lookAt: [onNode("ls -l /etc/cni/net.d", "the first name wins; left-over files of a CNI that was taken away"), command("kubectl get ds -A", "which CNIs run here"), daemonPods(input)],
  fix: [
    "Take the config that is not meant to win out of the folder.",
    ...(input.plugin === "multus" ? ["Pin multus' default network by name (multusMasterCNI at the top level of its config); an interface name may be asked for once."] : []),
  ],
});

export const versionMismatch: Adviser = (input) => ({
  lookAt: ["cniVersion in the config on the node and in the network attachment", onNode(`CNI_COMMAND=VERSION ${programsOf(input)[0] ?? "PLUGIN"} </dev/null`, "versions that the program speaks")],
  fix: ["Name a cniVersion in the config that every plugin of the chain speaks, or bring the programs on the node up to date."],
});

export const nadMissing: Adviser = (input) => ({
  lookAt: [
    command("kubectl get network-attachment-definitions -A"),
    command("kubectl get crd network-attachment-definitions.k8s.cni.cncf.io"),
    "The pod's annotation k8s.v1.cni.cncf.io/networks: a name without a namespace means the pod's own",
    ...(input.facts.network === undefined ? [] : [`The one that is missed: ${input.facts.network}`]),
  ],
  fix: ["Make the network attachment in the namespace that is asked for, or correct the annotation. The pod starts by itself then."],
});
