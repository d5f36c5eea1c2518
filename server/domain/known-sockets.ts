/**
 * Sockets through which a CNI's plugin reaches its daemon (knowledge of the CNIs themselves: multus server.go, cilium's
 * API, ovn-kubernetes, kube-ovn, antrea). CNIs without such a socket (calico, flannel, aws-node) have no row.
 */
export interface KnownSocket {
  readonly name: string;
  readonly path: string;
  /** Types in a conflist whose plugin calls this socket. */
  readonly pluginTypes: readonly string[];
  /**
   * `http`: the daemon owes an answer to a GET, and silence is silence. `any`: another protocol; any byte or a closed
   * connection shows a live process, and silence alone shows nothing.
   */
  readonly speaks: "http" | "any";
  /** Asked in this order until one is not 404: a 404 on the first is an older version, not a dead daemon. */
  readonly healthPaths: readonly string[];
  /** The daemon removes and makes the whole folder at its start, so that a mount of it goes stale as one of the socket does. */
  readonly makesFolder?: true;
  /** Keys of the plugin's config that move the socket: a whole path, or a folder that holds `fileName`. */
  readonly pathKeys?: readonly string[];
  readonly folderKeys?: readonly string[];
}

export const KNOWN_SOCKETS: readonly KnownSocket[] = [
  { name: "multus", path: "/run/multus/multus.sock", pluginTypes: ["multus-shim"], speaks: "http", healthPaths: ["/readyz", "/healthz"], makesFolder: true, folderKeys: ["daemonSocketDir"] },
  { name: "cilium", path: "/var/run/cilium/cilium.sock", pluginTypes: ["cilium-cni"], speaks: "http", healthPaths: ["/v1/healthz"] },
  { name: "ovn-kubernetes", path: "/var/run/ovn-kubernetes/cni/ovn-cni-server.sock", pluginTypes: ["ovn-k8s-cni-overlay"], speaks: "http", healthPaths: ["/"] },
  { name: "kube-ovn", path: "/run/openvswitch/kube-ovn-daemon.sock", pluginTypes: ["kube-ovn"], speaks: "http", healthPaths: ["/"], pathKeys: ["server_socket"] },
  { name: "antrea", path: "/var/run/antrea/cni.sock", pluginTypes: ["antrea"], speaks: "any", healthPaths: ["/"] },
];

/** Keys under which plugins that are not in the table name their daemon's socket. */
export const SOCKET_KEYS: readonly string[] = ["socket", "socketPath", "socket_path", "server_socket", "daemonSocket"];

export const knownSocketFor = (pluginType: string): KnownSocket | undefined => KNOWN_SOCKETS.find((known) => known.pluginTypes.includes(pluginType));

/** `/run` and `/var/run` are one folder wherever Kubernetes runs; one name for it, so that readings can be compared. */
export const canonicalSocketPath = (path: string): string => (path.startsWith("/var/run/") ? path.slice("/var".length) : path);
