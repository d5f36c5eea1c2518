import path from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. Plain Node 20.0 has no `import.meta.dirname`. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const inRoot = (...parts) => path.join(ROOT, ...parts);

/** The Node that everything but these runners runs on; it comes with the installed packages. */
export const PROJECT_NODE = inRoot("node_modules/node/bin/node");
export const BUNDLE = inRoot("dist/main.mjs");
export const STANDALONE = inRoot(".next/standalone");
