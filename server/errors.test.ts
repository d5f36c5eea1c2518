import { mkdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { actionableError, lastWords, ServiceError } from "./errors";

test("an error of another copy of the module is known, and no other error is taken for one", async () => {
  vi.resetModules();
  const copy = await import("./errors");
  expect(copy.ServiceError).not.toBe(ServiceError);
  expect(new copy.ServiceError("conflict", "x") instanceof ServiceError).toBe(true);
  expect(new Error("x") instanceof ServiceError).toBe(false);
  expect({ name: "ServiceError" } instanceof ServiceError).toBe(false);
});

test("a file or folder that the file system refuses is one sentence with its path; an error of ours keeps its stack", async () => {
  const below = path.join(import.meta.filename, "below");
  const thrown = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };
  expect(lastWords(thrown(() => mkdirSync(below)))).toBe(`${below} cannot be used (mkdir: ENOTDIR): a file stands where a folder should be. Choose another place, or see that this user may use it.`);
  expect(lastWords(await mkdir(below).catch((error: unknown) => error))).toMatch(/^\/.*below cannot be used \(mkdir: ENOTDIR\)/);
  expect(lastWords(thrown(() => readFileSync("/no/such/file")))).toBe("/no/such/file cannot be used (open: ENOENT): it is not there, or cannot be made there. Choose another place, or see that this user may use it.");
  expect(lastWords(actionableError("Do this."))).toBe("Do this.");
  expect(lastWords(new TypeError("a fault of ours"))).toMatch(/a fault of ours\n {4}at /);
});
