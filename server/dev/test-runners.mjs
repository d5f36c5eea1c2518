import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { inRoot, PROJECT_NODE } from "./paths.mjs";
import { fromPlaywright, fromVitest, oneTest } from "./reports.mjs";
import { run } from "./steps.mjs";

/** In a run of all tests, one that fails gets one more try and is named (0097); started by hand, a test has but one. */
const SECOND_TRY = { vitest: ["--retry=1"], playwright: ["--retries=1"] };
const MINUTE_MS = 60_000;
const bin = (...parts) => inRoot("node_modules", ...parts);

const projectNode = (args, env, timeoutMs) => run(PROJECT_NODE, args, { env, show: true, timeoutMs });

/** A tool whose exit code is its whole answer. */
const tool = (name, args, timeoutMs) => async ({ env }) => {
  const { code, signal, output, timedOut } = await projectNode(args, env, timeoutMs);
  return oneTest(name, code === 0 ? undefined : timedOut ? `not finished after ${timeoutMs / MINUTE_MS} minutes` : output.trim() || `ended by ${signal ?? code}`);
};

/** A test runner that writes a JSON report. One that ends badly without naming a failure has failed itself. */
const runner = (name, args, timeoutMs, read, reportVariable) => async ({ env, folder }) => {
  const report = path.join(folder, `${name}.json`);
  const own = reportVariable === undefined ? [`--outputFile.json=${report}`] : [];
  const { code, signal, output, timedOut } = await projectNode([...args, ...own], reportVariable === undefined ? env : { ...env, [reportVariable]: report }, timeoutMs);
  const result = existsSync(report) ? read(JSON.parse(readFileSync(report, "utf8"))) : oneTest(name, `wrote no report: ${output.trim().split("\n").slice(-10).join("\n")}`);
  if (code !== 0 && result.failed.length === 0) {
    const how = timedOut ? `was not finished after ${timeoutMs / MINUTE_MS} minutes` : `ended with ${signal ?? `exit code ${code}`} without naming a failed test`;
    result.failed.push({ name, why: `${name} ${how}:\n${output.trim().split("\n").slice(-30).join("\n")}` });
  }
  return result;
};

const playwright = (project, timeoutMs) =>
  runner(project, [bin("@playwright/test/cli.js"), "test", "--config", inRoot("e2e/playwright.config.ts"), "--project", project, "--pass-with-no-tests", ...SECOND_TRY.playwright, "--reporter=list,json"], timeoutMs, fromPlaywright, "PLAYWRIGHT_JSON_OUTPUT_NAME");

/** The steps of `npm test`, in order. `--only NAME` chooses among them. */
export const RUNNERS = {
  types: tool("type check", [bin("typescript/bin/tsc"), "--noEmit"], 10 * MINUTE_MS),
  lint: tool("lint", [bin("eslint/bin/eslint.js"), "."], 10 * MINUTE_MS),
  unit: runner("unit", [bin("vitest/vitest.mjs"), "run", ...SECOND_TRY.vitest, "--reporter=default", "--reporter=json"], 20 * MINUTE_MS, fromVitest),
  browser: playwright("browser", 25 * MINUTE_MS),
  real: playwright("real", 40 * MINUTE_MS),
};
