/*
 * The second half of `npm test`: runs the chosen steps in the environment that the first half made, and adds up. Called
 * with the folder for reports and the steps' names; prints what failed and writes result.json there.
 */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inRoot } from "./paths.mjs";
import { add } from "./reports.mjs";
import { runToEnd } from "./run-to-end.mjs";
import { run, step } from "./steps.mjs";
import { networkOf } from "./test-environment.mjs";
import { RUNNERS } from "./test-runners.mjs";

const [folder, ...names] = process.argv.slice(2);
/** A process in another network than this one belongs to a test cluster, and the egress guard lets it be. */
const env = { ...process.env, SANDGLASS_TEST_NETWORK: networkOf() };

await runToEnd(async () => {
  const results = [];
  for (const name of names) {
    const result = await step(`Running ${name}`, () => RUNNERS[name]({ env, folder }));
    results.push(result);
  }
  await endLeftClusters();
  writeFileSync(path.join(folder, "result.json"), JSON.stringify(add(results)));
});

/** A test run that was cut short may leave a cluster; it lies in our own temporary folder. */
async function endLeftClusters() {
  for (const name of readdirSync(process.env.TMPDIR)) {
    const dir = path.join(process.env.TMPDIR, name);
    if (existsSync(path.join(dir, "pids"))) await run(inRoot("e2e/cluster/down"), [], { env: { ...process.env, SANDGLASS_CLUSTER_DIR: dir } });
  }
}
