import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { isBusy, StoreError, toUnwritable } from "./errors";
import type { Db } from "./sqlite/connection";

/**
 * One collector a data file. The lock is the operating system's, on a second, empty SQLite file in which an exclusive
 * transaction stays open: it goes with its process, however that ends, so nothing is ever left to clean. Who holds it
 * is written beside, for the message alone.
 */
export interface Lock {
  readonly file: string;
  release(): void;
}

const held = new Map<string, { readonly db: Db; count: number }>();
const lockPath = (file: string): string => `${file}.lock`;
const holderPath = (file: string): string => `${file}.lock-holder`;

/** Throws StoreError `locked` with the holder's name, or `lock-failed` where no lock can be kept here. A process that has the lock gets it again. */
export function lockFile(file: string, sinceMs: number): Lock {
  const key = path.resolve(file);
  const mine = held.get(key);
  if (mine !== undefined) {
    mine.count += 1;
    return once(key);
  }
  const db = open(key);
  try {
    db.pragma("journal_mode = MEMORY"); // nothing is ever written in it: no file of its own for that
    db.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    db.close();
    if (isBusy(cause)) throw new StoreError("locked", `The data file ${file} is in use: held by ${readHolder(key)}. Stop that one first, or choose another data folder.`, { cause });
    throw new StoreError("lock-failed", `The data file ${file} cannot be locked: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
  }
  held.set(key, { db, count: 1 });
  writeHolder(key, sinceMs);
  return once(key);
}

function open(key: string): Db {
  try {
    return new Database(lockPath(key), { timeout: 0 });
  } catch (cause) {
    const unwritable = toUnwritable(cause, key);
    if (unwritable?.reason === "read-only") throw new StoreError("not-writable", unwritable.message, { cause });
    throw new StoreError("lock-failed", `The lock ${lockPath(key)} cannot be made: ${unwritable?.message ?? String(cause)}`, { cause });
  }
}

function once(key: string): Lock {
  let released = false;
  return {
    file: key,
    release: () => {
      if (released) return;
      released = true;
      const lock = held.get(key);
      if (lock === undefined) return;
      lock.count -= 1;
      if (lock.count > 0) return;
      held.delete(key);
      removeHolder(key);
      lock.db.close(); // its file stays: were it removed, two could hold one of that name
    },
  };
}

function writeHolder(key: string, sinceMs: number): void {
  try {
    writeFileSync(holderPath(key), JSON.stringify({ pid: process.pid, host: hostname(), since: new Date(sinceMs).toISOString() }));
  } catch {
    // Only the message of a second process is poorer for it: on a full disk the lock itself must still be had.
    return;
  }
}

function removeHolder(key: string): void {
  try {
    rmSync(holderPath(key), { force: true });
  } catch {
    // The folder turned read-only: a name that no longer holds the lock is never shown, since nothing is refused.
    return;
  }
}

function readHolder(key: string): string {
  try {
    const holder: unknown = JSON.parse(readFileSync(holderPath(key), "utf8"));
    if (typeof holder === "object" && holder !== null && "pid" in holder && "host" in holder && "since" in holder)
      return `pid ${String(holder.pid)} on ${String(holder.host)} since ${String(holder.since)}`;
  } catch {
    return "another process, which could not leave its name";
  }
  return "another process";
}
