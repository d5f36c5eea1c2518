import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { SERVE_OPTIONS } from "../config";

const ROOT = path.resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");
const markdownUnder = (folder: string) => readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md")).map((name) => path.join(folder, name));

const pages = ["README.md", "e2e/cluster/README.md", ...markdownUnder("docs")];
const decisions = markdownUnder("docs/decisions");
const manifest = JSON.parse(read("package.json")) as { scripts: Record<string, string>; dependencies: Record<string, string>; devDependencies: Record<string, string> };
const dependencies = { ...manifest.dependencies, ...manifest.devDependencies };

const allMatches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found ?? "");
/** A path as docs write one: in backticks, from a top-level folder or a file at the root. `*` stands for any name. */
const PATH_IN_TEXT = /`((?:\.ci|app|components|server|prisma|e2e|deploy|docs)\/[\w@.*[\]/-]*|[\w.-]+\.(?:json|config\.(?:js|ts)))`/g;
const LINK = /\]\(([^)#:]+)(?:#[^)]*)?\)/g;
const OPTION = /(?<![\w-])--([a-z][a-z-]+)/g;

function exists(pattern: string): boolean {
  if (!pattern.includes("*")) return existsSync(path.join(ROOT, pattern));
  const [folder, name] = [path.dirname(pattern), path.basename(pattern)];
  const matcher = new RegExp(`^${name.split("*").map((part) => part.replace(/[.[\]]/g, "\\$&")).join(".*")}$`);
  return existsSync(path.join(ROOT, folder)) && readdirSync(path.join(ROOT, folder)).some((entry) => matcher.test(entry));
}

describe.each(pages)("%s", (page) => {
  test("every file and folder that it names exists", () => {
    const named = allMatches(read(page), PATH_IN_TEXT);
    expect(named.filter((file) => !exists(file) && !existsSync(path.join(ROOT, path.dirname(page), file)))).toEqual([]);
  });
  test("every link leads somewhere", () => {
    const links = allMatches(read(page), LINK);
    expect(links.filter((link) => !existsSync(path.join(ROOT, path.dirname(page), link)))).toEqual([]);
  });
});

describe("commands and options", () => {
  const texts = ["README.md", "docs/operate/install.md", "docs/develop/testing.md"].map((page) => ({ page, text: read(page) }));

  test("every npm command of the README exists", () => {
    const commands = [...new Set(texts.flatMap(({ text }) => allMatches(text, /npm (?:run )?(start|test|[a-z]+(?=`| first))/g)))];
    expect(commands).toEqual(expect.arrayContaining(["start", "test"]));
    expect(commands.filter((name) => manifest.scripts[name] === undefined)).toEqual([]);
  });

  test("every option after npm start is one that serve takes", () => {
    const lines = texts.flatMap(({ text }) => allMatches(text, /(npm start -- [^`\n]+)/g));
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.flatMap((line) => allMatches(line.replace("npm start --", ""), OPTION)).filter((name) => !Object.hasOwn(SERVE_OPTIONS, name))).toEqual([]);
  });

  test("every variable that the docs name is known to the configuration", () => {
    const known = read("server/config.ts");
    const named = new Set(texts.flatMap(({ text }) => allMatches(text, /\b(SANDGLASS_[A-Z_]+)/g)).filter((name) => !name.startsWith("SANDGLASS_CLUSTER_")));
    expect([...named].filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe("decisions", () => {
  const numberOf = (file: string) => path.basename(file).slice(0, 4);

  test("each has a number of its own", () => {
    expect(decisions.map(numberOf).filter((number, at, all) => !/^\d{4}$/.test(number) || all.indexOf(number) !== at)).toEqual([]);
  });

  test.each(decisions)("%s says what was decided and how it is kept", (file) => {
    const parts = allMatches(read(file), /^(?:## |\*\*)(Context|Decision|How it is kept|How to check)\b/gm);
    expect(parts).toEqual(["Context", "Decision", expect.stringMatching(/^How /)]);
  });

  test("every dependency has its line of reason, and every line a dependency", () => {
    const lines = allMatches(read("docs/decisions/0001-dependencies.md"), /^\| `([^`]+)` \| \S/gm);
    expect(lines.toSorted()).toEqual(Object.keys(dependencies).toSorted());
  });

  test("every dependency's version is exact", () => {
    expect(Object.entries(dependencies).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });
});
