import Database from "better-sqlite3";

export type Db = Database.Database;
export type Statement<In extends unknown[], Out = unknown> = Database.Statement<In, Out>;

/** A waiting statement blocks the whole event loop, so it gives up soon; whoever can wait tries again later. */
export const BUSY_TIMEOUT_MS = 100;
export const CACHE_KIB = 16_000;
/**
 * The log is carried over into the file at this many pages, 64 MB. A batch touches one page a series and the next batch
 * the same ones again, so a log that holds several batches saves writing most of them to the file.
 */
export const LOG_PAGES = 16_000;
/** The log's file shrinks to this after it was carried over. */
const LOG_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;

/** Opens the data file for writing, and makes it where it does not exist. */
export function openWritable(file: string, options: { readonly mustExist: boolean }): Db {
  const db = new Database(file, { fileMustExist: options.mustExist, timeout: BUSY_TIMEOUT_MS });
  try {
    db.pragma("auto_vacuum = INCREMENTAL"); // counts only while the file has no table yet
    if (db.pragma("journal_mode", { simple: true }) !== "wal") db.pragma("journal_mode = WAL");
    db.pragma("synchronous = NORMAL");
    db.pragma("foreign_keys = ON");
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
    db.pragma(`journal_size_limit = ${LOG_SIZE_LIMIT_BYTES}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A connection that cannot write, whatever is asked of it. The first read shows whether the file can be read at all. */
export function openReadable(file: string): Db {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    db.pragma("query_only = ON");
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Below it two connections can damage a log while one of them starts it anew (the WAL-reset bug, mended in 3.51.3). */
export const MIN_SQLITE_VERSION = [3, 51, 3] as const;

export function sqliteVersion(): string {
  const db = new Database(":memory:");
  try {
    return String(db.prepare("SELECT sqlite_version()").pluck().get());
  } finally {
    db.close();
  }
}

export function isOldSqlite(version: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, least] of MIN_SQLITE_VERSION.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return !(part > least);
  }
  return false;
}
