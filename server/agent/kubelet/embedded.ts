import path from "node:path";
import type { HostFs } from "../host-fs";
import { flagsOf, type KubeletFlags } from "./command-line";

/** Why nothing can be said of the kubelet's settings: a sentence for a person. */
export class KubeletUnknown extends Error {
  override name = "KubeletUnknown";
}

/** The node's files as far as they are needed here. */
export type ReadableFs = Pick<HostFs, "list" | "stamp" | "read">;

const MAX_FILE_BYTES = 256 * 1024;
const MAX_FILES = 64;

/**
 * The kubelet's flags in the file that MicroK8s' kubelite is given, one or more a line, `${SNAP_DATA}` being the folder above the one
 * of that file. Throws where the file cannot be read.
 */
export async function flagsInFile(fs: ReadableFs, file: string): Promise<KubeletFlags> {
  const text = file.startsWith("/") ? (await fs.read(file, MAX_FILE_BYTES))?.toString("utf8") : undefined;
  if (text === undefined) throw new KubeletUnknown(`nothing at ${file}, which kubelite's command line names`);
  const lines = text.split("\n").filter((line) => !line.trimStart().startsWith("#"));
  const words = lines.join(" ").split(/\s+/).map((word) => word.replaceAll('"', "").replaceAll("${SNAP_DATA}", path.dirname(path.dirname(file))));
  return flagsOf(words);
}

const K3S_CONFIG = "/etc/rancher/k3s/config.yaml";
const K3S_DATA = "/var/lib/rancher/k3s";
const KUBELET_ARG = "kubelet-arg";

/**
 * The kubelet's flags that k3s' own config gives (`kubelet-arg` in `config.yaml`, then in `config.yaml.d` by name: a later file
 * replaces the list, with a `+` behind the key adds to it), and the file that gave the last of them. `configDir` is where k3s has its kubelet read drop-ins.
 */
export async function k3sFlags(fs: ReadableFs): Promise<{ readonly flags: KubeletFlags; readonly from: string }> {
  const folder = `${K3S_CONFIG}.d`;
  const names = ((await fs.list(folder)) ?? []).map(({ name }) => name).filter((name) => /\.ya?ml$/.test(name));
  let args: readonly string[] = [];
  let from = K3S_CONFIG;
  let dataDir = K3S_DATA;
  for (const file of [K3S_CONFIG, ...names.sort().slice(0, MAX_FILES).map((name) => `${folder}/${name}`)]) {
    const config = await configIn(fs, file);
    const set = textsIn(config[KUBELET_ARG]);
    const added = textsIn(config[`${KUBELET_ARG}+`]);
    if (set.length > 0 || added.length > 0) {
      args = [...(set.length > 0 ? set : args), ...added];
      from = file;
    }
    dataDir = textsIn(config["data-dir"])[0] ?? dataDir;
  }
  return { flags: { configDir: `${dataDir}/agent/etc/kubelet.conf.d`, ...flagsOf(args.map((arg) => `--${arg.replace(/^-+/, "")}`)) }, from };
}

/** Nothing where there is no such file. */
async function configIn(fs: ReadableFs, file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = (await fs.read(file, MAX_FILE_BYTES))?.toString("utf8");
  if (text === undefined) return {};
  const { load } = await import("js-yaml");
  try {
    const config = load(text);
    return typeof config === "object" && config !== null ? { ...config } : {};
  } catch (error) {
    throw new KubeletUnknown(`${file} is no YAML`, { cause: error });
  }
}

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string");
