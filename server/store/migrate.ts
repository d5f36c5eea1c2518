import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { StoreError } from "./errors";
import type { Db } from "./sqlite/connection";

/** Prisma's own history table, so that its commands agree with what was applied here. */
const HISTORY = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
)`;

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Every `<dir>/<name>/migration.sql`, in the order of their names, which start with a time. */
export function readMigrations(dir: string): readonly Migration[] {
  if (!existsSync(dir)) throw new StoreError("migration-failed", `The folder of migrations ${dir} does not exist: this copy of Sandglass is not complete.`);
  return readdirSync(dir)
    .sort()
    .flatMap((name) => {
      const file = path.join(dir, name, "migration.sql");
      if (!existsSync(file)) return [];
      const sql = readFileSync(file, "utf8");
      return [{ name, sql, checksum: createHash("sha256").update(sql).digest("hex") }];
    });
}

const hasTable = (db: Db, name: string): boolean => db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;

/** What is still to be applied. Throws where the file is of a newer Sandglass, not ours at all, or where an applied migration was edited since. */
export function pendingMigrations(db: Db, migrations: readonly Migration[], file: string): readonly Migration[] {
  if (!hasTable(db, "_prisma_migrations")) {
    const tables = db.prepare<[], number>("SELECT count(*) FROM sqlite_schema").pluck().get() ?? 0;
    if (tables > 0) throw new StoreError("not-a-data-file", `${file} is a SQLite file, but not one of Sandglass: choose another data folder.`);
    return migrations;
  }
  const applied = new Map(
    db
      .prepare<[], { name: string; checksum: string }>("SELECT migration_name AS name, checksum FROM _prisma_migrations WHERE rolled_back_at IS NULL AND finished_at IS NOT NULL")
      .all()
      .map((row) => [row.name, row.checksum]),
  );
  const known = new Set(migrations.map((migration) => migration.name));
  const newer = [...applied.keys()].filter((name) => !known.has(name)).sort();
  if (newer.length > 0)
    throw new StoreError("newer-schema", `The data file ${file} was written by a newer Sandglass (it has the migration ${newer.at(-1)}). Start that version, or restore a backup made before it.`);
  for (const migration of migrations) {
    const checksum = applied.get(migration.name);
    if (checksum !== undefined && checksum !== migration.checksum)
      throw new StoreError("changed-migration", `The migration ${migration.name} is not the one that was applied to ${file}: this copy of Sandglass was altered.`);
  }
  return migrations.filter((migration) => !applied.has(migration.name));
}

/** All of them in one transaction: either the file is at the new schema or it is as it was. */
export function applyMigrations(db: Db, pending: readonly Migration[], file: string, nowMs: number): void {
  const at = new Date(nowMs).toISOString().replace("Z", "+00:00");
  const foreignKeys = db.pragma("foreign_keys", { simple: true });
  db.pragma("foreign_keys = OFF"); // does nothing inside a transaction, so it is switched before and checked inside
  let current = "";
  try {
    db.transaction(() => {
      db.exec(HISTORY);
      const record = db.prepare("INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count) VALUES (?, ?, ?, ?, ?, 1)");
      for (const { name, sql, checksum } of pending) {
        current = name;
        db.exec(sql);
        record.run(randomUUID(), checksum, name, at, at);
      }
      const broken = db.pragma("foreign_key_check");
      if (Array.isArray(broken) && broken.length > 0) throw new Error(`${broken.length} rows refer to rows that are not there`);
    }).immediate();
  } catch (cause) {
    throw new StoreError("migration-failed", `The migration ${current} of ${file} failed and was taken back: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
  } finally {
    db.pragma(`foreign_keys = ${foreignKeys === 1 ? "ON" : "OFF"}`);
  }
}
