import { statSync } from "node:fs";
import { monotonicMs } from "../../clock";
import { isBusy, StoreError } from "../errors";
import type { Db, Statement } from "../sqlite/connection";
import { openForReading, type Reading } from "../sqlite/open-reading";

/** While a copy is read, the file itself is tried again this often. */
export const COPY_RECHECK_MS = 5_000;
/** A reader is in the way of nobody but a log that is being recovered; that is over soon. */
const BUSY_TRIES = 3;

interface Opened {
  readonly reading: Reading;
  readonly inode: bigint | undefined;
  readonly openedMs: number;
  readonly statements: Map<string, Statement<unknown[]>>;
}

/** A read-only connection that outlives the file being replaced, becoming readable or being recovered. */
export class ReadSource {
  #open: Opened | undefined;

  constructor(readonly file: string) {
    this.#current();
  }

  /** Set while a copy is read: why. */
  get copyReason(): string | undefined {
    return this.#open?.reading.copyReason;
  }

  /** Everything that `run` reads is of one moment. */
  read<T>(run: (query: Query) => T): T {
    for (let tries = 1; ; tries += 1) {
      try {
        const { reading, statements } = this.#current();
        return reading.db.transaction(() => run(new Query(reading.db, statements)))();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (tries >= BUSY_TRIES) throw new StoreError("busy", `The data file ${this.file} is being recovered by another process: try again in a moment.`, { cause: error });
      }
    }
  }

  /** The file was just written, so a copy of it tells the past. */
  leaveCopy(): void {
    if (this.copyReason !== undefined) this.close();
  }

  close(): void {
    this.#open?.reading.close();
    this.#open = undefined;
  }

  #current(): Opened {
    const held = this.#open;
    const nowMs = monotonicMs();
    const inode = inodeOf(this.file);
    if (held !== undefined && held.inode === inode && (held.reading.copyReason === undefined || nowMs - held.openedMs < COPY_RECHECK_MS)) return held;
    if (held !== undefined && inode === undefined) return held; // moved away: what it held can still be read
    this.close();
    this.#open = { reading: openForReading(this.file), inode, openedMs: nowMs, statements: new Map() };
    return this.#open;
  }
}

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Statements by their text, each prepared once. The text is always a constant of this folder. */
export class Query {
  constructor(
    private readonly db: Db,
    private readonly statements: Map<string, Statement<unknown[]>>,
  ) {}

  /** Rows as objects. */
  all<Row>(sql: string, ...values: readonly (number | string)[]): Row[] {
    return this.#statement(sql, "").all(...values) as Row[]; // the columns are those of the text beside the call
  }

  one<Row>(sql: string, ...values: readonly (number | string)[]): Row | undefined {
    return this.#statement(sql, "").get(...values) as Row | undefined;
  }

  /** Rows as tuples, for the many. */
  tuples<Row extends readonly unknown[]>(sql: string, ...values: readonly (number | string)[]): Row[] {
    return this.#statement(sql, "raw").all(...values) as Row[];
  }

  /** The only column of each row: half the cost of a tuple, which counts with tens of thousands. */
  column<Value>(sql: string, ...values: readonly (number | string)[]): Value[] {
    return this.#statement(sql, "pluck").all(...values) as Value[];
  }

  #statement(sql: string, mode: "" | "raw" | "pluck"): Statement<unknown[]> {
    const key = mode + sql;
    const held = this.statements.get(key);
    if (held !== undefined) return held;
    const made = this.db.prepare<unknown[]>(sql);
    if (mode === "raw") made.raw();
    if (mode === "pluck") made.pluck();
    this.statements.set(key, made);
    return made;
  }
}
