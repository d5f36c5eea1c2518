import type { Entry, HostFiles } from "../agent/actions/host-files";
import type { SandboxRuntime } from "../agent/actions/sandboxes";
import type { Site } from "../agent/actions/types";
import { CRI_DEADLINE_MS } from "../agent/cri-error";
import { BIN_DIR, MULTUS_CACHE_DIR, QUARANTINE_DIR, RESULTS_DIR, type FileRecord } from "./model/files";
import type { NodeModel } from "./model/node";
import { noAnswer, sandboxReading } from "./pages/agent-report";

/** What a node action of an agent does to a node that is a model: the same calls, and what comes of them is the model's affair. */
export const modelSite = (node: NodeModel): Site => ({
  files: modelFiles(node),
  withRuntime: (work) => work(modelRuntime(node)),
  monotonicMs: () => node.engine.nowMs,
});

/** In the model's time: a call is answered while the model moves on. */
function modelRuntime({ runtime, engine }: NodeModel): SandboxRuntime {
  const after = (ms: number): Promise<void> => new Promise((resolve) => void engine.after(ms, () => resolve()));
  return {
    list: async (id) => {
      if (runtime.frozen) {
        await after(CRI_DEADLINE_MS);
        throw new Error(noAnswer("ListPodSandbox").reason);
      }
      return [...runtime.sandboxes.values()].filter((one) => id === undefined || one.id === id).map(sandboxReading);
    },
    stop: async (id, withinMs) => {
      const sandbox = runtime.sandboxes.get(id);
      if (sandbox === undefined) return; // whoever has taken it meanwhile did what was wanted
      const error = await new Promise<string | undefined>((resolve) => runtime.stop(sandbox, withinMs, resolve));
      if (error !== undefined) throw new Error(`StopPodSandbox failed: ${error}`);
    },
    remove: async (id) => {
      const sandbox = runtime.sandboxes.get(id);
      if (sandbox !== undefined) await new Promise<void>((resolve) => runtime.remove(sandbox, () => resolve()));
    },
  };
}

type Held = FileRecord & { readonly sizeBytes?: number; readonly bytes?: number };

const sizeOf = ({ sizeBytes, bytes }: Held): number => sizeBytes ?? bytes ?? 0;

/** The folders of the model that actions reach, each a map of its files by name. */
function modelFiles({ files, cni, host }: NodeModel): HostFiles {
  const folders: Readonly<Record<string, Map<string, Held>>> = { [BIN_DIR]: files.bin, [RESULTS_DIR]: files.results, [MULTUS_CACHE_DIR]: files.multusCache, [QUARANTINE_DIR]: files.quarantine } as Record<string, Map<string, Held>>; // what is put into one came out of one of its kind
  const at = (path: string): { readonly folder: Map<string, Held> | undefined; readonly name: string } => {
    const slash = path.lastIndexOf("/");
    return { folder: folders[path.slice(0, slash)], name: path.slice(slash + 1) };
  };
  const held = (path: string): Held | undefined => {
    const { folder, name } = at(path);
    return folder?.get(name);
  };
  const there = (path: string): Held => {
    const file = held(path);
    if (file === undefined) throw coded("ENOENT");
    return file;
  };
  const put = (path: string, file: Held): void => {
    const { folder, name } = at(path);
    if (folder === undefined) throw coded("ENOENT");
    folder.set(name, file);
  };
  const take = (path: string): void => void at(path).folder?.delete(at(path).name);
  const names = (inode: number): number => Object.values(folders).reduce((sum, folder) => sum + [...folder.values()].filter((one) => one.inode === inode).length, 0);

  return {
    names: (dir) => Promise.resolve([...(folders[dir]?.keys() ?? [])]),
    look: (path) => {
      const file = held(path);
      return Promise.resolve(file === undefined ? undefined : ({ kind: "file", identity: String(file.inode), sizeBytes: sizeOf(file), names: names(file.inode), modifiedMs: file.modifiedMs } satisfies Entry));
    },
    read: async (path) => {
      const sizeBytes = sizeOf(there(path));
      return { sizeBytes, text: sizeBytes === 0 ? "" : "{}" };
    },
    unwritable: (dir) => Promise.resolve(dir === BIN_DIR && host.binDirReadOnly ? `the agent may not write to ${dir} (EROFS): its mount has to be writable` : undefined),
    makeFolder: () => Promise.resolve(),
    link: async (from, to) => {
      if (held(to) !== undefined) throw coded("EEXIST");
      put(to, there(from));
    },
    rename: async (from, to) => {
      put(to, there(from));
      take(from);
    },
    unlink: async (path) => {
      there(path);
      take(path);
    },
    holders: ({ identity }) => Promise.resolve({ pids: [...cni.shims.values()].flatMap(({ pid, inode }) => (String(inode) === identity ? [String(pid)] : [])), unseen: 0 }),
  };
}

const coded = (code: string): Error => Object.assign(new Error(code), { code });
