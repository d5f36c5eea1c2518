import { stat } from "node:fs/promises";
import { MAX_PLUGIN_PROCESSES, type LaterParts, type PluginProcess } from "../../domain/agent-readings";
import { CNI_ROWS } from "../../domain/cni-daemons";
import { idText, nameText, pathText, timeMs, told, wordText } from "../bounds";
import { stampOf, type HostFs, type Stamp } from "../host-fs";
import { cniEnvironment, type CniEnvironment } from "./cni-environment";
import { readProcFile } from "./proc-files";
import { bootMs, parseStat } from "./process-stat";
import { NO_PROCESSES, NO_PROGRAMS, sightOf, type ProcScan, type ScannedProcess } from "./scan";

export interface PluginProcessReader {
  /** `wanted`: programs that some config asks for. */
  look(scan: ProcScan, binDirs: readonly string[], wanted: ReadonlySet<string>, nowMs: number): Promise<NonNullable<LaterParts["processes"]>>;
}

const DELETED = " (deleted)";
const MAX_STAT_BYTES = 16 * 1024;
/** The kernel allows more; a plugin's variables stand among few. */
const MAX_ENVIRON_BYTES = 256 * 1024;
const MAX_UPTIME_BYTES = 256;
/** Entries of bin dirs that are followed where they are links, as k3s has them. */
const MAX_LINKS = 128;

/** Plugins that no config here may name while they run. Some bin dirs hold other programs as well (GKE keeps the kubelet there). */
const KNOWN_PLUGINS: ReadonlySet<string> = new Set([
  ...CNI_ROWS.flatMap(({ pluginTypes }) => pluginTypes),
  ...["bridge", "ptp", "macvlan", "ipvlan", "vlan", "host-device", "dummy", "tap", "loopback", "portmap", "bandwidth", "tuning", "firewall", "sbr", "vrf", "dhcp", "host-local", "static"],
]);
interface Known extends Place {
  readonly exe: string;
  /** False: another program that lies in the same folder. */
  readonly isPlugin: boolean;
  readonly environment?: CniEnvironment;
  readonly stamp?: Stamp;
}

/** `root`: the `/proc` of the scan. Keeps what does not change while a process lives. */
export function pluginProcessReader(fs: HostFs, root: string): PluginProcessReader {
  let known = new Map<number, Known>();

  return {
    look: async (scan, binDirs, wanted, nowMs) => {
      const sight = sightOf(scan);
      if (sight !== "programs") return { looked: false, reason: sight === "none" ? NO_PROCESSES : NO_PROGRAMS };
      const dirs = await realDirs(fs, binDirs);
      const links = await linkedPrograms(fs, binDirs);
      const boot = bootMs((await readProcFile(`${root}/uptime`, MAX_UPTIME_BYTES)).toString("latin1"), nowMs);
      const standing = standingPrograms(fs);
      const host = scan.processes.get(1)?.mountNamespace;
      const now: typeof known = new Map();
      const items: PluginProcess[] = [];
      for (const process of scan.processes.values()) {
        const place = placeOf(process, dirs, links);
        if (place === undefined) continue;
        const before = known.get(process.pid);
        const one = before !== undefined && before.exe === process.exe && before.path === place.path ? before : await learn(process, place, wanted);
        now.set(process.pid, one);
        const reading = one.isPlugin ? await read(process, one, { host, boot, standing }) : undefined;
        if (reading !== undefined) items.push(reading);
      }
      known = now;
      items.sort((a, b) => (a.startedMs ?? 0) - (b.startedMs ?? 0) || a.pid - b.pid);
      return { looked: true, items: items.slice(0, MAX_PLUGIN_PROCESSES), truncated: scan.truncated || items.length > MAX_PLUGIN_PROCESSES };
    },
  };

  async function learn(process: ScannedProcess, place: Place, wanted: ReadonlySet<string>): Promise<Known> {
    const dir = `${root}/${String(process.pid)}`;
    const stamp = await orNothing(async () => stampOf(await stat(`${dir}/exe`, { bigint: true })));
    const environment = await orNothing(async () => cniEnvironment((await readProcFile(`${dir}/environ`, MAX_ENVIRON_BYTES)).toString("utf8")));
    const isPlugin = environment?.command !== undefined || wanted.has(place.program) || KNOWN_PLUGINS.has(place.program);
    return { ...place, exe: process.exe ?? "", isPlugin, ...(environment === undefined ? {} : { environment }), ...(stamp === undefined ? {} : { stamp }) };
  }

  async function read({ pid, exe = "", mountNamespace }: ScannedProcess, { program, dir, path, environment, stamp }: Known, { host, boot, standing }: NodeFacts): Promise<PluginProcess | undefined> {
    let stat: ReturnType<typeof parseStat>;
    try {
      stat = parseStat((await readProcFile(`${root}/${String(pid)}/stat`, MAX_STAT_BYTES)).toString("latin1"));
    } catch {
      return undefined; // ended meanwhile
    }
    if (stat === undefined) return undefined;
    const there = await standing(path);
    // A container's own file of the same name is none of the node's; another file system tells.
    if (stamp !== undefined && host !== undefined && mountNamespace !== undefined && mountNamespace !== host) {
      const beside = there ?? (await standing(dir));
      if (beside !== undefined && deviceOf(stamp) !== deviceOf(beside)) return undefined;
    }
    const { command, namespace, pod, podUid, sandboxId } = environment ?? {};
    return {
      pid,
      program: nameText(program),
      path: pathText(path),
      state: stat.state,
      replaced: exe.endsWith(DELETED) || there === undefined || (stamp !== undefined && stamp.inode !== there.inode),
      ...told({
        startedMs: boot === undefined ? undefined : timeMs(boot + stat.startedSeconds * 1_000),
        called: environment === undefined ? undefined : command !== undefined,
        command: command === undefined ? undefined : wordText(command),
        namespace: namespace === undefined ? undefined : nameText(namespace),
        pod: pod === undefined ? undefined : nameText(pod),
        podUid: podUid === undefined ? undefined : idText(podUid),
        sandboxId: sandboxId === undefined ? undefined : idText(sandboxId),
      }),
    };
  }
}

/** A process that has ended, or a right that is missing: what its program's name tells remains. */
async function orNothing<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch {
    return undefined;
  }
}

const deviceOf = ({ inode }: Stamp): string => inode.slice(0, inode.indexOf("/"));

interface Place {
  readonly program: string;
  /** The node's path of the program, and of its folder. */
  readonly path: string;
  readonly dir: string;
}

interface NodeFacts {
  /** The node's own mount namespace. */
  readonly host: string | undefined;
  readonly boot: number | undefined;
  /** What stands at a path now. */
  readonly standing: (path: string) => Promise<Stamp | undefined>;
}

/** Bin dirs by the path under which the kernel names their files. */
async function realDirs(fs: HostFs, binDirs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const dirs = new Map<string, string>();
  for (const dir of binDirs) {
    dirs.set(dir, dir);
    try {
      const real = await fs.real(dir);
      if (real !== undefined) dirs.set(real, dir);
    } catch {
      continue; // the part about programs says why it cannot be looked at
    }
  }
  return dirs;
}

/** Where entries of bin dirs that are links lead: real path → the entry's. */
async function linkedPrograms(fs: HostFs, binDirs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>();
  for (const dir of binDirs) {
    try {
      for (const entry of (await fs.list(dir)) ?? []) {
        if (!entry.isSymbolicLink() || links.size >= MAX_LINKS) continue;
        const real = await fs.real(`${dir}/${entry.name}`);
        if (real !== undefined && !links.has(real)) links.set(real, `${dir}/${entry.name}`);
      }
    } catch {
      continue;
    }
  }
  return links;
}

/**
 * The program of a bin dir that the process executes. A daemon in a container executes the node's plugins below the folder at which it
 * has the node's root, so the end of the path decides.
 */
function placeOf({ exe }: ScannedProcess, dirs: ReadonlyMap<string, string>, links: ReadonlyMap<string, string>): Place | undefined {
  if (exe === undefined) return undefined;
  const path = exe.endsWith(DELETED) ? exe.slice(0, -DELETED.length) : exe;
  const slash = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, slash), path.slice(slash + 1)];
  for (const [real, dir] of dirs) if (folder.endsWith(real) && name !== "") return { program: name, path: `${dir}/${name}`, dir };
  const link = links.get(path);
  return link === undefined ? undefined : { program: name, path: link, dir: link.slice(0, link.lastIndexOf("/")) };
}

/** Asked once a round for all processes of a program. */
function standingPrograms(fs: HostFs): (path: string) => Promise<Stamp | undefined> {
  const asked = new Map<string, Promise<Stamp | undefined>>();
  return (path) => {
    let answer = asked.get(path);
    if (answer === undefined) asked.set(path, (answer = fs.stamp(path).catch(() => undefined)));
    return answer;
  };
}
