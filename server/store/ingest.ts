import { statSync } from "node:fs";
import type { AcceptedException } from "../domain/causes/types";
import type { KnownDaemonSets } from "../domain/cluster-changes";
import type { NodeView } from "../domain/node-view";
import { StoreError, toUnwritable } from "./errors";
import { EXCEPTIONS, toExceptions, type ExceptionRow } from "./exception-rows";
import { ChangeWriter } from "./ingest/changes";
import { readDaemonSets } from "./ingest/daemon-sets";
import { IncidentWriter, loadIncidents } from "./ingest/incidents";
import { maintenance } from "./ingest/maintain";
import { SampleWriter } from "./ingest/samples";
import { verificationsOver } from "./ingest/verifications";
import { workOver } from "./ingest/work";
import { lockFile, type Lock } from "./lock";
import { openWritable, type Db } from "./sqlite/connection";
import { openForReading } from "./sqlite/open-reading";
import { ROLL_EVERY_MS } from "./tiers";
import { viewFromJson } from "./view-json";
import { StoreUnwritable, type Ingest, type IngestBatch, type KubeletKey, type WriteResult } from "./types";

export interface OpenIngestOptions {
  readonly file: string;
  readonly nowMs: number;
}

/** The collector's half of the store. Takes the data file's lock; throws StoreError `locked` where another process has it. */
export function openIngest(options: OpenIngestOptions): Ingest {
  return new SqliteIngest(options.file, options.nowMs);
}

interface Connection {
  readonly db: Db;
  readonly inode: bigint;
  readonly samples: SampleWriter;
  readonly changes: ChangeWriter;
  readonly incidents: IncidentWriter;
}

class SqliteIngest implements Ingest {
  readonly #file: string;
  readonly #openedMs: number;
  #lock: Lock | undefined;
  #connection: Connection | undefined;
  #work: Generator<void, void, void> | undefined;
  #lastPassMs: number | undefined;
  readonly verifications = verificationsOver((run) => this.#attempt(({ db }) => run(db)));
  readonly work = workOver((run) => this.#attempt(({ db }) => run(db)));

  constructor(file: string, nowMs: number) {
    this.#file = file;
    this.#openedMs = nowMs;
    try {
      this.#connect();
    } catch (error) {
      // A file that can only be read now may be writable later: write() says so each time until then.
      if (!(error instanceof StoreUnwritable)) throw error;
    }
  }

  write(batch: IngestBatch): WriteResult {
    return this.#attempt(({ db, samples, changes, incidents }) =>
      db
        .transaction((): WriteResult => {
          const seq = changes.write(batch);
          if (batch.incidents !== undefined) incidents.write(batch.incidents, seq);
          if (batch.changes !== undefined) incidents.changes(batch.changes);
          return { seq, skippedSamples: samples.write(batch.samples, batch.atMs) };
        })
        .immediate(),
    );
  }

  maintain(nowMs: number): boolean {
    return this.#attempt(({ db, samples }) => {
      if (this.#work === undefined) {
        if (this.#lastPassMs !== undefined && !isPassDue(this.#lastPassMs, nowMs)) return false;
        this.#work = maintenance(db, nowMs, () => samples.forget());
      }
      if (this.#work.next().done !== true) return true;
      this.#work = undefined;
      this.#lastPassMs = nowMs;
      return false;
    });
  }

  loadViews(): readonly NodeView[] {
    return this.#read((db) =>
      db
        .prepare<[], string>("SELECT json FROM node_view ORDER BY node")
        .pluck()
        .all()
        .map(viewFromJson),
    );
  }

  loadIncidents(closedSinceMs: number): ReturnType<Ingest["loadIncidents"]> {
    return this.#read((db) => loadIncidents(db, closedSinceMs));
  }

  loadDaemonSets(): KnownDaemonSets {
    return this.#read(readDaemonSets);
  }

  exceptions(): readonly AcceptedException[] {
    return this.#read((db) => toExceptions(db.prepare<[], ExceptionRow>(EXCEPTIONS).all()));
  }

  kubeletKeys(): ReadonlyMap<string, KubeletKey> {
    const rows = this.#read((db) => db.prepare<[], { node: string; sha256: string; seen_ms: number; offered_sha256: string | null }>("SELECT node, sha256, seen_ms, offered_sha256 FROM kubelet_key").all());
    return new Map(rows.map((row) => [row.node, { node: row.node, sha256: row.sha256, seenMs: row.seen_ms, ...(row.offered_sha256 === null ? {} : { offeredSha256: row.offered_sha256 }) }]));
  }

  sizeBytes(): number | undefined {
    const sizes = ["", "-wal"].map((suffix) => statSync(this.#file + suffix, { throwIfNoEntry: false })?.size);
    return sizes[0] === undefined ? undefined : sizes[0] + (sizes[1] ?? 0);
  }

  close(): void {
    this.#drop();
    this.#lock?.release();
    this.#lock = undefined;
  }

  #read<T>(run: (db: Db) => T): T {
    if (this.#connection !== undefined) return run(this.#connection.db);
    const reading = openForReading(this.#file);
    try {
      return run(reading.db);
    } finally {
      reading.close();
    }
  }

  /** Opens anew after a failure: a connection that met a full disk may be left in any state, a new one is not. */
  #attempt<T>(run: (connection: Connection) => T): T {
    const connection = this.#connectOrSay();
    try {
      return run(connection);
    } catch (error) {
      connection.samples.forget();
      this.#work = undefined;
      const unwritable = toUnwritable(error, this.#file);
      if (unwritable?.reason !== "busy") this.#drop();
      throw unwritable ?? error;
    }
  }

  #connectOrSay(): Connection {
    try {
      return this.#connect();
    } catch (error) {
      if (error instanceof StoreError && error.code === "locked") throw new StoreUnwritable("busy", error.message, { cause: error });
      throw error;
    }
  }

  #connect(): Connection {
    const inode = this.#inode();
    if (this.#connection !== undefined && this.#connection.inode === inode) return this.#connection;
    if (this.#connection !== undefined) {
      this.#drop();
      throw new StoreUnwritable("failed", `The data file ${this.#file} was moved or replaced while in use: stop Sandglass before restoring a backup.`);
    }
    this.#takeLock();
    let db: Db | undefined;
    try {
      db = openWritable(this.#file, { mustExist: true });
      this.#connection = { db, inode, samples: new SampleWriter(db), changes: new ChangeWriter(db), incidents: new IncidentWriter(db) };
      return this.#connection;
    } catch (error) {
      db?.close();
      throw toUnwritable(error, this.#file) ?? error;
    }
  }

  #inode(): bigint {
    try {
      return statSync(this.#file, { bigint: true }).ino;
    } catch (cause) {
      this.#drop();
      throw new StoreUnwritable("failed", `The data file ${this.#file} is not there: it was moved or removed.`, { cause });
    }
  }

  #takeLock(): void {
    if (this.#lock !== undefined) return;
    try {
      this.#lock = lockFile(this.#file, this.#openedMs);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === "locked") throw error;
      throw toUnwritable(error.cause, this.#file) ?? error;
    }
  }

  #drop(): void {
    this.#work = undefined;
    this.#connection?.db.close();
    this.#connection = undefined;
  }
}

/** Clock steps backwards count too: passes go on at their pace whatever the clock shows. */
const isPassDue = (lastMs: number, nowMs: number): boolean => Math.abs(nowMs - lastMs) >= ROLL_EVERY_MS;
