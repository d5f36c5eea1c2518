import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeFolder } from "./make-folder";

let dir: string;
beforeEach(() => (dir = mkdtempSync(path.join(os.tmpdir(), "sandglass-folder-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const codeOf = (folder: string): unknown => {
  try {
    makeFolder(folder);
    return undefined;
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
};

test("makes what is missing, for this user alone, and leaves what is there", () => {
  makeFolder(path.join(dir, "a/b/c"));
  expect(statSync(path.join(dir, "a/b")).mode & 0o777).toBe(0o700);
  makeFolder(path.join(dir, "a/b/c"));
});

test("comes back with the system's word where nothing can be made", () => {
  expect(codeOf("/proc/sandglass/data")).toBe("ENOENT");
  expect(codeOf("/dev/null/data")).toBe("ENOTDIR");
  writeFileSync(path.join(dir, "file"), "");
  expect(codeOf(path.join(dir, "file"))).toBe("EEXIST");
  expect(codeOf(path.join(dir, "file/below"))).toBe("ENOTDIR");
  symlinkSync("nowhere", path.join(dir, "dangling"));
  expect(codeOf(path.join(dir, "dangling"))).toBe("ENOENT");
  expect(codeOf(path.join(dir, "x".repeat(300)))).toBe("ENAMETOOLONG");
});
