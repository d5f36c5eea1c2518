import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { findChromium } from "./chromium.mjs";
import { inRoot, PROJECT_NODE } from "./paths.mjs";
import { prepareProduct, prepareSources } from "./product.mjs";
import { prepareCluster } from "./real-cluster.mjs";
import { add, closingLine, nothing, oneTest, secondTries, skipReasons } from "./reports.mjs";
import { runToEnd } from "./run-to-end.mjs";
import { run, Sentence } from "./steps.mjs";
import { contacted, inNamespace, noNamespace, testEnvironment } from "./test-environment.mjs";
import { RUNNERS } from "./test-runners.mjs";

const USAGE = `npm test -- [--real] [--only ${Object.keys(RUNNERS).join("|")}]...`;
const NEEDS_PRODUCT = ["browser", "real"];

function chosen() {
  let values;
  try {
    ({ values } = parseArgs({ options: { real: { type: "boolean", default: false }, only: { type: "string", multiple: true, default: [] } } }));
  } catch (error) {
    throw new Sentence(`${error.message}\nUsage: ${USAGE}`);
  }
  const unknown = values.only.find((name) => RUNNERS[name] === undefined);
  if (unknown !== undefined) throw new Sentence(`--only ${unknown}: there is no such step.\nUsage: ${USAGE}`);
  return { buildCluster: values.real || Boolean(process.env.CI), names: Object.keys(RUNNERS).filter((name) => values.only.length === 0 || values.only.includes(name)) };
}

/** Everything that may reach a registry, with the caller's own home. */
async function setUp({ names, buildCluster }) {
  const whole = names.some((name) => NEEDS_PRODUCT.includes(name));
  await (whole ? prepareProduct() : prepareSources());
  if (names.includes("real")) await prepareCluster({ wanted: buildCluster });
  return testEnvironment({ chromium: whole ? await findChromium() : undefined });
}

async function runSteps(made, names) {
  const command = [PROJECT_NODE, inRoot("server/dev/test-run.mjs"), made.folder, ...names];
  const openBecause = await noNamespace();
  if (openBecause !== undefined) process.stdout.write(`Tests run in this machine's own network (${openBecause}): attempts to leave it are caught in Node and in pages, not in other programs.\n`);
  const [file, args] = openBecause === undefined ? inNamespace(made.folder, command) : [command[0], command.slice(1)];
  const { code, signal } = await run(file, args, { env: made.env, show: true });
  const written = path.join(made.folder, "result.json");
  const result = existsSync(written) ? JSON.parse(readFileSync(written, "utf8")) : oneTest("test run", `it ended early (${signal ?? `exit code ${code}`})`);
  const ran = result.passed + result.failed.length > 0;
  const outside = contacted(made);
  return add([ran ? result : add([result, oneTest("test run", "no test ran")]), oneTest("nothing but this machine and its test clusters was contacted", outside.length === 0 ? undefined : outside.join("\n"))]);
}

async function testAll() {
  const choice = chosen();
  const made = await setUp(choice);
  try {
    return await runSteps(made, choice.names);
  } finally {
    rmSync(made.folder, { recursive: true, force: true });
  }
}

let result = nothing();
await runToEnd(async () => {
  result = await testAll().catch((error) => {
    return oneTest("set-up", error instanceof Sentence ? error.message : (error.stack ?? String(error)));
  });
  result = add([result, secondTries(result)]);
  for (const { name, why } of result.again) process.stdout.write(`\nPASSED AT THE SECOND TRY ${name}\n${why}\n`);
  for (const { name, why } of result.failed) process.stdout.write(`\nFAILED ${name}\n${why}\n`);
  for (const line of skipReasons(result.skipped)) process.stdout.write(`${line}\n`);
  process.stdout.write(`${closingLine(result)}\n`);
  process.exitCode = result.failed.length > 0 ? 1 : 0;
});
