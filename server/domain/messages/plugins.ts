/** Whose text it is, by the type of the plugin that a config names. A map, since a text may name a plugin "constructor". */
const PLUGIN_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    multus: "multus",
    "multus-shim": "multus",
    "multus-cni-network": "multus",
    cilium: "cilium",
    "cilium-cni": "cilium",
    calico: "calico",
    "calico-ipam": "calico",
    "k8s-pod-network": "calico",
    flannel: "flannel",
    "kube-ovn": "kube-ovn",
    "ovn-k8s-cni-overlay": "ovn-k",
    "ovn-kubernetes": "ovn-k",
    antrea: "antrea",
    "aws-cni": "aws",
    "egress-cni": "aws",
    "vpc-branch-eni": "aws",
    "azure-vnet": "azure",
    "azure-vnet-ipam": "azure",
    "azure-ipam": "azure",
    "azure-cns": "azure",
    whereabouts: "whereabouts",
    sriov: "sriov",
    "ib-sriov": "sriov",
    "ib-sriov-cni": "sriov",
    "accelerated-bridge": "sriov",
    rdma: "sriov",
    "host-device": "host-device",
    "host-local": "host-local",
    "weave-net": "weave",
    weave: "weave",
    kindnet: "kindnet",
    spiderpool: "spiderpool",
    danm: "danm",
    kubenet: "kubenet",
    "istio-cni": "istio-cni",
    "linkerd-cni": "linkerd-cni",
    ovs: "ovs-cni",
    "userspace-ovs": "ovs-cni",
    dhcp: "dhcp",
    macvlan: "cni-plugins",
    ipvlan: "cni-plugins",
    bridge: "cni-plugins",
    ptp: "cni-plugins",
    vlan: "cni-plugins",
    loopback: "cni-plugins",
    portmap: "cni-plugins",
    bandwidth: "cni-plugins",
    tuning: "cni-plugins",
    firewall: "cni-plugins",
    static: "cni-plugins",
    sbr: "cni-plugins",
    vrf: "cni-plugins",
    tap: "cni-plugins",
    dummy: "cni-plugins",
  }),
);

/** Words that only one program's texts hold; the first that is there wins. Paths of sockets and state files among them. */
const PLUGIN_WORDS: readonly (readonly [plugin: string, words: readonly string[]])[] = [
  ["whereabouts", ["whereabouts", "overlappingrange"]],
  ["sriov", ["sriov-cni", "sr-iov", "vf pci", "sriovdp", "sriov_", "sriov-network", '"sriov"', "setupvf", "loadconf():"]],
  ["kube-ovn", ["kube-ovn", "kubeovn", "request ip return", "delete ip return"]],
  ["ovn-k", ["ovn-kubernetes", "ovn-k8s", "ovnkube", "ovn-installed", "ovn-cni-server"]],
  ["antrea", ["antrea"]],
  ["azure", ["azure-vnet", "azure-cns", "azure cns", "azure-ipam", "[azure-", "from cns", "azurecni"]],
  ["aws", ["aws-cni", "aws-node", "aws-k8s-agent", "ipamd", "add cmd:", "del cmd:", "vpc-cni", "addnetwork grpc", "delnetwork grpc", "127.0.0.1:50051", "insufficientcidr"]],
  ["cilium", ["cilium", "putendpointid", "postipam", "/endpoint/{id}"]],
  ["calico", ["calico", "clusterinformation", "workloadendpoint", "felix", "bird.ctl"]],
  ["flannel", ["flannel", "subnet.env", "cbr0"]],
  ["weave", ["weave-net", "weaveworks", "127.0.0.1:6784"]],
  ["spiderpool", ["spiderpool"]],
  ["danm", ["danm"]],
  ["kindnet", ["kindnet"]],
  ["multus", ["multus", "network-attachment-definition", "networkattachmentdefinition", "net-attach-def", "http://dummy/cni", "delegateadd", "delegatedel", "conflistadd", "conflistdel", "k8s.v1.cni.cncf.io"]],
  ["host-local", ["in range set", "failed to allocate for range", "host-local"]],
  ["kubenet", ["kubenet"]],
  ["gke", ["gke-", "/home/kubernetes/bin", "/home/containerd"]],
  ["cni-plugins", ["macvlan", "ipvlan", "no net configuration"]],
  ["cri-o", ["cri-o", "crio", "error reserving pod name", "failed to create pod network sandbox", "for pod sandbox k8s_"]],
  ["containerd", ["containerd", "failed to reserve sandbox name", "ttrpc", "failed to create containerd", "failed to setup network for sandbox", "failed to destroy network for sandbox"]],
  ["docker", ["docker", "error response from daemon", "networkplugin cni", "failed to set up sandbox container"]],
  ["kubelet", ["kubelet", "kuberuntime", "pleg", "container runtime network not ready", "failed to create pod sandbox", "failed create pod sandbox", "killpodsandbox"]],
  ["kernel", ["type=avc", "apparmor=", "out of memory: killed process", "blocked for more than"]],
];

/** The name under which a plugin's type is known here; undefined for a type that is not in the table. */
export const pluginOfType = (type: string): string | undefined => PLUGIN_TYPES.get(type);

/** Every word of the table, for the scanner. */
export const ALL_PLUGIN_WORDS: readonly string[] = PLUGIN_WORDS.flatMap(([, words]) => words);

/** Whose text it is, by its words alone. */
export function pluginOfWords(has: (word: string) => boolean): string {
  return PLUGIN_WORDS.find(([, words]) => words.some(has))?.[0] ?? "generic";
}
