import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BACKUPS_KEPT, listBackups } from "./backup";
import { StoreError } from "./errors";
import { dataFileName, prepareFile, type PrepareOptions } from "./file";
import { openIngest } from "./ingest";
import { lockFile } from "./lock";
import { openReader } from "./reader";
import { isOldSqlite } from "./sqlite/connection";
import { batch, view } from "./testing/batches";
import { bundleChild, startChild } from "./testing/child";
import { MIGRATIONS_DIR, T0 } from "./testing/temp-store";

let dir: string;
let program: string;
beforeAll(async () => {
  program = await bundleChild();
});
afterAll(() => rmSync(program, { force: true }));
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "sandglass-test-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const options = (parts: Partial<PrepareOptions> = {}): PrepareOptions => ({ dataDir: path.join(dir, "data"), clusterUid: "c-1", simulated: false, nowMs: T0, migrationsDir: MIGRATIONS_DIR, ...parts });
const prepare = (parts: Partial<PrepareOptions> = {}) => prepareFile(options(parts));

function thrown(run: () => unknown): StoreError {
  try {
    run();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** The project's migrations and more of them. */
function migrationsWith(more: Readonly<Record<string, string>>): string {
  const folder = path.join(dir, "migrations");
  rmSync(folder, { recursive: true, force: true });
  cpSync(MIGRATIONS_DIR, folder, { recursive: true });
  for (const [name, sql] of Object.entries(more)) {
    mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, name, "migration.sql"), sql);
  }
  return folder;
}

function write(file: string, ...names: string[]): void {
  const ingest = openIngest({ file, nowMs: T0 });
  ingest.write(batch(T0, { views: names.map((name) => view(name)) }));
  ingest.close();
}
function namesIn(file: string): string[] {
  const reader = openReader({ file });
  try {
    return reader.fleet().rows.map((row) => row.view.name);
  } finally {
    reader.close();
  }
}

const [, ...laterMigrations] = readdirSync(MIGRATIONS_DIR).filter((name) => /^\d+_/.test(name)).sort();

describe("the data file", () => {
  it("is made with its folder, in WAL, with room that can be given back, and is found again", () => {
    const made = prepare();
    expect(made).toMatchObject({ writable: true, warnings: [], migrated: [expect.stringMatching(/_first$/), ...laterMigrations] });
    write(made.file, "a");
    expect(prepare()).toEqual({ file: made.file, writable: true, warnings: [], migrated: [] });
    expect(namesIn(made.file)).toEqual(["a"]);
    const db = new Database(made.file);
    expect([db.pragma("journal_mode", { simple: true }), db.pragma("auto_vacuum", { simple: true })]).toEqual(["wal", 2]);
    db.close();
  });

  it("is another for each cluster, and simulated ones are apart, whatever is in the identity", () => {
    const names = ["u", "U", "../u", "..-u", "a/b", "a\0b", "x".repeat(500), "x".repeat(501), "simulated:storm:1"].map((clusterUid) => dataFileName({ clusterUid, simulated: false }));
    for (const name of names) expect(name).toMatch(/^cluster-[A-Za-z0-9-]{1,80}\.db$/);
    expect(new Set(names).size).toBe(names.length);
    expect(dataFileName({ clusterUid: "u", simulated: true })).toBe("simulated-u.db");
    expect(thrown(() => dataFileName({ clusterUid: "", simulated: false })).message).toMatch(/no identity/);
  });

  it("of another cluster is refused under this one's name", () => {
    const made = prepare();
    renameSync(made.file, path.join(path.dirname(made.file), "cluster-c-2.db"));
    expect(thrown(() => prepare({ clusterUid: "c-2" }))).toMatchObject({ code: "wrong-cluster", message: expect.stringContaining("belongs to the cluster c-1") as string });
  });

  it("that is none, or not ours, is refused and left as it is", () => {
    mkdirSync(options().dataDir);
    const file = path.join(options().dataDir, dataFileName(options()));
    writeFileSync(file, "this is a text file, and long enough to have what could be a header of a hundred bytes; it is still none at all");
    expect(thrown(() => prepare()).code).toBe("not-a-data-file");
    expect(readFileSync(file, "utf8")).toMatch(/^this is a text/);
    rmSync(file);
    const other = new Database(file);
    other.exec("CREATE TABLE recipes (name TEXT)");
    other.close();
    expect(thrown(() => prepare()).code).toBe("not-a-data-file");
  });

  it("that is a pipe is refused: opening it would wait for ever", () => {
    mkdirSync(options().dataDir);
    execFileSync("mkfifo", [path.join(options().dataDir, dataFileName(options()))]);
    expect(thrown(() => prepare())).toMatchObject({ code: "not-a-data-file", message: expect.stringContaining("is no file") as string });
  });

  it.each([1, 3, 6])("that is damaged behind its first %i pages is refused in a sentence that names a backup", (pages) => {
    const { file } = prepare();
    const bytes = readFileSync(file);
    writeFileSync(file, Buffer.concat([bytes.subarray(0, pages * 4_096), Buffer.alloc(bytes.length - pages * 4_096, 0xa5)]));
    expect(thrown(() => prepare())).toMatchObject({ code: "unreadable", message: expect.stringMatching(/is damaged: restore a backup/) as string });
  });

  it("says in a sentence that a folder cannot be made", () => {
    expect(thrown(() => prepare({ dataDir: "/proc/sandglass" }))).toMatchObject({ code: "not-writable", message: expect.stringMatching(/cannot be made: /) as string });
    writeFileSync(path.join(dir, "data"), "");
    expect(thrown(() => prepare())).toMatchObject({ code: "not-writable", message: expect.stringMatching(/cannot be made: a file of that name is in the way\. Choose another with --data\.$/) as string });
  });

  it("needs a SQLite without the bug that two connections can meet", () => {
    expect(["3.7.0", "3.51.2", "3.40.1", "2.99.99"].filter(isOldSqlite)).toHaveLength(4);
    expect(["3.51.3", "3.52.0", "3.54.1", "4.0.0"].filter(isOldSqlite)).toEqual([]);
  });
});

describe("migrations", () => {
  it("are applied in order to a file that has data, after a backup of it", () => {
    const { file } = prepare();
    write(file, "a");
    const migrationsDir = migrationsWith({ "20990101000000_two": "CREATE TABLE two (x); INSERT INTO two SELECT node FROM node_view;", "20990102000000_three": "ALTER TABLE two ADD COLUMN y;" });
    const done = prepare({ migrationsDir });
    expect(done.migrated).toEqual(["20990101000000_two", "20990102000000_three"]);
    const db = new Database(file, { readonly: true });
    expect(db.prepare("SELECT x, y FROM two").raw().all()).toEqual([["a", null]]);
    db.close();
    expect(listBackups(file)).toEqual([done.backup]);
    expect(namesIn(done.backup ?? "")).toEqual(["a"]);
    expect(prepare({ migrationsDir }).migrated).toEqual([]);
  });

  it("that fail leave the file as it was, the ones before it in the same start included, with a backup beside it", () => {
    const { file } = prepare();
    write(file, "a");
    const schema = (): unknown[] => {
      const db = new Database(file, { readonly: true });
      const rows = db.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").raw().all();
      db.close();
      return rows;
    };
    const before = schema();
    const failing = { "20990101000000_two": "CREATE TABLE two (x);", "20990102000000_three": "DELETE FROM node_view; CREATE TABLE two (x);" };
    const error = thrown(() => prepare({ migrationsDir: migrationsWith(failing) }));
    expect(error).toMatchObject({ code: "migration-failed", message: expect.stringMatching(/20990102000000_three.*taken back.*already exists/) as string });
    expect(schema()).toEqual(before);
    expect(namesIn(file)).toEqual(["a"]);
    expect(listBackups(file)).toHaveLength(1);
    expect(prepare().migrated).toEqual([]); // and the version that wrote it goes on
  });

  it("that would leave a row without what it refers to are taken back", () => {
    prepare();
    const orphan = "INSERT INTO action_step (run_id, ordinal, title, state, started_ms) VALUES (99, 1, 't', 'done', 0);";
    expect(thrown(() => prepare({ migrationsDir: migrationsWith({ "20990101000000_two": orphan }) })).message).toMatch(/1 rows refer to rows that are not there/);
  });

  it("of a newer version are refused in a sentence, and nothing is touched", () => {
    prepare({ migrationsDir: migrationsWith({ "20990101000000_two": "CREATE TABLE two (x);" }) });
    expect(thrown(() => prepare())).toMatchObject({ code: "newer-schema", message: expect.stringMatching(/newer Sandglass.*20990101000000_two.*Start that version, or restore a backup/) as string });
    expect(readdirSync(options().dataDir).filter((name) => name === "backups")).toEqual([]);
  });

  it("that were edited after they were applied are refused", () => {
    prepare();
    const migrationsDir = migrationsWith({});
    const name = readdirSync(migrationsDir).find((entry) => entry.endsWith("_first")) ?? "";
    writeFileSync(path.join(migrationsDir, name, "migration.sql"), "-- nothing");
    expect(thrown(() => prepare({ migrationsDir })).code).toBe("changed-migration");
  });

  it("may be run by the process that already has the lock", () => {
    const { file } = prepare();
    const lock = lockFile(file, T0);
    expect(prepare({ migrationsDir: migrationsWith({ "20990101000000_two": "CREATE TABLE two (x);" }) }).migrated).toHaveLength(1);
    lock.release();
  });

  it(`keep the last ${BACKUPS_KEPT} backups`, () => {
    const { file } = prepare();
    const more: Record<string, string> = {};
    for (let index = 1; index <= BACKUPS_KEPT + 2; index += 1) {
      more[`209901010000${index}0_more`] = `CREATE TABLE more_${index} (x);`;
      prepare({ migrationsDir: migrationsWith(more), nowMs: T0 + index * 1_000 });
    }
    expect(listBackups(file).map((name) => path.basename(name))).toEqual(["05", "04", "03"].map((second) => expect.stringContaining(`T1200${second}.000Z.before-`) as string));
  });
});

describe("the lock", () => {
  it("is one process's, the others are told whose, and it is free again the moment that process is killed", async () => {
    const { file } = prepare();
    const first = startChild(program, ["lock", file]);
    expect(await first.line()).toBe("locked");
    const message = new RegExp(`held by pid ${first.pid} on .+ since \\d{4}-`);
    expect(thrown(() => lockFile(file, T0))).toMatchObject({ code: "locked", message: expect.stringMatching(message) as string });
    expect(thrown(() => openIngest({ file, nowMs: T0 })).code).toBe("locked");
    expect(thrown(() => prepare({ migrationsDir: migrationsWith({ "20990101000000_two": "CREATE TABLE two (x);" }) })).code).toBe("locked");
    expect(prepare().writable).toBe(true); // nothing to migrate: nothing to lock
    const second = startChild(program, ["lock", file]);
    expect(await second.line()).toMatch(message);
    await second.ended;
    await first.kill();
    const lock = lockFile(file, T0);
    const third = startChild(program, ["lock", file]);
    expect(await third.line()).toMatch(new RegExp(`held by pid ${process.pid} `));
    await third.ended;
    lock.release();
    const fourth = startChild(program, ["lock", file]);
    expect(await fourth.line()).toBe("locked");
    await fourth.kill();
  });

  it("can be had twice in one process, and is let go with the last", async () => {
    const { file } = prepare();
    const lock = lockFile(file, T0);
    const ingest = openIngest({ file, nowMs: T0 });
    lock.release();
    lock.release(); // a second time is nothing
    const refused = startChild(program, ["lock", file]);
    expect(await refused.line()).toMatch(/held by pid/);
    await refused.ended;
    ingest.close();
    const taken = startChild(program, ["lock", file]);
    expect(await taken.line()).toBe("locked");
    await taken.kill();
  });
});

interface Told {
  readonly name: string;
  readonly result?: unknown;
  readonly error?: unknown;
}

describe("without the right to write", () => {
  const NOBODY = 65_534;
  const asRoot = process.getuid?.() === 0;
  /** What a process that may not write comes to; root, who may everything, steps down first. */
  async function tryIn(file: string): Promise<Record<string, Told>> {
    const child = startChild(program, ["try", file, JSON.stringify(options())], asRoot ? NOBODY : undefined);
    await child.ended;
    return Object.fromEntries(child.lines.map((line) => JSON.parse(line) as Told).map((told) => [told.name, told]));
  }

  it("a read-only folder is served from a copy that says so, with what only the log held, and a write says why not", async () => {
    const { file } = prepare();
    const writer = startChild(program, ["load", file, "0"]);
    for (let index = 0; index < 5; index += 1) await writer.line();
    await writer.kill(); // its log is left behind
    rmSync(`${file}-shm`);
    chmodSync(dir, 0o755);
    for (const name of readdirSync(path.dirname(file))) chmodSync(path.join(path.dirname(file), name), 0o444);
    chmodSync(path.dirname(file), 0o555);
    try {
      const told = await tryIn(file);
      expect(told).toMatchObject({
        prepare: { result: { writable: false, reason: expect.stringMatching(/is read-only/) as string } },
        read: { result: { rows: expect.any(Number) as number, copyReason: expect.stringMatching(/read-only or full.*a copy of it is read/) as string } },
        write: { error: { name: "StoreUnwritable", reason: "read-only", message: expect.stringMatching(/read-only: make both writable/) as string } },
      });
      expect((told["read"]?.result as { rows: number }).rows).toBeGreaterThanOrEqual(5);
    } finally {
      chmodSync(path.dirname(file), 0o755);
    }
  });

  it.skipIf(!asRoot)("a copy that somebody else's killed process left is in nobody's way, and stays", async () => {
    const { file } = prepare();
    write(file, "a");
    const writer = startChild(program, ["load", file, "0"]);
    await writer.line();
    await writer.kill();
    rmSync(`${file}-shm`);
    const left = mkdtempSync(path.join(tmpdir(), `sandglass-copy-${writer.pid}-`)); // of root, for root alone
    writeFileSync(path.join(left, "copy.db"), "");
    chmodSync(dir, 0o755);
    for (const name of readdirSync(path.dirname(file))) chmodSync(path.join(path.dirname(file), name), 0o444);
    chmodSync(path.dirname(file), 0o555);
    try {
      expect((await tryIn(file))["read"]).toMatchObject({ result: { copyReason: expect.stringMatching(/a copy of it is read/) as string } });
      expect(readdirSync(left)).toEqual(["copy.db"]);
    } finally {
      chmodSync(path.dirname(file), 0o755);
      rmSync(left, { recursive: true, force: true });
    }
  });

  it("a read-only file is read, and a write says why not", async () => {
    const { file } = prepare();
    write(file, "a");
    chmodSync(dir, 0o755);
    chmodSync(path.dirname(file), 0o777);
    chmodSync(file, 0o444);
    rmSync(`${file}.lock`, { force: true });
    expect(await tryIn(file)).toMatchObject({
      prepare: { result: { writable: false } },
      read: { result: { rows: 1 } },
      write: { error: { name: "StoreUnwritable", reason: "read-only" } },
    });
  });

  it("a folder that cannot be written and has no data file is refused in a sentence", async () => {
    mkdirSync(options().dataDir);
    chmodSync(dir, 0o755);
    chmodSync(options().dataDir, 0o555);
    const file = path.join(options().dataDir, dataFileName(options()));
    expect((await tryIn(file))["prepare"]).toMatchObject({ error: { code: "not-writable", message: expect.stringMatching(/read-only: make both writable for this user\.$/) as string } });
    expect(existsSync(file)).toBe(false);
  });
});
