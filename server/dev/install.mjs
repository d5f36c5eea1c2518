import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { inRoot, PROJECT_NODE } from "./paths.mjs";
import { readStamp, writeStamp } from "./sources.mjs";
import { mustRun, run, Sentence, step } from "./steps.mjs";

/** Inside node_modules, so that an installation that is thrown away takes its stamp with it. */
const STAMP = inRoot("node_modules/.sandglass-install.json");
/** A package that would rather have a newer Node than npm runs on is fine: it runs on the project's. */
const QUIET = ["--no-audit", "--no-fund", "--no-update-notifier", "--engine-strict=false"];
/** The packages whose install scripts are needed; every other package's stay unrun. */
const WITH_SCRIPTS = ["node", "esbuild"];

const wanted = () => ({
  lock: createHash("sha256").update(readFileSync(inRoot("package-lock.json"))).digest("hex"),
  platform: `${process.platform}-${process.arch}`,
});
const same = (a, b) => a?.lock === b.lock && a.platform === b.platform;

export const installed = () => same(readStamp(STAMP), wanted()) && existsSync(PROJECT_NODE);

/**
 * The packages of the lockfile, with a Node of their own. npm 10 does not know `allowScripts` and would run every
 * package's install script, so none runs at first and the needed ones are named afterwards.
 */
export async function install() {
  if (installed()) return;
  if (!npmHasInstalledTheLockfile()) {
    await step("Installing packages (one to two minutes the first time)", () => npm("npm ci", ["ci", "--include=dev", "--ignore-scripts", ...QUIET]));
  }
  if (!(await projectNodeRuns())) {
    await step("Installing Node for the project", () => npm("npm rebuild", ["rebuild", ...WITH_SCRIPTS, "--ignore-scripts=false", ...QUIET]));
    if (!(await projectNodeRuns())) throw new Sentence(`npm rebuild left no working ${path.relative(process.cwd(), PROJECT_NODE)}. Remove node_modules and start again.`);
  }
  writeStamp(STAMP, wanted());
}

const lockedPackages = (file) => readStamp(file)?.packages ?? {};

/** True where npm's own record, which it writes when everything is unpacked, names exactly what the lockfile asks for. */
function npmHasInstalledTheLockfile() {
  const locked = lockedPackages(inRoot("package-lock.json"));
  const present = lockedPackages(inRoot("node_modules/.package-lock.json"));
  if (Object.keys(present).length === 0) return false;
  const names = Object.keys(locked).filter((name) => name !== "");
  return names.every((name) =>
    present[name] === undefined ? locked[name].optional === true : present[name].version === locked[name].version && present[name].integrity === locked[name].integrity,
  );
}

async function projectNodeRuns() {
  if (!existsSync(PROJECT_NODE)) return false;
  const { code, output } = await run(PROJECT_NODE, ["--version"]).catch((error) => ({ code: undefined, output: error.message }));
  return code === 0 && output.trim() === `v${lockedPackages(inRoot("package-lock.json"))["node_modules/node"].version}`;
}

/** Runs the npm that was called, or else the first one on the path, with the machine's own Node: the project's may be about to be replaced. */
async function npm(what, args) {
  const cli = process.env.npm_execpath;
  const systemNode = process.env.npm_node_execpath ?? process.execPath;
  if (cli !== undefined && /npm-cli\.[cm]?js$/.test(cli) && !systemNode.startsWith(inRoot("node_modules"))) return mustRun(what, systemNode, [cli, ...args]);
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => !folder.endsWith("node_modules/.bin"));
  const found = folders.map((folder) => path.join(folder, "npm")).find(executable);
  if (found === undefined) throw new Sentence("npm was not found on the PATH: install Node with npm, then start again.");
  return mustRun(what, found, args, { env: { ...process.env, PATH: folders.join(path.delimiter) } });
}

export function executable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if (error.code !== undefined) return false;
    throw error;
  }
}
