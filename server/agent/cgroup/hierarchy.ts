import { readdir, stat } from "node:fs/promises";
import { isAbsent } from "../host-fs";

/**
 * Where a node's cgroups are mounted. `hybrid` nodes have their controllers in version 1 and an empty version 2 beside
 * them, in which the kernel still tells pressure.
 */
export type Hierarchy = { readonly version: 2; readonly unified: string } | { readonly version: 1; readonly cpu: string; readonly cpuacct: string; readonly memory: string; readonly unified?: string };

/** Undefined where nothing of the kind is mounted there. */
export async function findHierarchy(root: string): Promise<Hierarchy | undefined> {
  if (await isThere(`${root}/cgroup.controllers`)) return { version: 2, unified: root };
  const first = async (...names: string[]): Promise<string | undefined> => {
    for (const name of names) if (await isThere(`${root}/${name}`)) return `${root}/${name}`;
    return undefined;
  };
  const cpu = await first("cpu", "cpu,cpuacct", "cpuacct,cpu");
  const memory = await first("memory");
  if (cpu === undefined || memory === undefined) return undefined;
  const unified = await first("unified");
  return { version: 1, cpu, memory, cpuacct: (await first("cpuacct", "cpu,cpuacct", "cpuacct,cpu")) ?? cpu, ...(unified === undefined ? {} : { unified }) };
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** "kubepods", "kubepods.slice", and under a root of the kubelet's own: "kubelet-kubepods.slice". */
const PODS_ROOT = /^(?:[a-z0-9-]+-)?kubepods(?:\.slice)?$/;
/** Folders above it: some distributions give the kubelet a root of its own, and kind a node in a container. */
const MAX_DEPTH = 4;
const MAX_FOLDERS = 512;

/**
 * The same hierarchy with every top moved down to the folder of all pods, which may lie elsewhere in each controller of version 1.
 * Undefined where there is none.
 */
export async function rootedAtPods(hierarchy: Hierarchy): Promise<Hierarchy | undefined> {
  if (hierarchy.version === 2) {
    const root = await findPodsRoot(hierarchy.unified);
    return root === undefined ? undefined : { ...hierarchy, unified: root };
  }
  const [cpu, cpuacct, memory] = await Promise.all([hierarchy.cpu, hierarchy.cpuacct, hierarchy.memory].map(findPodsRoot));
  if (cpu === undefined || memory === undefined) return undefined;
  const unified = hierarchy.unified === undefined ? undefined : await findPodsRoot(hierarchy.unified);
  return { version: 1, cpu, memory, cpuacct: cpuacct ?? cpu, ...(unified === undefined ? {} : { unified }) };
}

/** The folder of all pods below a top; the highest is taken. */
async function findPodsRoot(top: string): Promise<string | undefined> {
  let level = [top];
  let left = MAX_FOLDERS;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      for (const name of await foldersIn(folder)) {
        if (PODS_ROOT.test(name)) return `${folder}/${name}`;
        left -= 1;
        if (left > 0) next.push(`${folder}/${name}`);
      }
    }
    level = next;
  }
  return undefined;
}

export async function foldersIn(path: string): Promise<readonly string[]> {
  try {
    return (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
