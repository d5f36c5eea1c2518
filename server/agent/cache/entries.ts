import { isAbsent, type HostFs, type Stamp } from "../host-fs";

/** One entry of a cache folder. */
export interface Entry<T> {
  readonly name: string;
  readonly stamp: Stamp;
  /** What was made of its text; undefined where it is broken. */
  readonly value: T | undefined;
}

export interface Entries<T> {
  readonly items: readonly Entry<T>[];
  /** All of them, looked at or not. */
  readonly count: number;
}

export interface EntryReader<T> {
  /** Undefined where there is no such folder. */
  read(dir: string): Promise<Entries<T> | undefined>;
}

/** Entries of one folder that are looked at. A folder that leaks holds tens of thousands. */
export const MAX_ENTRIES = 4_096;
const MAX_ENTRY_BYTES = 256 * 1024;
/** A folder that did not change is gone through again only this often: an entry can be written without its folder changing. */
const REREAD_ROUNDS = 8;
/** Written so lately that its writer may still be at it. */
const SETTLED_MS = 2_000;

/**
 * Reads an entry again only when it was written or replaced, and goes through a folder only when it changed. `parse` gives undefined for a
 * text that is broken; `isEntry` passes over other files.
 */
export function entryReader<T>(fs: HostFs, clockMs: () => number, isEntry: (name: string) => boolean, parse: (text: string) => T | undefined): EntryReader<T> {
  const folders = new Map<string, { readonly key: string; readonly round: number; readonly entries: Entries<T> }>();
  const rounds = new Map<string, number>();

  return {
    read: async (dir) => {
      const round = (rounds.get(dir) ?? -1) + 1;
      rounds.set(dir, round);
      const stamp = await fs.stamp(dir);
      const before = folders.get(dir);
      if (stamp !== undefined && before?.key === stamp.key && round - before.round < REREAD_ROUNDS) return before.entries;
      const listed = stamp === undefined ? undefined : await fs.list(dir);
      if (stamp === undefined || listed === undefined) {
        folders.delete(dir);
        rounds.delete(dir);
        return undefined;
      }
      const known = new Map(before?.entries.items.map((entry) => [entry.name, entry]));
      const names = listed.filter((entry) => !entry.isDirectory() && isEntry(entry.name)).map(({ name }) => name);
      const items: Entry<T>[] = [];
      for (const name of names.slice(0, MAX_ENTRIES)) {
        const entry = await readEntry(`${dir}/${name}`, name, known.get(name));
        if (entry !== undefined) items.push(entry);
      }
      const entries = { items, count: names.length };
      // A folder that changed within the clock's own grain may change again without its time telling.
      if (clockMs() - stamp.changedMs > SETTLED_MS) folders.set(dir, { key: stamp.key, round, entries });
      else folders.set(dir, { key: "", round, entries });
      return entries;
    },
  };

  /** Undefined where it went away, or is being written right now. */
  async function readEntry(path: string, name: string, before: Entry<T> | undefined): Promise<Entry<T> | undefined> {
    try {
      const stamp = await fs.stamp(path);
      if (stamp === undefined) return undefined;
      if (before?.stamp.key === stamp.key) return before;
      const value = stamp.kind !== "file" || stamp.sizeBytes === 0 || stamp.sizeBytes > MAX_ENTRY_BYTES ? undefined : parse((await fs.read(path, MAX_ENTRY_BYTES))?.toString("utf8") ?? "");
      if (value === undefined && clockMs() - stamp.changedMs < SETTLED_MS) return undefined;
      return { name, stamp, value };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }
}
