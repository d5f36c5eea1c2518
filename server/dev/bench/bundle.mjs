import { build } from "esbuild";
import { inRoot } from "../paths.mjs";

/** Inside node_modules, so that the packages of the project are found from there. */
const OUTPUT = inRoot("node_modules/.cache/sandglass-bench/main.mjs");

/** Our own TypeScript as one file; packages stay packages. */
export async function bundleBench() {
  await build({ entryPoints: [inRoot("server/dev/bench/main.ts")], outfile: OUTPUT, bundle: true, format: "esm", platform: "node", target: "node24", packages: "external", sourcemap: true, logLevel: "warning" });
  return OUTPUT;
}
