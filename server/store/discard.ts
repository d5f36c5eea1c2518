import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { StoreError } from "./errors";
import { lockFile } from "./lock";

const SUFFIXES = ["", "-wal", "-shm", ".lock", ".lock-holder"];

/**
 * Removes the data files of earlier simulated clusters: each start makes a cluster of its own, whose past would not fit
 * to theirs. A file that a running process holds stays. Returns the names of those that were removed.
 */
export function discardSimulatedFiles(dataDir: string, nowMs: number): readonly string[] {
  const removed: string[] = [];
  for (const name of readdirSync(dataDir)) {
    if (!/^simulated-[A-Za-z0-9-]+\.db$/.test(name)) continue;
    const file = path.join(dataDir, name);
    try {
      lockFile(file, nowMs).release();
    } catch (error) {
      if (error instanceof StoreError && error.code === "locked") continue;
      throw error;
    }
    for (const suffix of SUFFIXES) rmSync(file + suffix, { force: true });
    removed.push(name);
  }
  return removed;
}
