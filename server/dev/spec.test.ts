import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { INCIDENT_INPUTS, INCIDENT_STATES, INCIDENT_TABLE } from "../domain/incident/machine";

/** The specification names a test for each invariant; each of them has to be there. */
const ROOT = path.resolve(import.meta.dirname, "../..");
const lines = readFileSync(path.join(ROOT, "docs/develop/spec.md"), "utf8").split("\n");

interface Named {
  readonly id: string;
  readonly file: string;
  /** Part of a test's title; absent where the file as a whole is meant. */
  readonly title?: string;
}

const INVARIANT = /^\| ([A-Z]\d+) \|/;
const FOLDER = /^\*\*Invariants\*\*.*\(in `([^`]+)`\)/;
/** A file in backticks, or a title in quotes that belongs to the file before it. */
const NAMED = /`([\w./-]+\.(?:test|property\.test|spec)\.tsx?)`|"([^"]+)"/g;

function namedTests(): readonly Named[] {
  let folder = "";
  return lines.flatMap((line): Named[] => {
    folder = line.startsWith("**Invariants**") ? (FOLDER.exec(line)?.[1] ?? "") : folder;
    const id = INVARIANT.exec(line)?.[1];
    if (id === undefined) return [];
    const cell = line.split("|").at(-2) ?? "";
    const found: Named[] = [];
    let file: string | undefined;
    for (const [, name, title] of cell.matchAll(NAMED)) {
      if (name !== undefined) file = name.includes("/") ? name : path.join(folder, name);
      if (file !== undefined) found.push({ id, file, ...(title === undefined ? {} : { title }) });
    }
    return found;
  });
}

/** Titles of tests and of their groups, as far as they are written out; of a table of tests its pattern. */
function titlesOf(file: string): readonly string[] {
  const text = readFileSync(path.join(ROOT, file), "utf8");
  return [...text.matchAll(/(?:\b(?:test|it|describe)(?:\.\w+)*(?:\([\w.]+\))?|\]\))\(\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g)].map(([, plain, template]) => plain ?? template ?? "");
}

const named = namedTests();
const ids = [...new Set(named.map(({ id }) => id))];

describe("the specification", () => {
  test("has invariants of watches, incidents and runs, each number once, each with a test", () => {
    const rows = lines.flatMap((line) => INVARIANT.exec(line)?.[1] ?? []);
    expect(rows.filter((id, at) => rows.indexOf(id) !== at)).toEqual([]);
    expect(rows.filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(rows.map((id) => id.charAt(0)))).toEqual(new Set(["W", "I", "R"]));
  });

  test.each(ids)("%s names tests that exist", (id) => {
    for (const { file, title } of named.filter((one) => one.id === id)) {
      expect(existsSync(path.join(ROOT, file)), file).toBe(true);
      const titles = titlesOf(file);
      expect(titles.length, file).toBeGreaterThan(0);
      if (title !== undefined) expect(titles.some((one) => one.replaceAll('\\"', '"').includes(title)), `"${title}" in ${file}`).toBe(true);
    }
  });

  test("shows the table of an incident as the code has it", () => {
    const head = lines.findIndex((line) => line === `| | ${INCIDENT_STATES.join(" | ")} |`);
    const shown = lines.slice(head + 2, head + 2 + INCIDENT_INPUTS.length);
    const word = (to: string): string => (to === "impossible" ? "*impossible*" : to);
    expect(shown).toEqual(INCIDENT_INPUTS.map((input) => `| ${input} | ${INCIDENT_STATES.map((state) => word(INCIDENT_TABLE[state][input])).join(" | ")} |`));
  });
});
