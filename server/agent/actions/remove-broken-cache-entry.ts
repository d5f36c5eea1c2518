import { constants, type BigIntStats } from "node:fs";
import { link, lstat, mkdir, open, unlink } from "node:fs/promises";
import type { WorkObject } from "../../domain/actions/work-order";
import type { SandboxReading } from "../../domain/agent-report";
import { jsonOrNothing, MULTUS, RESULTS } from "../cache/caches";
import { isAbsent, reasonOf } from "../host-fs";
import { keptList, withCri } from "./sandboxes";
import type { Doer, Tools } from "./types";

/** Folders whose entries may be moved, each exactly. Leases are none of them: an address that one holds may be in use. */
const FOLDERS: readonly string[] = [...RESULTS, MULTUS];
/** Beside them, so that a move stays in one file system and nothing that reads them finds it. */
const QUARANTINE = "/var/lib/cni/sandglass-quarantine";
/** Whoever writes an entry may still be at it. */
const SETTLED_MS = 60_000;
const MAX_ENTRY_BYTES = 256 * 1024;
const MAX_ENTRIES = 4_096;

/** Moves entries of CNI caches that are empty or do not parse out of the way, each looked at again right before. Deletes nothing. */
export const removeBrokenCacheEntry: Doer = {
  survey: async (_order, tools) =>
    withCri(tools, async (cri) => {
      const lists = keptList(cri, tools);
      const objects: WorkObject[] = [];
      for (const dir of FOLDERS) {
        for (const entry of ((await tools.fs.list(dir)) ?? []).slice(0, MAX_ENTRIES)) {
          if (entry.isDirectory() || entry.name.startsWith(".")) continue;
          const path = `${dir}/${entry.name}`;
          const found = await look(path, await lists(), tools);
          if (found.broken !== undefined) objects.push({ id: path, name: path, ...(found.left === undefined ? { outcome: "would", reason: found.broken } : { outcome: "left", reason: found.left }) });
        }
      }
      return objects;
    }),
  carryOut: async (order, tools) =>
    withCri(tools, async (cri) => {
      const lists = keptList(cri, tools);
      for (const path of order.objects) {
        if (tools.over()) return;
        await tools.tell(await moveOne(path, lists, tools));
      }
    }),
};

interface Look {
  /** Why it is broken; absent where it is whole, or could not be told. */
  readonly broken?: string;
  /** Why it stays all the same. */
  readonly left?: string;
  readonly here?: string;
  readonly stat?: BigIntStats;
}

async function moveOne(path: string, lists: () => Promise<readonly SandboxReading[]>, tools: Tools): Promise<WorkObject> {
  const object = { id: path, name: path };
  try {
    const found = await look(path, await lists(), tools);
    if (found.left !== undefined || found.broken === undefined || found.here === undefined || found.stat === undefined) return { ...object, outcome: "left", reason: found.left ?? "it is whole" };
    const folder = await tools.fs.resolve(QUARANTINE);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const there = nameThere(path, tools.clock.now());
    const target = `${folder}/${there}`;
    await link(found.here, target); // never over another file
    // Whoever wrote to it meanwhile wrote to this very file: then it goes on in its place.
    const now = await readEntry(target);
    const same = (await lstat(found.here, { bigint: true })).ino === found.stat.ino;
    if (now.broken === undefined || !same) {
      await unlink(target);
      return { ...object, outcome: "left", reason: "it was written while it was looked at" };
    }
    await unlink(found.here);
    return { ...object, outcome: "done", reason: `${found.broken}; it is now ${QUARANTINE}/${there}` };
  } catch (error) {
    return { ...object, outcome: "failed", reason: reasonOf(error) };
  }
}

/** What stands at a path of an order. A path that is none of a cache's own is left whatever stands there. */
async function look(path: string, sandboxes: readonly SandboxReading[], tools: Tools): Promise<Look> {
  const slash = path.lastIndexOf("/");
  const [dir, name] = [path.slice(0, slash), path.slice(slash + 1)];
  if (!FOLDERS.includes(dir) || name === "" || name.startsWith(".") || name.includes("\0")) return { left: "it is no entry of a CNI cache" };
  const here = `${await tools.fs.resolve(dir)}/${name}`;
  let stat: BigIntStats;
  try {
    stat = await lstat(here, { bigint: true });
  } catch (error) {
    if (isAbsent(error)) return { left: "it is gone already" };
    throw error;
  }
  if (!stat.isFile()) return { left: stat.isSymbolicLink() ? "it is a link" : "it is no file" };
  if (stat.nlink !== 1n) return { left: "it has other names" };
  const { broken, left } = await readEntry(here);
  if (broken === undefined) return { ...(left === undefined ? {} : { left }) };
  const ageMs = tools.clock.now() - Number(stat.mtimeMs);
  if (ageMs < SETTLED_MS) return { broken, left: `it was written ${Math.max(0, Math.round(ageMs / 1_000))} s ago, less than ${SETTLED_MS / 1_000} s` };
  const owner = sandboxes.find(({ id, ready }) => ready && id !== "" && name.includes(id));
  if (owner !== undefined) return { broken, left: `it is of a sandbox that is ready (${owner.namespace}/${owner.name})` };
  return { broken, here, stat };
}

/** Never through a link, never waiting for a pipe. */
async function readEntry(here: string): Promise<Look> {
  const file = await open(here, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const { size } = await file.stat();
    if (size === 0) return { broken: "it is empty" };
    if (size > MAX_ENTRY_BYTES) return { left: `it has ${size} bytes, more than is read` };
    return jsonOrNothing((await file.readFile()).toString("utf8")) === undefined ? { broken: "it does not parse" } : {};
  } finally {
    await file.close();
  }
}

/** "2026-11-30T20-15-00-123Z results cbr0-….": when, and out of which folder. */
const nameThere = (path: string, nowMs: number): string => {
  const [folder = "", name = ""] = path.split("/").slice(-2);
  return `${new Date(nowMs).toISOString().replaceAll(/[:.]/g, "-")} ${folder} ${name}`.slice(0, 255);
};
