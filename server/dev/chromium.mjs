import { existsSync } from "node:fs";
import { executable } from "./install.mjs";
import { inRoot, PROJECT_NODE } from "./paths.mjs";
import { run, Sentence, step } from "./steps.mjs";
import { aptInstall } from "./apt.mjs";

const KNOWN_PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const PLAYWRIGHT_CLI = inRoot("node_modules/@playwright/test/cli.js");

const known = () => KNOWN_PLACES.find(executable);

/** Where Playwright's own download of the browser would be, if it is there. */
async function playwrights() {
  const { code, output } = await run(PROJECT_NODE, ["--input-type=module", "-e", 'import { chromium } from "@playwright/test"; process.stdout.write(chromium.executablePath());']);
  return code === 0 && existsSync(output.trim()) ? output.trim() : undefined;
}

/** The path of a Chromium that is there already. */
export async function chromiumAtHand() {
  const given = process.env.CHROMIUM_PATH;
  if (given === undefined || given === "") return known() ?? (await playwrights());
  if (!executable(given)) throw new Sentence(`CHROMIUM_PATH is ${given}, which is no program that can be run.`);
  return given;
}

/** The path of a Chromium, installed where there was none. */
export async function findChromium() {
  const found = await chromiumAtHand();
  if (found !== undefined) return found;
  const byPlaywright = await step("Installing Chromium by Playwright", () => run(PROJECT_NODE, [PLAYWRIGHT_CLI, "install", "chromium"]));
  if (byPlaywright.code === 0) {
    const path = await playwrights();
    if (path !== undefined) return path;
  }
  const refused = await aptInstall(["chromium"]);
  const installed = known();
  if (refused === undefined && installed !== undefined) return installed;
  throw new Sentence(`No Chromium was found, Playwright could not install one (${byPlaywright.output.trim().split("\n").at(-1)}), and neither could apt-get (${refused ?? "it left no program behind"}). Install Chromium or Chrome, or set CHROMIUM_PATH to one.`);
}
