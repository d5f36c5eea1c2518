/**
 * Where distributions keep the runtime's socket, the network configs and the plugins. Specific ones come first: a node
 * of k3s may also have a plain containerd that runs no pods.
 */
export interface Distribution {
  readonly name: string;
  readonly criSocket: string;
  /** In the order in which they are tried; the first folder that exists is taken. */
  readonly confDirs: readonly string[];
  readonly binDirs: readonly string[];
}

const CONF_DIR = "/etc/cni/net.d";
const BIN_DIR = "/opt/cni/bin";

export const DISTRIBUTIONS: readonly Distribution[] = [
  {
    name: "k3s or RKE2",
    criSocket: "/run/k3s/containerd/containerd.sock",
    confDirs: ["/var/lib/rancher/k3s/agent/etc/cni/net.d", CONF_DIR],
    binDirs: ["/var/lib/rancher/k3s/data/cni", BIN_DIR],
  },
  { name: "k0s", criSocket: "/run/k0s/containerd.sock", confDirs: [CONF_DIR], binDirs: [BIN_DIR] },
  {
    name: "MicroK8s",
    criSocket: "/var/snap/microk8s/common/run/containerd.sock",
    confDirs: ["/var/snap/microk8s/current/args/cni-network", CONF_DIR],
    binDirs: ["/var/snap/microk8s/current/opt/cni/bin", BIN_DIR],
  },
  {
    name: "CRI-O",
    criSocket: "/run/crio/crio.sock",
    confDirs: ["/etc/kubernetes/cni/net.d", CONF_DIR],
    binDirs: ["/var/lib/cni/bin", BIN_DIR, "/usr/libexec/cni"],
  },
  { name: "containerd", criSocket: "/run/containerd/containerd.sock", confDirs: [CONF_DIR], binDirs: [BIN_DIR, "/home/kubernetes/bin"] },
];
