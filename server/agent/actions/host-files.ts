import { constants } from "node:fs";
import { access, link, lstat, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { codeOf, hostFs, isAbsent, readWhole, reasonOf } from "../host-fs";
import { procRoot } from "../proc/proc-files";

/** What stands at a path. */
export interface Entry {
  readonly kind: "file" | "link" | "other";
  /** Device and inode: the same object has the same, whatever it is called. */
  readonly identity: string;
  readonly sizeBytes: number;
  /** Under how many names it is there. */
  readonly names: number;
  readonly modifiedMs: number;
}

/** The few things that node actions do to files of the node. Paths are the node's own; of each the last part is never followed. */
export interface HostFiles {
  /** Names in a folder, without those of folders; none where it is not there. */
  names(dir: string): Promise<readonly string[]>;
  /** Undefined where nothing stands there. */
  look(path: string): Promise<Entry | undefined>;
  /** Undefined where nothing stands there. `text` is absent where the file is longer than `maxBytes` or grew while it was read. Never waits for a pipe. */
  read(path: string, maxBytes: number): Promise<{ readonly sizeBytes: number; readonly text?: string } | undefined>;
  /** Why the agent can change nothing in this folder; undefined where it can. */
  unwritable(dir: string): Promise<string | undefined>;
  makeFolder(dir: string): Promise<void>;
  /** Fails where anything stands at `to`. */
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Processes that run this very file, and how many could not be looked at. */
  holders(file: Entry): Promise<{ readonly pids: readonly string[]; readonly unseen: number }>;
}

/** `hostRoot`: where the node's root is mounted; "" on the node itself. */
export function hostFiles(hostRoot: string): HostFiles {
  const fs = hostFs(hostRoot);
  const here = async (path: string): Promise<string> => {
    const slash = path.lastIndexOf("/");
    return `${await fs.resolve(path.slice(0, slash))}/${path.slice(slash + 1)}`;
  };
  return {
    names: async (dir) => ((await fs.list(dir)) ?? []).flatMap((entry) => (entry.isDirectory() ? [] : [entry.name])),
    look: async (path) => {
      const found = await orAbsent(lstat(await here(path), { bigint: true }));
      if (found === undefined) return undefined;
      return { kind: found.isFile() ? "file" : found.isSymbolicLink() ? "link" : "other", identity: identityOf(found), sizeBytes: Number(found.size), names: Number(found.nlink), modifiedMs: Number(found.mtimeMs) };
    },
    read: async (path, maxBytes) => {
      const file = await orAbsent(open(await here(path), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW));
      if (file === undefined) return undefined;
      try {
        const { size } = await file.stat();
        const text = size > maxBytes ? undefined : (await readWhole(file, size))?.toString("utf8");
        return { sizeBytes: size, ...(text === undefined ? {} : { text }) };
      } finally {
        await file.close();
      }
    },
    unwritable: async (dir) => {
      try {
        await access(await fs.resolve(dir), constants.W_OK);
        return undefined;
      } catch (error) {
        return `the agent may not write to ${dir} (${reasonOf(error)}): its mount has to be writable`;
      }
    },
    makeFolder: async (dir) => void (await mkdir(await fs.resolve(dir), { recursive: true, mode: 0o700 })),
    link: async (from, to) => link(await here(from), await here(to)),
    rename: async (from, to) => rename(await here(from), await here(to)),
    unlink: async (path) => unlink(await here(path)),
    holders: async ({ identity }) => {
      const root = procRoot(hostRoot);
      const pids: string[] = [];
      let unseen = 0;
      for (const pid of (await readdir(root)).filter((name) => /^\d+$/.test(name))) {
        try {
          if (identityOf(await stat(`${root}/${pid}/exe`, { bigint: true })) === identity) pids.push(pid);
        } catch (error) {
          if (!isAbsent(error) && codeOf(error) !== "ESRCH") unseen += 1; // else a kernel thread, or one that has ended
        }
      }
      return { pids, unseen };
    },
  };
}

const identityOf = ({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string => `${String(dev)}/${String(ino)}`;

async function orAbsent<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
