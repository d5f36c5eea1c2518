/*
 * `npm run bench`: measures the built product and prints each figure beside its target. It never fails for a slow figure,
 * only for one that could not be measured. Node 20 runs this file; the measuring itself runs on the project's Node.
 */
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { benchOptions, BENCH_USAGE } from "./bench/options.mjs";
import { chromiumAtHand } from "./chromium.mjs";
import { PROJECT_NODE, ROOT } from "./paths.mjs";
import { prepareProduct } from "./product.mjs";
import { runToEnd } from "./run-to-end.mjs";
import { run, Sentence } from "./steps.mjs";

await runToEnd(async () => {
  const options = benchOptions(process.argv.slice(2));
  if (options === "help") {
    process.stdout.write(BENCH_USAGE);
    return;
  }
  // Before the build, which would be a load of its own.
  const loadBefore = os.loadavg();
  await prepareProduct();
  const chromium = options.only.includes("ui") ? await chromiumAtHand() : undefined;
  const { bundleBench } = await import("./bench/bundle.mjs"); // its esbuild is there from here on
  const program = await bundleBench();
  const scratch = mkdtempSync(path.join(os.tmpdir(), "sandglass-bench-"));
  process.once("exit", () => rmSync(scratch, { recursive: true, force: true }));
  const { code, signal } = await run(PROJECT_NODE, [program, JSON.stringify({ ...options, root: ROOT, scratch, loadBefore, ...(chromium === undefined ? {} : { chromium }) })], { show: true });
  if (code !== 0) throw new Sentence(`Not everything could be measured (${signal ?? `exit code ${code}`}).`);
});
