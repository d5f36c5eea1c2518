import { constants, type BigIntStats, type Dirent, type Stats } from "node:fs";
import { lstat, open, readdir, readlink, realpath, stat, type FileHandle } from "node:fs/promises";

/**
 * The node's files as the node sees them, also when its root is mounted elsewhere in the agent's pod: absolute symbolic
 * links then lead inside that mount, and never out of it.
 */
export interface HostFs {
  /** The path on this side of a path on the node, links followed. The last part may be absent. Throws where links loop. */
  resolve(path: string): Promise<string>;
  /** The node's own path of what a path leads to, with no link in it; undefined where nothing is there. */
  real(path: string): Promise<string | undefined>;
  /** State of what the path leads to; undefined where nothing is there. */
  stat(path: string): Promise<Stats | undefined>;
  /** Identity and age of what the path leads to; undefined where nothing is there. */
  stamp(path: string): Promise<Stamp | undefined>;
  /** Entries of a folder; undefined where there is none. */
  list(path: string): Promise<readonly Dirent[] | undefined>;
  /** A regular file of at most `maxBytes`; undefined where there is none. Never waits for a pipe. */
  read(path: string, maxBytes: number): Promise<Buffer | undefined>;
}

export interface Stamp {
  /** "8:1/11043286": device and inode. */
  readonly inode: string;
  readonly kind: "socket" | "file" | "directory" | "other";
  /** 0: something still holds it, and no path leads to it any more. */
  readonly links: number;
  readonly sizeBytes: number;
  readonly mode: number;
  /** "0:0": numbers of user and group. */
  readonly owner: string;
  readonly modifiedMs: number;
  /** When it was written, renamed or given other rights. */
  readonly changedMs: number;
  /** The same as long as nobody wrote to it or put something else in its place. */
  readonly key: string;
}

export class HostFileError extends Error {
  override name = "HostFileError";
}

const MAX_LINKS = 40;

export const isAbsent = (error: unknown): boolean => codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";

export function codeOf(error: unknown): string | undefined {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** A short reason for a person: the system's code where there is one. */
export const reasonOf = (error: unknown): string => codeOf(error) ?? (error instanceof Error ? error.message : String(error));

/** An opened file that had `sizeBytes` a moment ago; undefined where it has more by now. */
export async function readWhole(file: FileHandle, sizeBytes: number): Promise<Buffer | undefined> {
  const buffer = Buffer.alloc(sizeBytes + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0) return buffer.subarray(0, length);
    if (length > sizeBytes) return undefined;
  }
}

export function hostFs(root: string): HostFs {
  const resolve = async (path: string): Promise<string> => {
    if (root === "") return path; // the kernel follows links itself
    const todo = path.split("/").filter((part) => part !== "" && part !== ".").reverse();
    const done: string[] = [];
    let links = 0;
    for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
      if (part === "..") {
        done.pop();
        continue;
      }
      const target = await linkTarget(`${root}/${[...done, part].join("/")}`);
      if (target === undefined) {
        done.push(part);
        continue;
      }
      links += 1;
      if (links > MAX_LINKS) throw new HostFileError(`${path}: more than ${String(MAX_LINKS)} symbolic links`);
      if (target.startsWith("/")) done.length = 0;
      todo.push(...target.split("/").filter((piece) => piece !== "" && piece !== ".").reverse());
    }
    return `${root}/${done.join("/")}`;
  };
  return {
    resolve,
    real: async (path) => {
      try {
        if (root === "") return await realpath(path);
        const here = await resolve(path);
        await lstat(here);
        return here.slice(root.length);
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },
    stat: async (path) => {
      try {
        return await stat(await resolve(path));
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },
    stamp: async (path) => {
      try {
        return stampOf(await stat(await resolve(path), { bigint: true }));
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },
    list: async (path) => {
      try {
        return await readdir(await resolve(path), { withFileTypes: true });
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },
    read: async (path, maxBytes) => {
      let file;
      try {
        file = await open(await resolve(path), constants.O_RDONLY | constants.O_NONBLOCK);
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
      try {
        const { size } = await regular(file, path);
        if (size > maxBytes) throw new HostFileError(`${String(size)} bytes, more than the ${String(maxBytes)} that are read`);
        const bytes = await readWhole(file, size);
        if (bytes === undefined) throw new HostFileError("grew while it was read");
        return bytes;
      } finally {
        await file.close();
      }
    },
  };
}

const NANOSECONDS_PER_MS = 1_000_000n;

/** Whole numbers throughout: an inode or a time in nanoseconds does not fit into a double. */
export function stampOf(found: BigIntStats): Stamp {
  return {
    inode: `${deviceText(found.dev)}/${String(found.ino)}`,
    kind: found.isSocket() ? "socket" : found.isFile() ? "file" : found.isDirectory() ? "directory" : "other",
    links: Number(found.nlink),
    sizeBytes: Number(found.size),
    mode: Number(found.mode),
    owner: `${String(found.uid)}:${String(found.gid)}`,
    modifiedMs: Number(found.mtimeNs / NANOSECONDS_PER_MS),
    changedMs: Number(found.ctimeNs / NANOSECONDS_PER_MS),
    key: [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" "),
  };
}

/** "8:1" out of a device number as Linux packs it; the same that mountinfo shows for file systems with one device. */
export function deviceText(dev: bigint): string {
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn & 0xffffffffn);
  return `${String(major)}:${String(minor)}`;
}

async function regular(file: { stat(): Promise<Stats> }, path: string): Promise<Stats> {
  const found = await file.stat();
  if (!found.isFile()) throw new HostFileError(`${path} is ${kindOf(found)}, not a file`);
  return found;
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    const found = await lstat(path);
    return found.isSymbolicLink() ? await readlink(path) : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined; // whoever uses the path will see that it is absent
    throw error;
  }
}

/** For messages. */
export const KIND_WORDS: Readonly<Record<Stamp["kind"], string>> = { file: "a file", directory: "a folder", socket: "a socket", other: "a pipe or device" };

function kindOf(found: Stats): string {
  if (found.isFile()) return "a file";
  if (found.isDirectory()) return "a folder";
  if (found.isSocket()) return "a socket";
  if (found.isFIFO()) return "a pipe";
  return "a device";
}
