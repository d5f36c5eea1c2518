import { build } from "esbuild";
import { inRoot } from "../paths.mjs";

/** Inside node_modules, so that the packages of the project are found from there. */
const FOLDER = inRoot("node_modules/.cache/sandglass-bench");

/** Our own TypeScript as one file for each program; packages stay packages. */
export async function bundleBench() {
  await build({ entryPoints: { main: inRoot("server/dev/bench/main.ts"), "agents-worker": inRoot("server/dev/bench/agents-worker.ts") }, outdir: FOLDER, outExtension: { ".js": ".mjs" }, bundle: true, format: "esm", platform: "node", target: "node24", packages: "external", sourcemap: true, logLevel: "warning" });
  return `${FOLDER}/main.mjs`;
}
