import type { Dirent } from "node:fs";
import { MAX_BIN_DIRS, MAX_PROBLEMS, type ConfigReading, type Looked } from "../domain/agent-report";
import { parseNetworkConfig, type NetworkConfig } from "./conflist";
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
}

const MAX_CONF_FILES = 64;
const MAX_CONF_FILE_BYTES = 256 * 1024;
/** What stands in a name for bytes that are not UTF-8. */
const REPLACEMENT = "\uFFFD";
const EXTENSIONS = [".conf", ".conflist", ".json"];
/** CRI-O passes over a file that it cannot use; containerd stops at it and loads nothing (go-cni, loadFromConfDir). */
const PASSES_OVER_BROKEN = /cri-?o/i;

export async function lookAtConfig(fs: HostFs, hints: ConfigHints): Promise<ConfigLook> {
  try {
    const dir = await confDir(fs, hints);
    const entries = await fs.list(dir);
    if (entries === undefined) return { reading: { looked: false, reason: `no folder ${dir}` }, sockets: [] };
    const files = await readAll(fs, dir, entries);
    const binDirs = await binDirsOf(fs, hints);
    const usable = files.filter((file) => file.config.usable);
    const first = PASSES_OVER_BROKEN.test(hints.runtime?.name ?? "") ? (files.find((file) => file.config.usable || file.unread) ?? files[0]) : files[0];
    const problems = files.flatMap((file) => (file.config.usable ? [] : [`${file.name}: ${file.config.problem}`]));
    const sockets = [...new Set([...(first === undefined ? [] : [first]), ...usable].flatMap((file) => (file.config.usable ? file.config.sockets : [])))];
    const base = { dir, binDirs, ...(problems.length === 0 ? {} : { fileProblems: problems.slice(0, MAX_PROBLEMS) }) };
    if (first?.unread === true && !first.config.usable) return { reading: { looked: false, reason: `${dir}/${first.name}: ${first.config.problem}` }, sockets };
    if (first?.config.usable !== true) {
      return { reading: { looked: true, reading: { ...base, pluginTypes: [], sockets: [], missingBinaries: [] } }, sockets };
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
    };
  } catch (error) {
    return { reading: { looked: false, reason: reasonOf(error) }, sockets: [] };
  }
}

interface ConfFile {
  readonly name: string;
  readonly config: NetworkConfig;
  /** The agent could not read it; the runtime may be able to. */
  readonly unread: boolean;
}

/** The files in load order. */
async function readAll(fs: HostFs, dir: string, entries: readonly Dirent[]): Promise<ConfFile[]> {
  const names = entries
    .filter((entry) => !entry.isDirectory() && EXTENSIONS.some((extension) => entry.name.endsWith(extension)))
    .map((entry) => entry.name)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const files: ConfFile[] = [];
  for (const name of names.slice(0, MAX_CONF_FILES)) {
    if (name.includes(REPLACEMENT)) {
      files.push({ name, unread: true, config: { usable: false, problem: "could not be read: its name is not UTF-8" } });
      continue;
    }
    try {
      const content = await fs.read(`${dir}/${name}`, MAX_CONF_FILE_BYTES);
      files.push({ name, unread: false, config: content === undefined ? { usable: false, problem: "leads nowhere, or went away" } : parseNetworkConfig(name, content.toString("utf8")) });
    } catch (error) {
      files.push({ name, unread: true, config: { usable: false, problem: `could not be read: ${reasonOf(error)}` } });
    }
  }
  return files;
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
