import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { add, closingLine, fromPlaywright, fromVitest, MAX_SECOND_TRIES, nothing, oneTest, secondTries, skipReasons } from "./reports.mjs";

const recorded = (name: string): unknown => JSON.parse(readFileSync(path.join(import.meta.dirname, "fixtures", `${name}.json`), "utf8"));
const endings = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name.split("/").at(-1));

test("Vitest: a file that cannot be loaded is a failure, not nothing", () => {
  const result = fromVitest(recorded("vitest-report"));
  expect(result.passed).toBe(1);
  expect(endings(result.failed)).toEqual(["x.test.ts › a bad", "y.test.ts"]);
  expect(endings(result.skipped)).toEqual(["x.test.ts › a sk", "x.test.ts › a skr", "x.test.ts › a later"]);
});

test("Vitest: what passes at the second try has passed, and is kept with why it did not at the first", () => {
  const result = fromVitest(recorded("vitest-second-try"));
  expect(result.passed).toBe(1);
  expect(endings(result.again)).toEqual(["z.test.ts › passes at the second try"]);
  expect(result.again[0]?.why).toContain("expected 1 to be 2");
  expect(endings(result.failed)).toEqual(["z.test.ts › never passes"]);
});

test("a run of which more tests than the bound needed their second try has failed", () => {
  const again = (count: number) => ({ ...nothing(), passed: count, again: Array.from({ length: count }, (_, index) => ({ name: `test ${index}`, why: "late" })) });
  expect(secondTries(again(MAX_SECOND_TRIES)).failed).toEqual([]);
  expect(secondTries(again(MAX_SECOND_TRIES + 1)).failed).toEqual([{ name: "tests pass at the first try", why: expect.stringContaining(`${MAX_SECOND_TRIES + 1} tests`) as string }]);
});

test("Playwright: what could not begin is a failure; a skip keeps its reason", () => {
  const result = fromPlaywright(recorded("playwright-report"));
  expect(result.failed.map(({ name }) => name)).toEqual(["a.spec.ts › group › fails", "a.spec.ts › needs what did not come up › first"]);
  expect(skipReasons(result.skipped)).toEqual(["1 skipped: no Go on the PATH", "1 skipped: did not run, because a test or a hook before it failed"]);
});

test("Playwright: what passes at the second try has passed, and is kept with why it did not at the first", () => {
  const result = add([nothing(), fromPlaywright(recorded("playwright-report"))]);
  expect(result.passed).toBe(2);
  expect(result.again.map(({ name }) => name)).toEqual(["a.spec.ts › passes at the second try"]);
  expect(result.again[0]?.why).toMatch(/expect|Error/);
});

test("Playwright: a spec file that cannot be loaded fails the run", () => {
  const result = fromPlaywright(recorded("playwright-load-error"));
  expect(result.failed).toHaveLength(1);
  expect(result.failed[0]?.why).toContain("cannot be loaded");
});

test("the closing line counts every step and names skips only where there are some", () => {
  expect(closingLine(add([oneTest("lint"), oneTest("types", "error"), nothing()]))).toBe("1 passed, 1 failed");
  expect(closingLine(fromVitest(recorded("vitest-report")))).toBe("1 passed, 2 failed, 3 skipped");
});
