import { lstat } from "node:fs/promises";
import { setImmediate as afterOthers } from "node:timers/promises";
import { MAX_STALE_MOUNTS, type LaterParts, type StaleMount } from "../../domain/agent-readings";
import { idText, nameText, pathText, told } from "../bounds";
import { codeOf, isAbsent, stampOf, type HostFs, type Stamp } from "../host-fs";
import { containerOf, type ContainerOf } from "./cgroup-path";
import { holds, locate, parseMountinfo, type Mount } from "./mountinfo";
import { readProcFile } from "./proc-files";
import { NO_PROCESSES, sightOf, type ProcScan } from "./scan";

/** Names of a process's container, as far as they are known. */
export interface ContainerNames {
  readonly namespace?: string;
  readonly pod?: string;
  readonly podUid?: string;
  readonly container?: string;
}

export interface StaleMountReader {
  /** `sockets`: the node's paths of the sockets whose mounts are looked for. */
  look(scan: ProcScan, sockets: readonly string[], names: (of: ContainerOf) => ContainerNames): Promise<NonNullable<LaterParts["mounts"]>>;
}

const MAX_MOUNTINFO_BYTES = 4 * 1024 * 1024;
const MAX_CGROUP_BYTES = 64 * 1024;
/** Mount namespaces that are read; two for each pod is what a node has. Where they may not be told apart, each process counts. */
const MAX_NAMESPACES = 8_192;
/** One in which no such mount was seen is read again only this often: mounts of a container do not change while it runs. */
const REREAD_ROUNDS = 20;
/** Processes of one namespace that are asked for its mounts, should the first have ended meanwhile. */
const TRIES = 3;
const NAMESPACES_AT_A_STRETCH = 8;

/** A mount of a socket or of a folder above it, and the node's path of what should be there. */
interface Relevant {
  readonly mount: Mount;
  readonly socketPath: string;
  readonly hostPath: string;
  readonly kind: StaleMount["kind"];
}

/**
 * Finds mounts in containers that still hold what the node's path no longer leads to. The kernel itself says so in mountinfo of an
 * object that was removed ("//deleted"), to everybody and without anything being touched; for one that was only moved, device and inode
 * tell, which takes the right to look into the container. See docs/decisions/0060. `root`: the `/proc` of the scan.
 */
export function staleMountReader(fs: HostFs, root: string): StaleMountReader {
  /** Namespace and process → whether anything of interest is mounted there, and when that was read. */
  let known = new Map<string, { readonly relevant: boolean; readonly round: number }>();
  let round = 0;
  const readMountinfo = async (pid: number): Promise<string> => (await readProcFile(`${root}/${String(pid)}/mountinfo`, MAX_MOUNTINFO_BYTES)).toString("utf8");

  return {
    look: async (scan, sockets, names) => {
      if (sightOf(scan) === "none") return { looked: false, reason: NO_PROCESSES };
      const host = await readMountinfo(1);
      const mounts = parseMountinfo(host);
      const places = await Promise.all(sockets.map((path) => placeOf(fs, mounts, path)));
      const topOfHost = topMountId(host);
      const stale: StaleMount[] = [];
      let mountsSeen = 0;
      let unread = 0;
      let done = 0;
      const now: typeof known = new Map();
      for (const [namespace, pids] of namespacesOf(scan)) {
        const key = `${namespace} ${String(pids[0])}`;
        const before = known.get(key);
        if (before?.relevant === false && round - before.round < REREAD_ROUNDS) {
          now.set(key, before);
          continue;
        }
        done += 1;
        if (done % NAMESPACES_AT_A_STRETCH === 0) await afterOthers();
        const own = await mountsOf(pids);
        if (own === "gone") continue;
        if (own === "denied") {
          unread += 1;
          continue;
        }
        // Numbers of mounts are given once on a machine: the same on top is the same namespace.
        const relevant = topMountId(own.text) === topOfHost ? [] : relevantMounts(parseMountinfo(own.text), places);
        // Spread over the rounds: all of them are new in the first one.
        now.set(key, { relevant: relevant.length > 0, round: round - (relevant.length > 0 ? 0 : own.pid % REREAD_ROUNDS) });
        mountsSeen += relevant.length;
        for (const one of relevant) {
          const found = stale.length <= MAX_STALE_MOUNTS ? await judge(own.pid, one) : undefined;
          if (found !== undefined) stale.push({ ...found, ...(await namesOf(own.pid, names)) });
        }
      }
      known = now;
      round += 1;
      if (unread > 0 && known.size === 0) return { looked: false, reason: "the mounts of other processes may not be read (SELinux or AppArmor forbids it)" };
      return { looked: true, stale: stale.slice(0, MAX_STALE_MOUNTS), mountsSeen, ...(unread === 0 ? {} : { unread }), ...(stale.length > MAX_STALE_MOUNTS ? { truncated: true } : {}) };
    },
  };

  async function mountsOf(pids: readonly number[]): Promise<{ readonly pid: number; readonly text: string } | "gone" | "denied"> {
    let outcome: "gone" | "denied" = "gone";
    for (const pid of pids.slice(0, TRIES)) {
      try {
        return { pid, text: await readMountinfo(pid) };
      } catch (error) {
        if (!hasEnded(error)) outcome = "denied";
      }
    }
    return outcome;
  }

  async function judge(pid: number, { mount, socketPath, hostPath, kind }: Relevant): Promise<StaleMount | undefined> {
    const there = await stampOrNothing(() => fs.stamp(hostPath));
    const mounted = await stampOrNothing(async () => stampOf(await lstat(`${root}/${String(pid)}/root${mount.mountPoint}`, { bigint: true })));
    const because = mount.deleted ? "deleted" : mounted === undefined ? undefined : mounted.links === 0 ? "no-links" : mounted.inode !== there?.inode ? "other-inode" : undefined;
    if (because === undefined) return undefined;
    return {
      socketPath: pathText(socketPath),
      mountPath: pathText(mount.mountPoint),
      kind,
      pid,
      because,
      ...told({ mountedInode: mounted === undefined ? undefined : idText(mounted.inode), hostInode: there === undefined ? undefined : idText(there.inode) }),
    };
  }

  async function namesOf(pid: number, names: (of: ContainerOf) => ContainerNames): Promise<Partial<StaleMount>> {
    let of: ContainerOf = {};
    try {
      of = containerOf((await readProcFile(`${root}/${String(pid)}/cgroup`, MAX_CGROUP_BYTES)).toString("latin1"));
    } catch {
      return {}; // ended meanwhile, or not to be read: the mount itself is told without names
    }
    const { namespace, pod, podUid, container } = names(of);
    return told({ namespace: capped(namespace, nameText), pod: capped(pod, nameText), podUid: capped(podUid, idText), container: capped(container, nameText) });
  }
}

const capped = (text: string | undefined, cap: (text: string) => string): string | undefined => (text === undefined ? undefined : cap(text));
/** A process that ends while it is read: its files are gone, or its mount namespace is. */
const hasEnded = (error: unknown): boolean => isAbsent(error) || codeOf(error) === "ESRCH" || codeOf(error) === "EINVAL";

async function stampOrNothing(look: () => Promise<Stamp | undefined>): Promise<Stamp | undefined> {
  try {
    return await look();
  } catch {
    return undefined; // what may not be touched is judged by mountinfo alone
  }
}

/** Mount namespaces with their processes; where they may not be told apart, each process by itself. Kernel threads have the node's own. */
function namespacesOf(scan: ProcScan): ReadonlyMap<string, readonly number[]> {
  const namespaces = new Map<string, number[]>();
  for (const { pid, mountNamespace, denied } of scan.processes.values()) {
    if (mountNamespace === undefined && !denied) continue;
    const key = mountNamespace ?? `of ${String(pid)}`;
    const pids = namespaces.get(key);
    if (pids !== undefined) {
      if (pids.length < TRIES) pids.push(pid);
    } else if (namespaces.size < MAX_NAMESPACES) namespaces.set(key, [pid]);
  }
  return namespaces;
}

/** The number of the mount on which all others lie. */
const topMountId = (mountinfo: string): string => mountinfo.slice(0, mountinfo.indexOf(" "));

interface Place {
  readonly path: string;
  /** The same without links. */
  readonly real: string;
  readonly device: string;
  /** Inside its file system: the socket, and the folder that holds it. */
  readonly inside: string;
  readonly folder: string;
  /** What of the file system the node itself has mounted there: a mount of the same whole cannot lose its way. */
  readonly top: string;
}

async function placeOf(fs: HostFs, mounts: readonly Mount[], path: string): Promise<Place | undefined> {
  const real = await realPath(fs, path);
  const found = locate(mounts, real);
  if (found === undefined) return undefined;
  return { path, real, device: found.device, inside: found.inside, folder: parentOf(found.inside), top: found.mount.root };
}

/** The path without links, also where the socket or its folder is gone for the moment. */
async function realPath(fs: HostFs, path: string): Promise<string> {
  for (let folder = path; folder !== "/"; folder = parentOf(folder)) {
    try {
      const real = await fs.real(folder);
      if (real !== undefined) return `${real === "/" ? "" : real}${path.slice(folder.length)}`;
    } catch {
      return path; // links that loop, or a folder that may not be entered: the path as it was given
    }
  }
  return path;
}

const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/"))) || "/";
const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The mounts of a container that hold a socket: of itself, of a folder above it, or of what lay there before it was moved aside. */
function relevantMounts(mounts: readonly Mount[], places: readonly (Place | undefined)[]): readonly Relevant[] {
  return places.flatMap((place) => (place === undefined ? [] : mounts.flatMap((mount) => relevance(mount, place))));
}

function relevance(mount: Mount, { path, real, device, inside, folder, top }: Place): readonly Relevant[] {
  if (mount.device !== device) return [];
  const base = { mount, socketPath: path };
  const host = parentOf(real);
  if (mount.root === inside) return [{ ...base, hostPath: real, kind: "file" }];
  if (holds(mount.root, inside)) {
    // As much shorter than the socket's as it is inside the file system.
    const below = inside.length - (mount.root === "/" ? 0 : mount.root.length);
    const hostPath = real.slice(0, Math.max(0, real.length - below)) || "/";
    return mount.root === top && !mount.deleted ? [] : [{ ...base, hostPath, kind: "directory" }];
  }
  const parent = parentOf(mount.root);
  const name = baseOf(mount.mountPoint);
  const beside = folder === top ? undefined : parentOf(folder);
  if (name === baseOf(real) && (parent === folder || (baseOf(mount.root) === name && parentOf(parent) === beside))) return [{ ...base, hostPath: real, kind: "file" }];
  if (name === baseOf(host) && parent === beside) return [{ ...base, hostPath: host, kind: "directory" }];
  return [];
}
