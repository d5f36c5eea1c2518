import { MAX_CONF_FILES } from "../../domain/agent-readings";
import { parseNetworkConfig, type NetworkConfig } from "../conflist";
import { reasonOf, type HostFs, type Stamp } from "../host-fs";

/** One file of a conf dir, as the runtime would read it. */
export interface ConfFileRead {
  readonly name: string;
  readonly config: NetworkConfig;
  /** The agent could not read it; the runtime may be able to. */
  readonly unread: boolean;
  /** What it holds, where that is JSON. */
  readonly json?: unknown;
  readonly stamp?: Stamp;
}

export interface ConfDirRead {
  /** In load order. */
  readonly files: readonly ConfFileRead[];
  readonly truncated: boolean;
}

export interface ConfDirReader {
  /** Undefined where there is no such folder. */
  read(dir: string): Promise<ConfDirRead | undefined>;
}

const MAX_CONF_FILE_BYTES = 256 * 1024;
/** What stands in a name for bytes that are not UTF-8. */
const REPLACEMENT = "\uFFFD";
const EXTENSIONS = [".conf", ".conflist", ".json"];

/** Reads a file again only when it, or what its link leads to, was written or replaced. */
export function confDirReader(fs: HostFs): ConfDirReader {
  let known = new Map<string, ConfFileRead>();
  return {
    read: async (dir) => {
      const entries = await fs.list(dir);
      if (entries === undefined) return undefined;
      const names = entries
        .filter((entry) => !entry.isDirectory() && EXTENSIONS.some((extension) => entry.name.endsWith(extension)))
        .map((entry) => entry.name)
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const files: ConfFileRead[] = [];
      for (const name of names.slice(0, MAX_CONF_FILES)) files.push(await readOne(fs, `${dir}/${name}`, name, known.get(`${dir}/${name}`)));
      known = new Map(files.map((file) => [`${dir}/${file.name}`, file]));
      return { files, truncated: names.length > MAX_CONF_FILES };
    },
  };
}

async function readOne(fs: HostFs, path: string, name: string, before: ConfFileRead | undefined): Promise<ConfFileRead> {
  if (name.includes(REPLACEMENT)) return { name, unread: true, config: { usable: false, problem: "could not be read: its name is not UTF-8" } };
  try {
    // The stamp first: what is written after it makes the next stamp another one.
    const stamp = await fs.stamp(path);
    if (stamp !== undefined && before?.stamp?.key === stamp.key && !before.unread) return before;
    const content = await fs.read(path, MAX_CONF_FILE_BYTES);
    if (stamp === undefined || content === undefined) return { name, unread: false, config: { usable: false, problem: "leads nowhere, or went away" } };
    const text = content.toString("utf8");
    const json = parsed(text);
    return { name, unread: false, stamp, config: parseNetworkConfig(name, text), ...(json === undefined ? {} : { json }) };
  } catch (error) {
    return { name, unread: true, config: { usable: false, problem: `could not be read: ${reasonOf(error)}` } };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // `config` says where it is broken
  }
}
