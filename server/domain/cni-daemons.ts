import { KNOWN_SOCKETS, canonicalSocketPath } from "./known-sockets";
import type { ContainerResources, DaemonSetObject } from "./model";

/**
 * How the daemon of one CNI is known: by the names and labels that its own manifests give it. A row says only what those
 * manifests say; where the same CNI comes under other names, the folders that it mounts still give it away.
 */
export interface CniRow {
  readonly cni: string;
  /** Names of its DaemonSets. */
  readonly daemonSets: readonly string[];
  /** Labels of its selector, each a "key=value"; one of them is enough. */
  readonly labels: readonly string[];
  /** The container that serves the plugin, where a DaemonSet has several. */
  readonly container?: string;
  /** Files that it writes into the conf dir. */
  readonly confFiles: readonly string[];
  /** Plugin types that are this CNI's own. */
  readonly pluginTypes: readonly string[];
  /** Whether a plugin of it asks the running daemon at each call, so that none succeeds while it is down. */
  readonly asked: boolean;
}

export const CNI_ROWS: readonly CniRow[] = [
  { cni: "multus", daemonSets: ["kube-multus-ds", "cozy-multus", "multus", "kube-multus-ds-amd64", "rke2-multus", "rke2-multus-ds"], labels: ["app=multus", "name=multus"], container: "kube-multus", confFiles: ["00-multus.conf"], pluginTypes: ["multus-shim", "multus"], asked: true },
  { cni: "cilium", daemonSets: ["cilium"], labels: ["k8s-app=cilium"], container: "cilium-agent", confFiles: ["05-cilium.conflist"], pluginTypes: ["cilium-cni"], asked: true },
  { cni: "ovn-kubernetes", daemonSets: ["ovnkube-node", "ovnkube-single-node-zone"], labels: ["app=ovnkube-node", "name=ovnkube-node"], container: "ovnkube-controller", confFiles: ["10-ovn-kubernetes.conf"], pluginTypes: ["ovn-k8s-cni-overlay"], asked: true },
  { cni: "kube-ovn", daemonSets: ["kube-ovn-cni"], labels: ["app=kube-ovn-cni"], container: "cni-server", confFiles: ["01-kube-ovn.conflist", "10-kube-ovn.conflist"], pluginTypes: ["kube-ovn"], asked: true },
  { cni: "antrea", daemonSets: ["antrea-agent"], labels: ["component=antrea-agent"], container: "antrea-agent", confFiles: ["10-antrea.conflist"], pluginTypes: ["antrea"], asked: true },
  { cni: "canal", daemonSets: ["canal", "rke2-canal"], labels: ["k8s-app=canal"], container: "calico-node", confFiles: ["10-canal.conflist"], pluginTypes: [], asked: false },
  { cni: "calico", daemonSets: ["calico-node"], labels: ["k8s-app=calico-node"], container: "calico-node", confFiles: ["10-calico.conflist"], pluginTypes: ["calico"], asked: false },
  { cni: "flannel", daemonSets: ["kube-flannel-ds", "kube-flannel", "flannel"], labels: ["app=flannel"], container: "kube-flannel", confFiles: ["10-flannel.conflist"], pluginTypes: ["flannel"], asked: false },
  { cni: "aws-vpc-cni", daemonSets: ["aws-node"], labels: ["k8s-app=aws-node"], container: "aws-node", confFiles: ["10-aws.conflist"], pluginTypes: ["aws-cni"], asked: true },
  { cni: "azure-cns", daemonSets: ["azure-cns"], labels: ["k8s-app=azure-cns"], container: "cns-container", confFiles: ["10-azure.conflist"], pluginTypes: ["azure-vnet"], asked: true },
  { cni: "ovs-cni", daemonSets: ["ovs-cni", "ovs-cni-amd64"], labels: ["app=ovs-cni"], container: "ovs-cni-marker", confFiles: [], pluginTypes: ["ovs"], asked: false },
  { cni: "whereabouts", daemonSets: ["whereabouts"], labels: ["app=whereabouts", "name=whereabouts"], container: "whereabouts", confFiles: [], pluginTypes: ["whereabouts"], asked: false },
  { cni: "sriov-cni", daemonSets: ["kube-sriov-cni-ds", "kube-sriov-cni-ds-amd64", "sriov-cni"], labels: ["name=sriov-cni", "app=sriov-cni"], container: "kube-sriov-cni", confFiles: [], pluginTypes: ["sriov"], asked: false },
  { cni: "weave", daemonSets: ["weave-net"], labels: ["name=weave-net"], container: "weave", confFiles: ["10-weave.conflist"], pluginTypes: ["weave-net"], asked: true },
  { cni: "kindnet", daemonSets: ["kindnet"], labels: ["app=kindnet", "k8s-app=kindnet"], container: "kindnet-cni", confFiles: ["10-kindnet.conflist"], pluginTypes: ["kindnet"], asked: false },
  { cni: "kube-router", daemonSets: ["kube-router"], labels: ["k8s-app=kube-router"], container: "kube-router", confFiles: ["10-kuberouter.conflist"], pluginTypes: [], asked: false },
  { cni: "spiderpool", daemonSets: ["spiderpool-agent"], labels: ["app.kubernetes.io/component=spiderpool-agent"], container: "spiderpool-agent", confFiles: [], pluginTypes: ["spiderpool"], asked: true },
  { cni: "cni-dhcp", daemonSets: ["dhcp-daemon", "cni-dhcp"], labels: ["name=dhcp", "app=dhcp-daemon"], confFiles: [], pluginTypes: ["dhcp"], asked: true },
];

/** Where runtimes look for CNI configs and plugins: the usual places and those of distributions that move them. */
export const CNI_FOLDERS: readonly string[] = [
  "/etc/cni/net.d",
  "/opt/cni/bin",
  "/usr/libexec/cni",
  "/etc/kubernetes/cni/net.d",
  "/run/multus/cni/net.d",
  "/var/lib/cni/bin",
  "/home/kubernetes/bin",
  "/var/lib/rancher/k3s/agent/etc/cni/net.d",
  "/var/lib/rancher/k3s/data/cni",
  "/var/lib/rancher/k3s/data/current/bin",
  "/var/snap/microk8s/current/args/cni-network",
  "/var/snap/microk8s/current/opt/cni/bin",
  "/var/snap/microk8s/common/args/cni-network",
  "/var/lib/k0s/opt/cni/bin",
];

export interface CniDaemon {
  /** Name of the CNI; the DaemonSet's own name where no row knows it. */
  readonly cni: string;
  readonly by: "override" | "table" | "mounts";
  /** "kube-system/kube-multus-ds". */
  readonly key: string;
  /** The container that serves the plugin. */
  readonly container: string;
  readonly daemonSet: DaemonSetObject;
}

/** Thin multus only installs; the thick one's daemon works on the host itself and keeps the cache of what it attached. */
const runsThick = ({ hostPaths }: DaemonSetObject): boolean => hostPaths.some((path) => path === "/" || path.startsWith("/var/lib/cni/multus"));

/** Whether calls of this CNI's plugin need the daemon to run; `undefined` for a daemon that no row knows. */
export function isAsked({ cni, daemonSet }: CniDaemon): boolean | undefined {
  const row = CNI_ROWS.find((one) => one.cni === cni);
  return row?.cni === "multus" ? runsThick(daemonSet) : row?.asked;
}

/** "namespace/name" of a DaemonSet, as `--cni-daemon` takes it. */
export const daemonSetKey = (daemonSet: Pick<DaemonSetObject, "namespace" | "name">): string => `${daemonSet.namespace}/${daemonSet.name}`;

/**
 * Whether a DaemonSet is a CNI daemon, and which. `overrides` ("namespace/name", from `--cni-daemon`) win: with any given,
 * only those are. Otherwise by name or label, else by a mount of a conf or bin dir. `undefined` where it is none.
 */
export function cniDaemonOf(daemonSet: DaemonSetObject, overrides: readonly string[]): CniDaemon | undefined {
  const key = daemonSetKey(daemonSet);
  const row = CNI_ROWS.find(({ daemonSets }) => daemonSets.includes(daemonSet.name)) ?? CNI_ROWS.find(({ labels }) => labels.some((label) => hasLabel(daemonSet, label)));
  const mounts = daemonSet.hostPaths.some(isCniFolder);
  const by = overrides.length > 0 ? (overrides.includes(key) ? "override" : undefined) : row !== undefined ? "table" : mounts ? "mounts" : undefined;
  const container = mainContainer(daemonSet.containers, row?.container);
  if (by === undefined || container === undefined) return undefined;
  return { cni: row?.cni ?? daemonSet.name, by, key, container, daemonSet };
}

/** The one that the row names, else the first that is no init container. */
function mainContainer(containers: readonly ContainerResources[], named: string | undefined): string | undefined {
  const running = containers.filter(({ init }) => !init);
  return (running.find(({ name }) => name === named) ?? running[0])?.name;
}

function hasLabel(daemonSet: DaemonSetObject, label: string): boolean {
  const equals = label.indexOf("=");
  return daemonSet.matchLabels[label.slice(0, equals)] === label.slice(equals + 1);
}

function isCniFolder(path: string): boolean {
  let folder = path;
  while (folder.length > 1 && folder.endsWith("/")) folder = folder.slice(0, -1);
  return CNI_FOLDERS.includes(folder);
}

/** Paths of the sockets that plugins of these types call, in the form in which readings are compared. */
export function socketsOfPlugins(pluginTypes: readonly string[]): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const socket of KNOWN_SOCKETS) if (socket.pluginTypes.some((type) => pluginTypes.includes(type))) paths.add(canonicalSocketPath(socket.path));
  return paths;
}
