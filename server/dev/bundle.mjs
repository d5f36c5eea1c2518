import { rmSync } from "node:fs";
import { build } from "esbuild";
import { BUNDLE, inRoot } from "./paths.mjs";

/**
 * The collector, the agent and every other command as one file with its lazily loaded parts beside it, and what the web process runs first. What has native
 * parts, generated code that looks for its own files, or is served by Next stays a package.
 */
const EXTERNAL = ["better-sqlite3", "next", "@prisma/client", "@prisma/adapter-better-sqlite3"];
/** Packages written as CommonJS call these, which an ES module does not have. */
const BANNER = `import { createRequire as createRequireOfBundle } from "node:module";
import { fileURLToPath as pathOfBundle } from "node:url";
const require = createRequireOfBundle(import.meta.url);
const __filename = pathOfBundle(import.meta.url);
const __dirname = pathOfBundle(new URL(".", import.meta.url));`;

/** zod brings its messages in fifty languages, all of which would be loaded by every command, the agent's first of all. Ours are in English. */
const englishZod = {
  name: "zod-in-english",
  setup: (build) => build.onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({ contents: 'export { default as en } from "./en.js";', loader: "js" })),
};

rmSync(inRoot("dist/parts"), { recursive: true, force: true });
await build({
  entryPoints: { main: inRoot("server/main.ts"), "web-preload": inRoot("server/commands/web-preload.ts") },
  outdir: inRoot("dist"),
  outExtension: { ".js": ".mjs" },
  chunkNames: "parts/[name]-[hash]",
  splitting: true,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node24",
  sourcemap: true,
  // V8 keeps the text of what runs, at two bytes a character where a comment holds any other than Latin-1. Names stay as they are, for traces.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  external: EXTERNAL.flatMap((name) => [name, `${name}/*`]),
  banner: { js: BANNER },
  plugins: [englishZod],
  logLevel: "warning",
});
process.stdout.write(`${BUNDLE}\n`);
