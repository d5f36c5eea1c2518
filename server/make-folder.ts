import { existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";

/** Only this user looks into folders of data. */
const MODE = 0o700;

/**
 * Makes a folder and those above it. Node's own recursive mkdir never comes back where making one fails with ENOENT below a folder
 * that is there, as in /proc. Throws what the file system says.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) missing.unshift(at);
  for (const one of missing) {
    try {
      mkdirSync(one, { mode: MODE });
    } catch (error) {
      // Another process made it meanwhile.
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error(`${folder} is no folder`), { code: "EEXIST" });
}
