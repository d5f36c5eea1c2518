import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statfsSync } from "node:fs";
import path from "node:path";
import { makeFolder } from "../make-folder";
import { StoreError } from "./errors";
import type { Db } from "./sqlite/connection";

/** Older ones of the same data file are removed. */
export const BACKUPS_KEPT = 3;
/** Left free beside a backup. */
const SPARE_BYTES = 16 * 1024 * 1024;
const PARTIAL = ".partial";

/** A whole, compact copy in `backups/` beside the data file, made while it is in use. Returns its path. */
export function makeBackup(db: Db, file: string, nowMs: number, label: string): string {
  const folder = path.join(path.dirname(file), "backups");
  const base = path.basename(file, ".db");
  const target = path.join(folder, `${base}.${new Date(nowMs).toISOString().replaceAll(/[-:]/g, "")}.${label}.db`);
  const partial = target + PARTIAL;
  try {
    makeFolder(folder);
    for (const name of readdirSync(folder)) if (name.startsWith(`${base}.`) && name.endsWith(PARTIAL)) rmSync(path.join(folder, name));
    const bytes = Number(db.pragma("page_count", { simple: true })) * Number(db.pragma("page_size", { simple: true }));
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < bytes + SPARE_BYTES)
      throw new StoreError("no-space", `A backup of ${file} needs ${megabytes(bytes + SPARE_BYTES)} MB in ${folder}, where ${megabytes(bavail * bsize)} MB are free: make room and start again.`);
    db.prepare("VACUUM INTO ?").run(partial);
    sync(partial); // VACUUM INTO leaves that to the system
    renameSync(partial, target);
    sync(folder);
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError("backup-failed", `The backup of ${file} to ${target} failed: ${cause instanceof Error ? cause.message : String(cause)}. Nothing was changed.`, { cause });
  }
  for (const old of listBackups(file).slice(BACKUPS_KEPT)) rmSync(old, { force: true });
  return target;
}

/** Newest first. */
export function listBackups(file: string): readonly string[] {
  const folder = path.join(path.dirname(file), "backups");
  const base = `${path.basename(file, ".db")}.`;
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith(base) && name.endsWith(".db"))
      .sort()
      .reverse()
      .map((name) => path.join(folder, name));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);

function sync(target: string): void {
  const handle = openSync(target, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
