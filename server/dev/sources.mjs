import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inRoot, ROOT } from "./paths.mjs";

/** What the build reads. Tests, their fixtures and benches are no part of it. */
const BUILD_INPUTS = ["app", "components", "server", "prisma", "public", "proxy.ts", "next.config.js", "package.json", "package-lock.json", "prisma.config.ts", "tsconfig.json"];
const NOT_BUILT = /(^|\/)(fixtures|testing|generated|bench)(\/|$)|\.test\.tsx?$/;

const hashOf = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");
const statOrNothing = (file) => statSync(file, { throwIfNoEntry: false });

function* filesUnder(relative) {
  const stat = statOrNothing(inRoot(relative));
  if (stat === undefined || NOT_BUILT.test(relative)) return;
  if (stat.isFile()) yield [relative, stat];
  if (stat.isDirectory()) for (const name of readdirSync(inRoot(relative)).sort()) yield* filesUnder(path.posix.join(relative, name));
}

/**
 * What each input looks like now: modification time, size and a hash of its content. A file that `before` knows with the
 * same time and size is not read again.
 */
export function manifest(before = {}, inputs = BUILD_INPUTS) {
  const files = {};
  for (const input of inputs) {
    for (const [name, stat] of filesUnder(input)) {
      const known = before[name];
      const unread = known !== undefined && known[0] === stat.mtimeMs && known[1] === stat.size;
      files[name] = [stat.mtimeMs, stat.size, unread ? known[2] : hashOf(path.join(ROOT, name))];
    }
  }
  return files;
}

/** True where both have the same files with the same content. */
export function sameContent(a, b) {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => b[name] !== undefined && b[name][2] === a[name][2]);
}

/** What a finished step left; undefined where it never finished. */
export function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Written last and in one move, so it never tells of something unfinished. */
export function writeStamp(file, content) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(content));
  renameSync(`${file}.${process.pid}`, file);
}
