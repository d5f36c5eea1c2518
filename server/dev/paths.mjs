import path from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. Plain Node 20.0 has no `import.meta.dirname`. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const inRoot = (...parts) => path.join(ROOT, ...parts);

/** The Node that everything but these runners runs on; it comes with the installed packages. */
export const PROJECT_NODE = inRoot("node_modules/node/bin/node");
export const BUNDLE = inRoot("dist/main.mjs");
export const STANDALONE = inRoot(".next/standalone");

/**
 * How V8 is to keep the collector's memory. It makes much garbage that dies at once beside a small heap that lives: left to itself V8 gives
 * the first 128 MiB and lets the second grow to several times what lives (docs/decisions/0048). The image says the same.
 */
export const NODE_FLAGS = ["--max-semi-space-size=4", "--heap-growing-percent=30"];
