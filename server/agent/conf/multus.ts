import type { MultusConfig } from "../../domain/agent-readings";
import { MAX_PATH_CHARS, capText } from "../../domain/agent-report";
import { CNI_ROWS } from "../../domain/cni-daemons";
import { nameText, pathText, timeMs, told } from "../bounds";
import type { ConfDir } from "../config";
import { notJson } from "../conflist";
import { isAbsent, reasonOf, type HostFs, type Stamp } from "../host-fs";
import type { ConfFileRead } from "./read-dir";

export interface MultusReader {
  /** Undefined where nothing on the node speaks of multus. `podUids`: of its daemon's pods here. */
  look(dir: ConfDir, podUids: readonly string[]): Promise<MultusConfig | undefined>;
}

/** The names that multus' own manifests use, on the node and in the daemon's container. */
const GENERATED = "00-multus.conf";
const DAEMON_CONFIG = "daemon-config.json";
const DAEMON_CONFIG_FOLDERS = ["/etc/cni/net.d/multus.d"];
const SOCKET = "/run/multus/multus.sock";
/** The thick one's; the thin one is called as "multus". */
const SHIM = "multus-shim";
const TYPES: readonly string[] = CNI_ROWS.find(({ cni }) => cni === "multus")?.pluginTypes ?? [];
/** Where the manifests mount the node's folders for the daemon: a path of its config is the node's after one of these. */
const MOUNTED_AT = ["/hostroot", "/host", ""];
/** Where kubelets keep their pods' volumes. */
export const KUBELET_ROOTS: readonly string[] = ["/var/lib/kubelet", "/var/snap/microk8s/common/var/lib/kubelet", "/var/lib/k0s/kubelet"];
/** What can be part of a path without leading anywhere else. */
const POD_UID = /^[0-9a-zA-Z-]{1,64}$/;
const MAX_DAEMON_CONFIG_BYTES = 64 * 1024;
const MAX_VOLUMES = 64;
const MAX_KEYS_DEEP = 6;
const MAX_KEYS_LOOKED_AT = 2_000;

export function multusReader(fs: HostFs): MultusReader {
  let last: { readonly path: string; readonly stamp: Stamp; readonly config: DaemonConfig } | undefined;

  const daemonConfig = async (dir: ConfDir, podUids: readonly string[]): Promise<Partial<MultusConfig> & { readonly indicator?: string | undefined }> => {
    const found = await findDaemonConfig(fs, dir, podUids);
    if (found === undefined) return {};
    const { path, stamp } = found;
    if (last?.path !== path || last.stamp.key !== stamp.key) last = { path, stamp, config: parseDaemonConfig(await readText(fs, path)) };
    const { master, nested, indicator, problem } = last.config;
    return told({ masterCni: master, nestedMasterCni: nested, daemonConfigPath: pathText(path), daemonConfigModifiedMs: timeMs(stamp.modifiedMs), daemonConfigProblem: problem, indicator });
  };

  return {
    look: async (dir, podUids) => {
      const generated = dir.files.find(({ name }) => name === GENERATED) ?? dir.files.find(({ config }) => config.usable && config.pluginTypes.some((type) => TYPES.includes(type)));
      if (generated === undefined && podUids.length === 0 && !(await anyTrace(fs, dir.binDirs))) return undefined;
      const { indicator: fromDaemon, ...daemon } = await whatever(() => daemonConfig(dir, podUids));
      const network = textAt(generated?.json, "clusterNetwork");
      const indicator = textAt(generated?.json, "readinessindicatorfile") ?? fromDaemon;
      return {
        ...daemon,
        generated: generated !== undefined,
        ...told({ thick: thickness(generated) }),
        ...(network === undefined ? {} : { clusterNetwork: nameText(network.split("/").at(-1) ?? ""), ...told({ clusterNetworkExists: await networkExists(fs, dir, network) }) }),
        ...(indicator === undefined ? {} : { readinessIndicatorFile: pathText(indicator), ...told({ readinessIndicatorExists: await existsOnNode(fs, indicator) }) }),
      };
    },
  };
}

function thickness(generated: ConfFileRead | undefined): boolean | undefined {
  const types = generated?.config.usable === true ? generated.config.pluginTypes.filter((type) => TYPES.includes(type)) : [];
  return types.length === 0 ? undefined : types.includes(SHIM);
}

/** What the daemon's config could not be looked at for is said in the place of its problem. */
async function whatever<T extends object>(look: () => Promise<T>): Promise<T | { readonly daemonConfigProblem: string; readonly indicator?: undefined }> {
  try {
    return await look();
  } catch (error) {
    return { daemonConfigProblem: capText(`could not be read: ${reasonOf(error)}`) };
  }
}

async function anyTrace(fs: HostFs, binDirs: readonly string[]): Promise<boolean> {
  for (const path of [SOCKET, ...binDirs.flatMap((dir) => TYPES.map((type) => `${dir}/${type}`))]) {
    try {
      if ((await fs.stamp(path)) !== undefined) return true;
    } catch {
      continue; // what may not be looked at is no trace; sockets and binaries say so themselves
    }
  }
  return false;
}

/**
 * The daemon's config lies in a ConfigMap that only its container mounts: the node has it as a volume of the pod. A
 * file in the conf dir itself wins, where somebody put one.
 */
async function findDaemonConfig(fs: HostFs, dir: ConfDir, podUids: readonly string[]): Promise<{ readonly path: string; readonly stamp: Stamp } | undefined> {
  const paths = [...new Set([`${dir.path}/multus.d`, ...DAEMON_CONFIG_FOLDERS])].map((folder) => `${folder}/${DAEMON_CONFIG}`);
  for (const uid of podUids.filter((one) => POD_UID.test(one))) {
    for (const root of KUBELET_ROOTS) {
      const volumes = `${root}/pods/${uid}/volumes/kubernetes.io~configmap`;
      for (const { name } of ((await fs.list(volumes)) ?? []).slice(0, MAX_VOLUMES)) paths.push(`${volumes}/${name}/${DAEMON_CONFIG}`);
    }
  }
  for (const path of paths) {
    const stamp = await fs.stamp(path);
    if (stamp !== undefined) return { path, stamp };
  }
  return undefined;
}

const readText = async (fs: HostFs, path: string): Promise<string | undefined> => (await fs.read(path, MAX_DAEMON_CONFIG_BYTES))?.toString("utf8");

export interface DaemonConfig {
  readonly master?: string | undefined;
  readonly nested?: string | undefined;
  readonly indicator?: string | undefined;
  readonly problem?: string | undefined;
}

const MASTER = "multusMasterCNI";

export function parseDaemonConfig(text: string | undefined): DaemonConfig {
  if (text === undefined) return { problem: "leads nowhere, or went away" };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: notJson(text) };
  }
  if (!isObject(json)) return { problem: "not a JSON object" };
  const master = textAt(json, MASTER);
  const nested = nestedText(json, MASTER);
  return { master: master === undefined ? undefined : nameText(master), nested: nested === undefined ? undefined : nameText(nested), indicator: textAt(json, "readinessindicatorfile") };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null && !Array.isArray(value);

/** A text under a key; as in Go, the key's case does not matter. An empty one is the same as none. */
function textAt(json: unknown, key: string): string | undefined {
  if (!isObject(json)) return undefined;
  const found = Object.hasOwn(json, key) ? json[key] : Object.entries(json).find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1];
  return typeof found === "string" && found !== "" && found.length <= MAX_PATH_CHARS ? found : undefined;
}

/** The first text under the key anywhere below the top level, where multus does not look for it. */
function nestedText(top: Readonly<Record<string, unknown>>, key: string): string | undefined {
  let left = MAX_KEYS_LOOKED_AT;
  const below = (value: unknown, depth: number): string | undefined => {
    if (typeof value !== "object" || value === null || depth > MAX_KEYS_DEEP) return undefined;
    const own = depth > 0 ? textAt(value, key) : undefined;
    if (own !== undefined) return own;
    for (const inner of Object.values(value)) {
      left -= 1;
      if (left < 0) return undefined;
      const found = below(inner, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return below(top, 0);
}

/** A path is looked for on the node; a bare name is a network's, of a file here or of an attachment that only the API knows. */
async function networkExists(fs: HostFs, dir: ConfDir, network: string): Promise<boolean | undefined> {
  if (network.startsWith("/")) {
    const [folder, file] = [network.slice(0, network.lastIndexOf("/")), network.split("/").at(-1)];
    if (MOUNTED_AT.some((at) => folder === at + dir.path)) return dir.files.some((one: ConfFileRead) => one.name === file);
    return existsOnNode(fs, network);
  }
  return dir.files.some(({ name, config }) => name === network || (config.usable && config.networkName === network)) ? true : undefined;
}

/** Whether a path of the daemon's config is there on the node; undefined where it may not be looked at. */
async function existsOnNode(fs: HostFs, path: string): Promise<boolean | undefined> {
  for (const at of MOUNTED_AT) {
    if (!path.startsWith(`${at}/`)) continue;
    try {
      if ((await fs.stamp(path.slice(at.length))) !== undefined) return true;
    } catch (error) {
      if (!isAbsent(error)) return undefined;
    }
  }
  return false;
}
