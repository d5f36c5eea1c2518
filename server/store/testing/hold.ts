import Database from "better-sqlite3";

/** Holds the data file's write lock as another process would; the returned function lets it go. */
export function holdWriteLock(file: string): () => void {
  const other = new Database(file);
  other.exec("BEGIN IMMEDIATE");
  return () => {
    other.exec("ROLLBACK");
    other.close();
  };
}
