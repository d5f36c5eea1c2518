import type { WorkObject } from "../../domain/actions/work-order";
import type { SandboxReading } from "../../domain/agent-report";
import { jsonOrNothing, MULTUS, RESULTS } from "../cache/caches";
import { reasonOf } from "../host-fs";
import type { Entry, HostFiles } from "./host-files";
import { keptList } from "./sandboxes";
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
    tools.withRuntime(async (runtime) => {
      const lists = keptList(runtime);
      const objects: WorkObject[] = [];
      for (const dir of FOLDERS) {
        for (const name of (await tools.files.names(dir)).slice(0, MAX_ENTRIES)) {
          if (name.startsWith(".")) continue;
          const path = `${dir}/${name}`;
          const found = await look(path, await lists(), tools);
          if (found.broken !== undefined) objects.push({ id: path, name: path, ...(found.left === undefined ? { outcome: "would", reason: found.broken } : { outcome: "left", reason: found.left }) });
        }
      }
      return objects;
    }),
  carryOut: async (order, tools) =>
    tools.withRuntime(async (runtime) => {
      const lists = keptList(runtime);
      for (const path of order.objects) {
        if (tools.over()) return;
        await tools.tell(await moveOne(path, lists, tools));
      }
    }),
};

const GONE = "it is gone already";
const CHANGED = "it was changed while it was looked at";

interface Look {
  /** Why it is broken; absent where it is whole, or could not be told. */
  readonly broken?: string;
  /** Why it stays all the same. */
  readonly left?: string;
  readonly entry?: Entry;
}

async function moveOne(path: string, lists: () => Promise<readonly SandboxReading[]>, tools: Tools): Promise<WorkObject> {
  const object = { id: path, name: path };
  const { files } = tools;
  try {
    const found = await look(path, await lists(), tools);
    if (found.left !== undefined || found.broken === undefined || found.entry === undefined) return { ...object, outcome: "left", reason: found.left ?? "it is whole" };
    await files.makeFolder(QUARANTINE);
    const target = `${QUARANTINE}/${nameThere(path, tools.clock.now())}`;
    await files.link(path, target); // never over another file
    if (!(await isAsBefore(path, target, found.entry, files))) {
      await files.unlink(target);
      return { ...object, outcome: "left", reason: CHANGED };
    }
    await files.unlink(path);
    return { ...object, outcome: "done", reason: `${found.broken}; it is now ${target}` };
  } catch (error) {
    return { ...object, outcome: "failed", reason: reasonOf(error) };
  }
}

/** Whoever wrote to it meanwhile wrote to the very file that has both names now: then it goes on in its place. */
async function isAsBefore(path: string, target: string, entry: Entry, files: HostFiles): Promise<boolean> {
  try {
    return (await readEntry(target, files)).broken !== undefined && (await files.look(path))?.identity === entry.identity;
  } catch (error) {
    await files.unlink(target); // else it would have two names, and be left for that ever after
    throw error;
  }
}

/** What stands at a path of an order. A path that is none of a cache's own is left whatever stands there. */
async function look(path: string, sandboxes: readonly SandboxReading[], tools: Tools): Promise<Look> {
  const slash = path.lastIndexOf("/");
  const [dir, name] = [path.slice(0, slash), path.slice(slash + 1)];
  if (!FOLDERS.includes(dir) || name === "" || name.startsWith(".") || name.includes("\0")) return { left: "it is no entry of a CNI cache" };
  const entry = await tools.files.look(path);
  if (entry === undefined) return { left: GONE };
  if (entry.kind !== "file") return { left: entry.kind === "link" ? "it is a link" : "it is no file" };
  if (entry.names !== 1) return { left: "it has other names" };
  const { broken, left } = await readEntry(path, tools.files);
  if (broken === undefined) return { ...(left === undefined ? {} : { left }) };
  const ageMs = tools.clock.now() - entry.modifiedMs;
  if (ageMs < SETTLED_MS) return { broken, left: `it was written ${Math.max(0, Math.round(ageMs / 1_000))} s ago, less than ${SETTLED_MS / 1_000} s` };
  const owner = sandboxes.find(({ id, ready }) => ready && id !== "" && name.includes(id));
  if (owner !== undefined) return { broken, left: `it is of a sandbox that is ready (${owner.namespace}/${owner.name})` };
  const shut = await tools.files.unwritable(dir);
  return { broken, entry, ...(shut === undefined ? {} : { left: shut }) };
}

async function readEntry(path: string, files: HostFiles): Promise<Look> {
  const found = await files.read(path, MAX_ENTRY_BYTES);
  if (found === undefined) return { left: GONE };
  const { sizeBytes, text } = found;
  if (text === undefined) return { left: sizeBytes > MAX_ENTRY_BYTES ? `it has ${sizeBytes} bytes, more than is read` : CHANGED };
  if (sizeBytes === 0) return { broken: "it is empty" };
  return jsonOrNothing(text) === undefined ? { broken: "it does not parse" } : {};
}

/** "2026-11-30T20-15-00-123Z results cbr0-….": when, and out of which folder. */
const nameThere = (path: string, nowMs: number): string => {
  const [folder = "", name = ""] = path.split("/").slice(-2);
  return `${new Date(nowMs).toISOString().replaceAll(/[:.]/g, "-")} ${folder} ${name}`.slice(0, 255);
};
