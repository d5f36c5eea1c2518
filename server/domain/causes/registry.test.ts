import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CAUSE_CODES, isCauseCode, type CauseCode } from "./codes";
import { CAUSES } from "./registry";
import { causeDocs, type Cause } from "./types";

/** Codes without a cause yet. Empty in the end. */
const TO_COME: ReadonlySet<CauseCode> = new Set<CauseCode>([
]);

const ROOT = path.resolve(import.meta.dirname, "../../..");
const read = (file: string): string => (existsSync(path.join(ROOT, file)) ? readFileSync(path.join(ROOT, file), "utf8") : "");
const camelCase = (code: string): string => code.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

describe("the registry", () => {
  it("has every code once, in the order of the alphabet", () => {
    const codes = CAUSES.map(({ code }) => code);
    expect(codes).toEqual([...new Set(codes)].sort());
    expect(CAUSE_CODES.filter((code) => !codes.includes(code) && !TO_COME.has(code))).toEqual([]);
    expect(codes.filter((code) => TO_COME.has(code))).toEqual([]);
  });

  it("gives every cause a title of its own", () => {
    const titles = CAUSES.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it("lists the page of every cause in the index, in the order of the alphabet", () => {
    const listed = [...read("docs/use/causes/README.md").matchAll(/^\| \[`([a-z-]+)`\]\(\1\.md\) \| (.+?) \|/gm)].map(([, code, title]) => ({ code, title }));
    expect(listed).toEqual(CAUSES.map(({ code, title }) => ({ code, title })));
  });
});

if (CAUSES.length > 0) {
  describe.each(CAUSES.map((cause) => [cause.code, cause] as const))("%s", (code, cause) => {
    it("says what it is, what is looked at and what to do, each in words", () => {
      expect(wordsOf(cause).filter((text) => text.trim().length < 3 || text.includes("\n"))).toEqual([]);
      for (const list of [cause.checks, cause.mitigation]) expect(list).not.toHaveLength(0);
      for (const sentence of [cause.meaning, cause.impact, ...cause.checks, ...cause.mitigation]) expect(sentence).toMatch(/[.?!:]$/);
    });

    it("names other causes by codes that exist, and not itself", () => {
      const others = [...cause.explains, ...cause.lookAlikes.map((one) => one.code)];
      expect(others.filter((other) => !isCauseCode(other) || other === code)).toEqual([]);
      for (const list of [cause.explains, cause.lookAlikes.map((one) => one.code), cause.actions]) expect(new Set(list).size).toBe(list.length);
    });

    it("may be accepted as it is only where it stops no pod", () => {
      if (cause.accepts !== undefined) expect(cause.severity).toBe("notice");
    });

    it("has a page that begins with its title and speaks of its look-alikes", () => {
      const page = read(causeDocs(code));
      expect(page.split("\n")[0]).toBe(`# ${cause.title}`);
      expect(page).toContain(`\`${code}\``);
      expect(cause.lookAlikes.filter((other) => !page.includes(`\`${other.code}\``)).map((other) => other.code)).toEqual([]);
    });

    it("has a test file with a moment that fires, one that almost does and one with data missing", () => {
      // What the three kinds must hold is in the types of causeCases.
      expect(read(`server/domain/causes/${code}.test.ts`)).toContain(`causeCases(${camelCase(code)}, {`);
    });
  });
}

const wordsOf = ({ title, meaning, impact, checks, lookAlikes, mitigation, actions }: Cause): readonly string[] => [title, meaning, impact, ...checks, ...lookAlikes.map(({ tells }) => tells), ...mitigation, ...actions];
