import Database from "better-sqlite3";

/** Makes the file refuse every batch as a broken constraint does, until the returned function is called. */
export function refuseEveryBatch(file: string): () => void {
  const run = (sql: string): void => {
    const db = new Database(file);
    try {
      db.exec(sql);
    } finally {
      db.close();
    }
  };
  run("CREATE TRIGGER refuse BEFORE UPDATE ON meta BEGIN SELECT RAISE(ABORT, 'a fault of ours'); END");
  return () => run("DROP TRIGGER refuse");
}
