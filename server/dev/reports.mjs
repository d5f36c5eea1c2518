import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { ROOT } from "./paths.mjs";

/** So many tests of one run may need their second try (0097); beyond it the run itself is not to be trusted. */
export const MAX_SECOND_TRIES = 4;

/**
 * What a step of `npm test` came to: `passed` as a number, `failed` as `[{ name, why }]`, `skipped` as `[{ name, why }]`;
 * `again` are those of the passed that failed at the first try. Counts come from the runners' JSON alone.
 */
export const nothing = () => ({ passed: 0, failed: [], skipped: [], again: [] });

const relative = (file) => path.relative(ROOT, file);
const firstLines = (text, count = 30) => stripVTControlCharacters(String(text)).split("\n").slice(0, count).join("\n");

/** A step that is one test: it succeeds or it does not. */
export const oneTest = (name, why) => (why === undefined ? { ...nothing(), passed: 1 } : { ...nothing(), failed: [{ name, why }] });

/** Vitest's JSON report. A file that could not be loaded has no tests and counts as one failure; a test that passed and has failures had them at its first try. */
export function fromVitest(report) {
  const result = nothing();
  for (const file of report.testResults) {
    const name = relative(file.name);
    for (const test of file.assertionResults) {
      const full = `${name} › ${test.fullName}`;
      if (test.status === "passed") {
        result.passed += 1;
        if (test.failureMessages.length > 0) result.again.push({ name: full, why: firstLines(test.failureMessages.join("\n")) });
      } else if (test.status === "failed") result.failed.push({ name: full, why: firstLines(test.failureMessages.join("\n")) });
      else result.skipped.push({ name: full, why: `marked ${test.status} in ${name}` });
    }
    const told = file.assertionResults.some((test) => test.status === "failed");
    if (file.status === "failed" && !told) result.failed.push({ name, why: firstLines(file.message || "the file could not be run") });
  }
  return result;
}

/** Playwright's JSON report. A test that passed at the second try has passed, and is told by name with why it did not at the first (0097). */
export function fromPlaywright(report) {
  const result = nothing();
  const visit = (suite, titles) => {
    const here = suite.title === "" ? titles : [...titles, suite.title];
    for (const child of suite.suites ?? []) visit(child, here);
    for (const spec of suite.specs ?? []) {
      const name = [...here, spec.title].join(" › ");
      for (const test of spec.tests) {
        if (test.status === "expected" || test.status === "flaky") result.passed += 1;
        if (test.status === "flaky") result.again.push({ name, why: firstLines(errorsOf(test).join("\n")) });
        else if (test.status === "skipped") result.skipped.push({ name, why: reasonOf(test) });
        else if (test.status !== "expected") result.failed.push({ name, why: firstLines(errorsOf(test).join("\n") || test.status) });
      }
    }
  };
  for (const suite of report.suites) visit(suite, []);
  for (const error of report.errors ?? []) result.failed.push({ name: "Playwright", why: firstLines(error.stack ?? error.message ?? error.value) });
  return result;
}

const errorsOf = (test) => test.results.flatMap((result) => result.errors ?? []).map((error) => error.stack ?? error.message ?? error.value ?? "");
const reasonOf = (test) => test.annotations.find((annotation) => annotation.type === "skip" || annotation.type === "fixme")?.description ?? "did not run, because a test or a hook before it failed";

export function add(results) {
  const sum = nothing();
  for (const result of results) {
    sum.passed += result.passed;
    sum.failed.push(...result.failed);
    sum.skipped.push(...result.skipped);
    sum.again.push(...result.again);
  }
  return sum;
}

/** What the second tries of a whole run are to it: nothing up to the bound, one failure beyond. */
export const secondTries = ({ again }) =>
  again.length <= MAX_SECOND_TRIES ? nothing() : { ...nothing(), failed: [{ name: "tests pass at the first try", why: `${again.length} tests passed at their second try only; ${MAX_SECOND_TRIES} may` }] };

/** Each reason once, with how many tests it kept from running. */
export function skipReasons(skipped) {
  const counts = new Map();
  for (const { why } of skipped) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts].map(([why, count]) => `${count} skipped: ${why}`);
}

export const closingLine = ({ passed, failed, skipped }) => `${passed} passed, ${failed.length} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`;
