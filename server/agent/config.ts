import { MAX_BIN_DIRS, MAX_PROBLEMS, type ConfigReading, type Looked } from "../domain/agent-report";
import { confDirReader, type ConfDirReader, type ConfFileRead } from "./conf/read-dir";
import { DISTRIBUTIONS } from "./distributions";
import { reasonOf, type HostFs } from "./host-fs";

/** What decides where to look: the command line first, then the runtime's own word, then where distributions keep things. */
export interface ConfigHints {
  readonly confDir?: string;
  readonly binDirs: readonly string[];
  readonly runtime?: { readonly name?: string; readonly criSocket?: string; readonly confDir?: string; readonly binDirs?: readonly string[] };
}

export interface ConfigLook {
  readonly reading: Looked<{ readonly reading: ConfigReading }>;
  /** Sockets of every usable config of the dir, the effective one first: what to probe. */
  readonly sockets: readonly string[];
  /** The dir as it was read, for what else is told of it; absent where it could not be listed. */
  readonly dir?: ConfDir;
}

export interface ConfDir {
  readonly path: string;
  /** In load order. */
  readonly files: readonly ConfFileRead[];
  /** More files than are looked at. */
  readonly truncated?: boolean;
  readonly binDirs: readonly string[];
  /** The file that the runtime should have loaded. */
  readonly effectiveFile?: string;
}

/** CRI-O passes over a file that it cannot use; containerd stops at it and loads nothing (go-cni, loadFromConfDir). */
const PASSES_OVER_BROKEN = /cri-?o/i;

/** `reader` remembers files that did not change since the last look. */
export async function lookAtConfig(fs: HostFs, hints: ConfigHints, reader: ConfDirReader = confDirReader(fs)): Promise<ConfigLook> {
  try {
    const dir = await confDir(fs, hints);
    const read = await reader.read(dir);
    if (read === undefined) return { reading: { looked: false, reason: `no folder ${dir}` }, sockets: [] };
    const { files, truncated } = read;
    const binDirs = await binDirsOf(fs, hints);
    const usable = files.filter((file) => file.config.usable);
    const first = PASSES_OVER_BROKEN.test(hints.runtime?.name ?? "") ? (files.find((file) => file.config.usable || file.unread) ?? files[0]) : files[0];
    const problems = files.flatMap((file) => (file.config.usable ? [] : [`${file.name}: ${file.config.problem}`]));
    const sockets = [...new Set([...(first === undefined ? [] : [first]), ...usable].flatMap((file) => (file.config.usable ? file.config.sockets : [])))];
    const seen: ConfDir = { path: dir, files, ...(truncated ? { truncated } : {}), binDirs, ...(first?.config.usable === true ? { effectiveFile: first.name } : {}) };
    const base = { dir, binDirs, ...(problems.length === 0 ? {} : { fileProblems: problems.slice(0, MAX_PROBLEMS) }) };
    if (first?.unread === true && !first.config.usable) return { reading: { looked: false, reason: `${dir}/${first.name}: ${first.config.problem}` }, sockets, dir: seen };
    if (first?.config.usable !== true) {
      return { reading: { looked: true, reading: { ...base, pluginTypes: [], sockets: [], missingBinaries: [] } }, sockets, dir: seen };
    }
    const { pluginTypes, delegateTypes, sockets: own } = first.config;
    const binaries = await lookAtBinaries(fs, binDirs, [...pluginTypes, ...delegateTypes]);
    return {
      reading: {
        looked: true,
        reading: {
          ...base,
          effectiveFile: first.name,
          pluginTypes,
          ...(delegateTypes.length === 0 ? {} : { delegateTypes }),
          sockets: own,
          missingBinaries: pluginTypes.filter((type) => binaries.has(type)),
          ...(binaries.size === 0 ? {} : { binaryProblems: [...binaries].map(([type, problem]) => `${type}: ${problem}`) }),
        },
      },
      sockets,
      dir: seen,
    };
  } catch (error) {
    return { reading: { looked: false, reason: reasonOf(error) }, sockets: [] };
  }
}

async function confDir(fs: HostFs, hints: ConfigHints): Promise<string> {
  const told = hints.confDir ?? hints.runtime?.confDir;
  if (told !== undefined) return told;
  const candidates = distribution(hints)?.confDirs ?? DISTRIBUTIONS.at(-1)?.confDirs ?? [];
  for (const dir of candidates) if ((await fs.list(dir)) !== undefined) return dir;
  return candidates.at(-1) ?? "/etc/cni/net.d";
}

async function binDirsOf(fs: HostFs, hints: ConfigHints): Promise<readonly string[]> {
  const told = hints.binDirs.length > 0 ? hints.binDirs : hints.runtime?.binDirs;
  if (told !== undefined && told.length > 0) return told.slice(0, MAX_BIN_DIRS);
  const candidates = distribution(hints)?.binDirs ?? DISTRIBUTIONS.at(-1)?.binDirs ?? [];
  const there: string[] = [];
  for (const dir of candidates) if ((await fs.stat(dir))?.isDirectory() === true) there.push(dir);
  return there.length > 0 ? there : candidates.slice(0, 1);
}

const distribution = (hints: ConfigHints) => DISTRIBUTIONS.find((row) => row.criSocket === hints.runtime?.criSocket);

/** Plugin type → what is wrong with its binary; types that are in order are not in the map. */
async function lookAtBinaries(fs: HostFs, binDirs: readonly string[], types: readonly string[]): Promise<Map<string, string>> {
  const problems = new Map<string, string>();
  for (const type of types) {
    let problem: string | undefined = `not in ${binDirs.join(", ")}`;
    for (const dir of binDirs) {
      const found = await fs.stat(`${dir}/${type}`);
      if (found === undefined) continue;
      // The runtime runs the first regular file of that name, so a broken one hides a good one in a later folder.
      if (!found.isFile()) problem = `a folder or special file in ${dir}`;
      else {
        problem = found.size === 0 ? `0 bytes in ${dir}` : (found.mode & 0o111) === 0 ? `not executable in ${dir}` : undefined;
        break;
      }
    }
    if (problem !== undefined) problems.set(type, problem);
  }
  return problems;
}
