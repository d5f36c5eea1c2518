import type { PluginConf } from "./net-conf";

/** Texts of libcni and of the reference plugins. */
export const notFound = (type: string): string => `failed to find plugin "${type}" in path [/opt/cni/bin]`;

/** libcni's words for a program that could not be started: it wrote nothing. */
export const cannotStart = (path: string, why: string): string => `netplugin failed with no error message: fork/exec ${path}: ${why}`;

export const incompatibleVersions = (config: string, known: readonly string[]): string =>
  `incompatible CNI versions; config is "${config}", plugin supports [${known.map((version) => `"${version}"`).join(" ")}]`;

const described = ({ type, name }: Pick<PluginConf, "type" | "name">): string => `plugin type="${type}"${name === undefined ? "" : ` name="${name}"`}`;
export const failedAdd = (plugin: Pick<PluginConf, "type" | "name">, error: string): string => `${described(plugin)} failed (add): ${error}`;
export const failedDelete = (plugin: Pick<PluginConf, "type" | "name">, error: string): string => `${described(plugin)} failed (delete): ${error}`;

export const noAddress = (range: string): string => `failed to allocate for range 0: no IP addresses available in range set: ${range}`;
export const netnsGone = (path: string): string => `failed to open netns "${path}": failed to Statfs "${path}": no such file or directory`;
export const otherAddress = (bridge: string, wanted: string): string => `failed to set bridge addr: "${bridge}" already has an IP address different from ${wanted}`;
export const notABridge = (bridge: string): string => `failed to create bridge "${bridge}": "${bridge}" already exists but is not a bridge`;
export const noMaster = (master: string): string => `failed to lookup master "${master}": Link not found`;
export const noVirtualFunction = (pciAddress: string): string => `SRIOV-CNI failed to load netconf: LoadConf(): failed to get VF information: "lstat /sys/bus/pci/devices/${pciAddress}/physfn: no such file or directory"`;
export const linkHeld = (ifName: string): string => `failed to delete "${ifName}": device or resource busy`;
/** The agent of another CNI is not there, or is asked for too much at once. */
export const noCiliumAgent = (socket: string): string => `unable to connect to Cilium agent: failed to create cilium agent client after 30.000000 seconds timeout: Get "http://localhost/v1/config": dial unix ${socket}: connect: no such file or directory`;
export const tooManyEndpoints = "unable to create endpoint: [PUT /endpoint/{id}][429] putEndpointIdTooManyRequests";
export const noAnnotation = "failed to get pod annotation: timed out waiting for annotations: context deadline exceeded";
/** iptables' own words, through the plugin that ran it. */
export const noNatTable = (chain: string): string =>
  `running [/usr/sbin/iptables -t nat -N ${chain} --wait]: exit status 3: iptables v1.8.9 (legacy): can't initialize iptables table \`nat': Table does not exist (do you need to insmod?)\nPerhaps iptables or your kernel needs to be upgraded.`;

/** Where the runtime keeps a sandbox's network namespace. */
export const netnsPath = (sandboxId: string): string => `/var/run/netns/cni-${sandboxId.slice(0, 8)}-${sandboxId.slice(8, 12)}-${sandboxId.slice(12, 16)}-${sandboxId.slice(16, 20)}-${sandboxId.slice(20, 32)}`;
