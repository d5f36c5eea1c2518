import { programProblem, type Attachment, type PluginResult, type PluginSite } from "./exec";
import { BRIDGE } from "./files";
import { ipamOf, settingOf, type NetworkConf, type PluginConf } from "./net-conf";
import { linkHeld, netnsGone, netnsPath, noAnnotation, noCiliumAgent, tooManyEndpoints, noAddress, noMaster, noNatTable, notABridge, noVirtualFunction, otherAddress } from "./texts-plugins";

export interface ProgramCall {
  readonly site: PluginSite;
  readonly network: NetworkConf;
  readonly plugin: PluginConf;
  readonly attachment: Attachment;
}

interface Program {
  readonly add?: (call: ProgramCall) => PluginResult;
  readonly del?: (call: ProgramCall) => string | undefined;
}

const CHAIN_CHARS = 24;
export const CILIUM_SOCKET = "/var/run/cilium/cilium.sock";
const CILIUM_WAITS_MS = 30_000;
/** How long a plugin waits for what the network's controller has to write onto the pod. */
const CONTROLLER_WAIT_MS = 20_000;

/** A veth pair on the node's bridge, with addresses of the node's range, masqueraded. */
const bridge: Program = {
  add: (call) => {
    const { host } = call.site;
    const link = host.links.get(BRIDGE);
    if (link !== undefined && link.kind !== "bridge") return { error: notABridge(BRIDGE) };
    const lost = netnsProblem(call);
    if (lost !== undefined) return { error: lost };
    const leased = takeAddress(call);
    if ("error" in leased) return leased;
    const later = bridgeProblem(call);
    if (later === undefined) return leased;
    giveBackAddress(call);
    return { error: later };
  },
  del: (call) => (call.site.host.holdsLinks ? linkHeld(call.attachment.ifName) : giveBackAddress(call)),
};

/** What goes wrong once the address is known: that of the bridge itself, and the rules that masquerade. */
function bridgeProblem({ site: { host, files }, network, plugin, attachment }: ProgramCall): string | undefined {
  const subnet = ipamOf(plugin)?.subnet ?? files.subnet;
  const pool = files.pool(network.name, subnet);
  const wanted = `${pool.gateway}/${pool.bits}`;
  const link = host.links.get(BRIDGE);
  if (link?.address !== undefined && link.address !== wanted) return otherAddress(BRIDGE, wanted);
  host.links.set(BRIDGE, { kind: "bridge", address: wanted });
  return host.modules.has("iptable_nat") ? undefined : noNatTable(`CNI-${attachment.sandboxId.slice(0, CHAIN_CHARS)}`);
}

const macvlan: Program = {
  add: (call) => {
    const master = settingOf(call.plugin, "master") ?? "";
    if (!call.site.host.links.has(master)) return { error: noMaster(master) };
    return netnsError(call) ?? takeAddress(call);
  },
  del: giveBackAddress,
};

/** A function of a card, whole; which one is the device plugin's choice, made when the pod was admitted. */
const sriov: Program = {
  add: (call) => {
    const { pod } = call.attachment;
    const pciAddress = pod?.device ?? "";
    const found = call.site.host.functions.find((one) => one.pciAddress === pciAddress);
    if (found?.bound !== true) return { error: noVirtualFunction(pciAddress) };
    return netnsError(call) ?? takeAddress(call);
  },
  del: giveBackAddress,
};

/** A CNI that has an agent of its own: the plugin asks it for everything. */
const cilium: Program = {
  add: ({ site: { host, nowMs } }): PluginResult => {
    if (!host.otherSockets.has(CILIUM_SOCKET)) return { error: noCiliumAgent(CILIUM_SOCKET), waitMs: CILIUM_WAITS_MS };
    return host.makesEndpoint(nowMs) ? {} : { error: tooManyEndpoints };
  },
};

/** Asks the network's controller what the pod gets, and waits for that. */
const overlay: Program = {
  add: (call) => {
    if (!call.site.controllerServes(call.network.name)) return { error: noAnnotation, waitMs: CONTROLLER_WAIT_MS };
    return netnsError(call) ?? takeAddress(call);
  },
  del: giveBackAddress,
};

/** What each plugin's program does; one that is not here only has to be there and to run. */
export const PROGRAMS: Readonly<Record<string, Program>> = { bridge, macvlan, sriov, "cilium-cni": cilium, "ovn-k8s-cni-overlay": overlay };

/** Runs the IPAM plugin of a config. */
function takeAddress({ site, network, plugin, attachment }: ProgramCall): PluginResult {
  const ipam = ipamOf(plugin);
  if (ipam === undefined) return {};
  const problem = programProblem(site, ipam.type);
  if (problem !== undefined) return { error: problem };
  const pool = site.files.pool(network.name, ipam.subnet ?? site.files.subnet);
  const ip = pool.take(attachment.sandboxId);
  return ip === undefined ? { error: noAddress(pool.words) } : { address: { ip, bits: pool.bits } };
}

function giveBackAddress({ site, network, attachment }: ProgramCall): undefined {
  site.files.pools.get(network.name)?.giveBack(attachment.sandboxId);
}

const netnsProblem = ({ attachment: { netns, sandboxId } }: ProgramCall): string | undefined => (netns ? undefined : netnsGone(netnsPath(sandboxId)));

function netnsError(call: ProgramCall): { readonly error: string } | undefined {
  const error = netnsProblem(call);
  return error === undefined ? undefined : { error };
}
