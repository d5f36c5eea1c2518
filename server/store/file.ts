import { createHash } from "node:crypto";
import { existsSync, statfsSync, statSync } from "node:fs";
import path from "node:path";
import { makeFolder } from "../make-folder";
import { makeBackup } from "./backup";
import { isDamaged, StoreError, toUnwritable } from "./errors";
import { lockFile } from "./lock";
import { applyMigrations, pendingMigrations, readMigrations, type Migration } from "./migrate";
import { isOldSqlite, MIN_SQLITE_VERSION, openWritable, sqliteVersion, type Db } from "./sqlite/connection";
import { openForReading, unreadable } from "./sqlite/open-reading";

export interface PreparedFile {
  readonly file: string;
  /** False: the file is there and can be read, but not written; `reason` says why. */
  readonly writable: boolean;
  readonly reason?: string;
  /** Names of the migrations that were applied just now. */
  readonly migrated: readonly string[];
  /** Made before migrating. */
  readonly backup?: string;
  /** Sentences that are worth a line at start: a network file system, a read-only folder. */
  readonly warnings: readonly string[];
}

export interface PrepareOptions {
  readonly dataDir: string;
  readonly clusterUid: string;
  readonly simulated: boolean;
  readonly nowMs: number;
  /** Where `<stamp>_<name>/migration.sql` lie: `prisma/migrations` of the project, or its copy in an image. */
  readonly migrationsDir: string;
}

/** Finds or makes the data file of one cluster and brings it to this version's schema. Every failure is a StoreError with a sentence. */
export function prepareFile(options: PrepareOptions): PreparedFile {
  const version = sqliteVersion();
  if (isOldSqlite(version))
    throw new StoreError("sqlite-too-old", `SQLite ${version} can damage a file that two processes use; Sandglass needs ${MIN_SQLITE_VERSION.join(".")} or newer: install its dependencies anew.`);
  const migrations = readMigrations(options.migrationsDir);
  const file = path.join(path.resolve(options.dataDir), dataFileName(options));
  makeDataFolder(path.dirname(file));
  const warnings = fileSystemWarnings(path.dirname(file));

  // Opening a pipe waits for its other end for ever.
  if (existsSync(file) && !statSync(file).isFile()) throw new StoreError("not-a-data-file", `${file} is no file, but that is where the data of this cluster belongs: move it away, or choose another folder with --data.`);
  const pending = existsSync(file) ? peek(file, migrations, options.clusterUid) : migrations;
  if (pending.length > 0) {
    const done = bringUp(file, migrations, options);
    return { file, writable: true, migrated: done.migrated, ...(done.backup === undefined ? {} : { backup: done.backup }), warnings };
  }
  const reason = whyUnwritable(file);
  if (reason !== undefined) warnings.push(`${reason} What it holds is served; nothing new is kept.`);
  return { file, writable: reason === undefined, ...(reason === undefined ? {} : { reason }), migrated: [], warnings };
}

const SAFE_NAME_CHARS = 64;

/** One file a cluster. A name that had to be bent gets a piece of its hash, so that two clusters never share one. */
export function dataFileName({ clusterUid, simulated }: { readonly clusterUid: string; readonly simulated: boolean }): string {
  if (clusterUid === "") throw new StoreError("not-writable", "The cluster has no identity (the uid of its kube-system namespace is empty), so no data file can be named after it.");
  const safe = clusterUid.replaceAll(/[^A-Za-z0-9-]+/g, "-").slice(0, SAFE_NAME_CHARS);
  const suffix = safe === clusterUid ? "" : `-${createHash("sha256").update(clusterUid).digest("hex").slice(0, 8)}`;
  return `${simulated ? "simulated" : "cluster"}-${safe}${suffix}.db`;
}

function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    const why =
      code === "EEXIST" || code === "ENOTDIR" ? "a file of that name is in the way" : code === "ENOSPC" ? "the disk is full" : code === "EROFS" ? "the file system is read-only" : code === "EACCES" || code === "EPERM" ? "this user may not" : code;
    throw new StoreError(code === "ENOSPC" ? "no-space" : "not-writable", `The data folder ${folder} cannot be made: ${why}. Choose another with --data.`, { cause });
  }
}

/** Magic numbers of statfs(2) for file systems on which SQLite's locks or its shared memory do not hold. */
const NETWORK_FILE_SYSTEMS: Readonly<Record<number, string>> = { 0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x01021997: "9p", 0x00c36400: "Ceph", 0x47504653: "GPFS", 0x0bd00bd0: "Lustre" };

function fileSystemWarnings(folder: string): string[] {
  const kind = NETWORK_FILE_SYSTEMS[statfsSync(folder).type >>> 0];
  return kind === undefined ? [] : [`The data folder ${folder} lies on ${kind}: SQLite's locks do not hold there and the file can be damaged. Use a local disk or a block volume.`];
}

function peek(file: string, migrations: readonly Migration[], clusterUid: string): readonly Migration[] {
  const reading = openForReading(file);
  try {
    const pending = pendingMigrations(reading.db, migrations, file);
    if (pending.length < migrations.length) requireCluster(reading.db, file, clusterUid);
    return pending;
  } catch (cause) {
    throw isDamaged(cause) ? unreadable(file, cause) : cause;
  } finally {
    reading.close();
  }
}

/** A file that was renamed or restored under another cluster's name would mix two clusters' nodes. */
function requireCluster(db: Db, file: string, clusterUid: string): void {
  const found = db.prepare<[], string>("SELECT value FROM meta WHERE key = 'cluster_uid'").pluck().get();
  if (found !== undefined && found !== clusterUid)
    throw new StoreError("wrong-cluster", `The data file ${file} belongs to the cluster ${found}, not to ${clusterUid}: it was renamed or restored under a wrong name.`);
}

function bringUp(file: string, migrations: readonly Migration[], options: PrepareOptions): { readonly migrated: readonly string[]; readonly backup?: string } {
  const lock = lockFile(file, options.nowMs);
  try {
    const db = openNew(file);
    try {
      const pending = pendingMigrations(db, migrations, file); // again, now that nobody else can be at it
      if (pending.length === 0) return { migrated: [] };
      const backup = pending.length < migrations.length ? makeBackup(db, file, options.nowMs, `before-${pending[0]?.name ?? ""}`) : undefined;
      applyMigrations(db, pending, file, options.nowMs);
      db.prepare("INSERT INTO meta (key, value) VALUES ('cluster_uid', ?) ON CONFLICT (key) DO NOTHING").run(options.clusterUid);
      return { migrated: pending.map((migration) => migration.name), ...(backup === undefined ? {} : { backup }) };
    } finally {
      db.close();
    }
  } finally {
    lock.release();
  }
}

function openNew(file: string): Db {
  try {
    return openWritable(file, { mustExist: false });
  } catch (cause) {
    throw notWritable(file, cause);
  }
}

function notWritable(file: string, cause: unknown): StoreError {
  const unwritable = toUnwritable(cause, file);
  if (unwritable?.reason === "full") return new StoreError("no-space", unwritable.message, { cause });
  return new StoreError("not-writable", unwritable?.message ?? `The data file ${file} cannot be opened: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
}

function whyUnwritable(file: string): string | undefined {
  let db: Db | undefined;
  try {
    db = openWritable(file, { mustExist: true });
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
    return undefined;
  } catch (error) {
    const unwritable = toUnwritable(error, file);
    if (unwritable === undefined) throw error;
    return unwritable.reason === "busy" ? undefined : unwritable.message; // busy: somebody is writing, so it can be written
  } finally {
    db?.close();
  }
}
