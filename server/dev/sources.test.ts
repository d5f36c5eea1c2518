import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./paths.mjs";
import { manifest, sameContent } from "./sources.mjs";

/** Whether `npm start` builds anew is decided by these files alone: one that is missing here is a change that nobody gets. */
const inputs = manifest();
/** Configuration of tools that have no part in a build. */
const OF_OTHER_TOOLS = ["eslint.config.js", "vitest.config.ts"];
/** Next writes it. */
const GENERATED = ["next-env.d.ts"];
const CODE = /\.([cm]?[jt]sx?|json|css)$/;
/** The two commands and what they start: the Node of the machine runs them as they are. */
const RUNNERS = /^server\/dev\//;
const OWN_IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"((?:\.{1,2}|@)\/[^"]+)"/g;

test("every file of code at the root is looked at for changes, or is known to be no part of the build", () => {
  const code = readdirSync(ROOT).filter((name) => CODE.test(name));
  expect(code.filter((name) => inputs[name] === undefined && !GENERATED.includes(name)).sort()).toEqual(OF_OTHER_TOOLS);
});

test("every file that a built one imports is looked at for changes, but for what is generated from one that is", () => {
  const unseen = Object.keys(inputs).filter((file) => CODE.test(file) && !RUNNERS.test(file)).flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), "utf8").matchAll(OWN_IMPORT)].flatMap(([, wanted = ""]) => {
      const from = wanted.startsWith("@/") ? wanted.slice(2) : path.posix.join(path.posix.dirname(file), wanted);
      if (from.startsWith("server/store/generated/")) return [];
      const found = ["", ".ts", ".tsx", ".d.ts", "/index.ts"].map((end) => from + end).find((one) => CODE.test(one) && existsSync(path.join(ROOT, one)));
      return found !== undefined && inputs[found] !== undefined ? [] : [`${file} imports ${wanted}`];
    }),
  );
  expect(unseen).toEqual([]);
});

test("a change is one of content: other times alone are none; another content, one file more and one less are", () => {
  const was = { a: [1, 2, "x"], b: [1, 2, "y"] } as const;
  expect(sameContent(was, { a: [9, 2, "x"], b: [1, 2, "y"] })).toBe(true);
  expect(sameContent(was, { a: [1, 2, "z"], b: [1, 2, "y"] })).toBe(false);
  expect(sameContent(was, { ...was, c: [1, 2, "y"] })).toBe(false);
  expect(sameContent(was, { a: [1, 2, "x"] })).toBe(false);
});

test("a file with the time and size that are known is not read again, any other is", () => {
  const [[name, [mtimeMs, bytes]] = ["", [0, 0]]] = Object.entries(manifest({}, ["package.json"]));
  expect(manifest({ [name]: [mtimeMs, bytes, "as it was read before"] }, [name])).toEqual({ [name]: [mtimeMs, bytes, "as it was read before"] });
  expect(manifest({ [name]: [mtimeMs - 1, bytes, "as it was read before"] }, [name])).toEqual({ [name]: inputs[name] });
});
