import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readProcFile } from "./proc-files";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "sandglass-proc-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const written = async (name: string, bytes: number): Promise<string> => {
  const file = path.join(dir, name);
  await writeFile(file, Buffer.alloc(bytes, name));
  return file;
};
const BOUND = 300_000;

test.each([0, 1, 65_535, 65_536, 65_537, 131_072, 200_000, BOUND])("a file of %i bytes comes whole", async (bytes) => {
  const file = await written("a", bytes);
  expect((await readProcFile(file, BOUND)).equals(Buffer.alloc(bytes, "a"))).toBe(true);
});

test.each([BOUND + 1, 4 * BOUND])("one of %i bytes is over the bound, and named", async (bytes) => {
  await expect(readProcFile(await written("a", bytes), BOUND)).rejects.toThrow(/holds more than the 300000 bytes/);
});

test("what was read stays as it was read, however many are read beside and after it", async () => {
  const names = [..."abcdefghijklmnop"];
  const files = await Promise.all(names.map((name, at) => written(name, 10_000 * (at + 1))));
  const first = await Promise.all(files.map((file) => readProcFile(file, BOUND)));
  const second = await Promise.all([...files].reverse().map((file) => readProcFile(file, BOUND)));
  for (const [at, name] of names.entries()) {
    expect(first[at]?.equals(Buffer.alloc(10_000 * (at + 1), name))).toBe(true);
    expect(second.at(-1 - at)?.equals(first[at] ?? Buffer.alloc(0))).toBe(true);
  }
});
