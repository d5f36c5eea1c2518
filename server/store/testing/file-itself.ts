import Database from "better-sqlite3";

/** One statement on the data file beside the store, for what only a fault or an attacker would write. */
export function writeBesideStore(file: string, sql: string, ...values: readonly (string | number)[]): void {
  const db = new Database(file);
  try {
    db.prepare(sql).run(...values);
  } finally {
    db.close();
  }
}
