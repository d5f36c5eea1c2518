import { programProblem, type Address, type Attachment, type PluginResult, type PluginSite } from "./exec";
import type { NetworkConf, PluginConf } from "./net-conf";
import { PROGRAMS } from "./programs";
import { failedAdd, failedDelete, incompatibleVersions } from "./texts-plugins";

const CNI_VERSIONS = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0"];
/** From this release on the reference plugins know one version more. */
const NEWEST_SINCE = 1.6;
const NEWEST_VERSION = "1.1.0";

/** Runs the chain of one network, as libcni does: each plugin in its order, the first that fails ends it. */
export function addNetwork(site: PluginSite, network: NetworkConf, attachment: Attachment): PluginResult {
  let address: Address | undefined;
  for (const plugin of network.plugins) {
    const result = addOne(site, network, plugin, attachment);
    if ("error" in result) return { ...result, error: network.list ? failedAdd(plugin, result.error) : result.error };
    address ??= result.address;
  }
  const { sandboxId, ifName } = attachment;
  site.files.cacheResult(resultKey(network, sandboxId, ifName), site.nowMs);
  return address === undefined ? {} : { address };
}

/** Takes one network down, its last plugin first; `undefined` where that ended well. */
export function deleteNetwork(site: PluginSite, network: NetworkConf, attachment: Attachment): string | undefined {
  const key = resultKey(network, attachment.sandboxId, attachment.ifName);
  if (site.files.results.get(key)?.bytes === 0) return emptyResult(network.name);
  for (const plugin of [...network.plugins].reverse()) {
    const error = deleteOne(site, network, plugin, attachment);
    if (error !== undefined) return network.list ? failedDelete(plugin, error) : error;
  }
  site.files.results.delete(key);
  return undefined;
}

export const resultKey = ({ name }: Pick<NetworkConf, "name">, sandboxId: string, ifName: string): string => `${name}-${sandboxId}-${ifName}`;
export const emptyResult = (network: string): string => `failed to get network "${network}" cached result: decoding version from network config: unexpected end of JSON input`;

function addOne(site: PluginSite, network: NetworkConf, plugin: PluginConf, attachment: Attachment): PluginResult {
  const error = versionProblem(site, network, plugin);
  return error === undefined ? (PROGRAMS[plugin.type]?.add?.({ site, network, plugin, attachment }) ?? {}) : { error };
}

function deleteOne(site: PluginSite, network: NetworkConf, plugin: PluginConf, attachment: Attachment): string | undefined {
  return versionProblem(site, network, plugin) ?? PROGRAMS[plugin.type]?.del?.({ site, network, plugin, attachment });
}

function versionProblem(site: PluginSite, { cniVersion }: NetworkConf, { type }: PluginConf): string | undefined {
  const problem = programProblem(site, type);
  if (problem !== undefined) return problem;
  const known = Number.parseFloat(site.files.bin.get(type)?.version ?? "") >= NEWEST_SINCE ? [...CNI_VERSIONS, NEWEST_VERSION] : CNI_VERSIONS;
  return known.includes(cniVersion) ? undefined : incompatibleVersions(cniVersion, known);
}
