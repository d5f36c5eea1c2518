import { copyFileSync, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { StoreError } from "../errors";
import { openReadable, type Db } from "./connection";

export interface Reading {
  readonly db: Db;
  /** Why a copy is read and not the file itself; then nothing that is written later shows. */
  readonly copyReason?: string;
  close(): void;
}

const COPY_PREFIX = "sandglass-copy-";

/**
 * Opens a data file that another process may be writing. Where its folder is read-only or its disk full, SQLite cannot
 * make the index of the log, and refuses; then the file and its log are copied to a temporary folder and read there.
 */
export function openForReading(file: string): Reading {
  if (!existsSync(file)) throw new StoreError("missing", `There is no data file ${file} yet: start the collector first.`);
  try {
    const db = openReadable(file);
    return { db, close: () => db.close() };
  } catch (cause) {
    if (!needsCopy(cause)) throw unreadable(file, cause);
    return openCopy(file, cause);
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");
const needsCopy = (error: unknown): boolean => /^SQLITE_(CANTOPEN|READONLY|IOERR)/.test(codeOf(error));

/** A sentence for a file that opened, or did not, and cannot be read. */
export function unreadable(file: string, cause: unknown): StoreError {
  const code = codeOf(cause);
  if (code.startsWith("SQLITE_BUSY")) return new StoreError("busy", `The data file ${file} is being recovered by another process: try again in a moment.`, { cause });
  if (code === "SQLITE_NOTADB") return new StoreError("not-a-data-file", `${file} is not a data file of Sandglass: choose another data folder, or restore a backup.`, { cause });
  if (code.startsWith("SQLITE_CORRUPT")) return new StoreError("unreadable", `The data file ${file} is damaged: restore a backup, or move it away to start a new one.`, { cause });
  return new StoreError("unreadable", `The data file ${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
}

function openCopy(file: string, reason: unknown): Reading {
  removeAbandonedCopies();
  let folder: string | undefined;
  try {
    folder = mkdtempSync(path.join(tmpdir(), `${COPY_PREFIX}${process.pid}-`));
    const copy = path.join(folder, path.basename(file));
    copyFileSync(file, copy);
    if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`);
    const db = openReadable(copy);
    const made = folder;
    return {
      db,
      copyReason: `Nothing can be written beside ${file} (read-only or full), so a copy of it is read, and what comes later does not show (${reason instanceof Error ? reason.message : String(reason)}).`,
      close: () => {
        db.close();
        rmSync(made, { recursive: true, force: true });
      },
    };
  } catch (cause) {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    throw unreadable(file, cause);
  }
}

/** A killed process cannot remove its copy; the next one of the same user that makes a copy does. Those of others are not ours, and in their way nobody's file may become unreadable. */
function removeAbandonedCopies(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(COPY_PREFIX) ? Number(name.slice(COPY_PREFIX.length).split("-")[0]) : Number.NaN;
    const folder = path.join(tmpdir(), name);
    if (!Number.isInteger(pid) || isAlive(pid) || lstatSync(folder, { throwIfNoEntry: false })?.uid !== process.getuid?.()) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}
