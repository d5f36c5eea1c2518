import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { StoreUnwritable } from "./types";

export type StoreErrorCode =
  | "not-writable"
  | "no-space"
  | "locked"
  | "lock-failed"
  | "sqlite-too-old"
  | "newer-schema"
  | "changed-migration"
  | "migration-failed"
  | "backup-failed"
  | "not-a-data-file"
  | "wrong-cluster"
  | "unreadable"
  | "missing"
  | "busy"
  | "too-many";

/** What the store says to a person: one sentence with what is wrong and what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  constructor(
    readonly code: StoreErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A file system with less room than this cannot take one more page of the log and its index. */
const FULL_BELOW_BYTES = 64 * 1024;

/** SQLite's own code, also from within what Prisma makes of it. */
function sqliteCode(error: unknown): string | undefined {
  if (error instanceof Database.SqliteError) return error.code;
  if (!(error instanceof Error)) return undefined;
  const meta = "meta" in error ? property(error.meta, "driverAdapterError") : undefined;
  const code = property(error.cause, "originalCode") ?? property(property(meta, "cause"), "originalCode");
  return typeof code === "string" ? code : undefined;
}

const property = (value: unknown, name: string): unknown => (typeof value === "object" && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined); // `in` has just shown it

/** The file itself is broken; no waiting and no room mends it. */
export const isDamaged = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error) ?? "");

export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(error) ?? "");

/** Why nothing can be written, or `undefined` where the error is a fault of ours (a broken constraint, bad SQL). */
export function toUnwritable(error: unknown, file: string): StoreUnwritable | undefined {
  if (error instanceof StoreUnwritable) return error;
  const code = sqliteCode(error) ?? (error instanceof Error && "code" in error ? String(error.code) : "");
  const text = error instanceof Error ? error.message : String(error);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return new StoreUnwritable("busy", `The data file ${file} is held by another process.`, { cause: error });
  if (code === "SQLITE_FULL" || code === "ENOSPC" || code === "EDQUOT") return full(file, error);
  if (/^SQLITE_(READONLY|PERM)/.test(code) || code === "EROFS" || code === "EACCES" || code === "EPERM")
    return readOnly(file, error);
  if (/^SQLITE_(IOERR|CANTOPEN|NOLFS|CORRUPT|NOTADB)/.test(code)) {
    // Growing the shared-memory index or a temporary file fails as an I/O error, not as "full".
    if (isFull(file)) return full(file, error);
    if (isReadOnly(file)) return readOnly(file, error);
    return new StoreUnwritable("failed", `The data file ${file} cannot be written (${code}: ${text}).`, { cause: error });
  }
  return undefined;
}

const full = (file: string, cause: unknown): StoreUnwritable =>
  new StoreUnwritable("full", `The disk under ${path.dirname(file)} is full: make room, and writing goes on by itself.`, { cause });

const readOnly = (file: string, cause: unknown): StoreUnwritable =>
  new StoreUnwritable("read-only", `The data file ${file} or its folder is read-only: make both writable for this user.`, { cause });

function isReadOnly(file: string): boolean {
  try {
    accessSync(path.dirname(file), constants.W_OK);
    if (existsSync(file)) accessSync(file, constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && /^(EACCES|EPERM|EROFS)$/.test(String(error.code));
  }
}

function isFull(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path.dirname(file));
    return bavail * bsize < FULL_BELOW_BYTES;
  } catch {
    return false; // the folder itself is out of reach; the first error says more than this one
  }
}
