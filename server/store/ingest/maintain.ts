import type { Db } from "../sqlite/connection";
import { retention } from "./retention";
import { rollupPass } from "./rollup-pass";

/** Free pages kept for what comes next; giving them back only to take them again would cost more. 8 MB. */
export const FREE_PAGES_KEPT = 2_000;
export const PAGES_PER_VACUUM_STEP = 500;

/** One round of upkeep, a bounded step at each `next()`: roll up, drop what is too old, give room back, shorten the log. */
export function* maintenance(db: Db, nowMs: number, seriesDeleted: () => void): Generator<void, void, void> {
  yield* rollupPass(db, nowMs);
  yield* retention(db, nowMs, seriesDeleted);
  for (;;) {
    const excess = Number(db.pragma("freelist_count", { simple: true })) - FREE_PAGES_KEPT;
    if (excess <= 0) break;
    db.pragma(`incremental_vacuum(${Math.min(excess, PAGES_PER_VACUUM_STEP)})`);
    yield;
  }
  db.pragma("wal_checkpoint(TRUNCATE)"); // a reader in the way makes it do less, which the next round makes up for
}
