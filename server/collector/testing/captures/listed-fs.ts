import type { Dirent, Stats } from "node:fs";
import type { HostFs, Stamp } from "../../../agent/host-fs";
import type { ListedEntry, Listing } from "./listing";

/** A listed node as the agent's readers see a real one: names, sizes, rights, times and inodes as they were listed. */
export function listedFs({ folders, contents }: Listing): HostFs {
  const entryAt = (file: string): ListedEntry | undefined => {
    const cut = file.lastIndexOf("/");
    return folders.get(file.slice(0, cut))?.find(({ name }) => name === file.slice(cut + 1));
  };
  const stampAt = (file: string): Stamp | undefined => {
    const entry = entryAt(file);
    if (entry === undefined) return undefined;
    const { inode, kind, sizeBytes, mode, modifiedMs } = entry;
    return { inode, kind, links: 1, sizeBytes, mode, owner: "0:0", modifiedMs, changedMs: modifiedMs, key: `${inode} ${String(sizeBytes)} ${String(modifiedMs)}` };
  };
  const fs = {
    resolve: (file: string) => Promise.resolve(file),
    real: (file: string) => Promise.resolve(folders.has(file) || entryAt(file) !== undefined ? file : undefined),
    stat: (file: string) => Promise.resolve(statOf(folders.has(file) ? "directory" : entryAt(file)?.kind, entryAt(file))),
    stamp: (file: string) => Promise.resolve(stampAt(file)),
    list: (folder: string) => Promise.resolve(folders.get(folder)?.map(({ name, kind }) => ({ name, isDirectory: () => kind === "directory" }) as Dirent)), // the two that the readers use
    read: (file: string) => Promise.resolve(contents.has(file) ? Buffer.from(contents.get(file) ?? "") : undefined),
  };
  return fs;
}

function statOf(kind: ListedEntry["kind"] | undefined, entry: ListedEntry | undefined): Stats | undefined {
  if (kind === undefined) return undefined;
  const facts = { size: entry?.sizeBytes ?? 0, mode: entry?.mode ?? 0o755, isFile: () => kind === "file", isDirectory: () => kind === "directory" };
  return facts as unknown as Stats; // what the readers use of it
}
