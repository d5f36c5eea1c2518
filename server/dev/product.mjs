import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { install, installed } from "./install.mjs";
import { takeLock } from "./lock.mjs";
import { packStatic } from "./pack-static.mjs";
import { BUNDLE, inRoot, PROJECT_NODE, STANDALONE } from "./paths.mjs";
import { manifest, readStamp, sameContent, writeStamp } from "./sources.mjs";
import { mustRun, onStart, step } from "./steps.mjs";

const BUILT = inRoot("dist/.built.json");
const GENERATED = inRoot("dist/.generated.json");
const GENERATED_CLIENT = inRoot("server/store/generated");
const CLIENT_INPUTS = ["prisma/schema.prisma", "prisma.config.ts", "package-lock.json"];
/** No tool of the build may report home or look for a newer version of itself. */
const BUILD_ENV = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", CHECKPOINT_DISABLE: "1", PRISMA_HIDE_UPDATE_MESSAGE: "1", DO_NOT_TRACK: "1" };

const projectNode = (what, args) => mustRun(what, PROJECT_NODE, args, { env: BUILD_ENV });

/** True where the stamp tells of exactly these inputs. Where only times differ, the stamp learns the new ones. */
function current(stampFile, inputs) {
  const stamp = readStamp(stampFile);
  if (stamp === undefined) return false;
  const now = manifest(stamp.files, inputs);
  if (!sameContent(now, stamp.files)) return false;
  if (JSON.stringify(now) !== JSON.stringify(stamp.files)) writeStamp(stampFile, { files: now });
  return true;
}

const clientIsCurrent = () => existsSync(GENERATED_CLIENT) && current(GENERATED, CLIENT_INPUTS);
const buildIsCurrent = () => existsSync(BUNDLE) && existsSync(path.join(STANDALONE, "server.js")) && clientIsCurrent() && current(BUILT);

async function generateClient() {
  if (clientIsCurrent()) return;
  rmSync(GENERATED, { force: true });
  const files = manifest({}, CLIENT_INPUTS);
  await step("Generating the database client", () => projectNode("prisma generate", [inRoot("node_modules/prisma/build/index.js"), "generate"]));
  writeStamp(GENERATED, { files });
}

async function build() {
  await generateClient();
  if (buildIsCurrent()) return;
  const before = readStamp(BUILT);
  rmSync(BUILT, { force: true });
  // Taken before the build: what changes meanwhile is built the next time.
  const files = manifest(before?.files);
  await step("Building the pages", async () => {
    rmSync(STANDALONE, { recursive: true, force: true });
    await projectNode("next build", [inRoot("node_modules/next/dist/bin/next"), "build"]);
    cpSync(inRoot(".next/static"), path.join(STANDALONE, ".next/static"), { recursive: true });
    await packStatic(inRoot(".next/static"), path.join(STANDALONE, "packed/_next/static"));
    if (existsSync(inRoot("public"))) cpSync(inRoot("public"), path.join(STANDALONE, "public"), { recursive: true });
  });
  await step("Building the server", () => projectNode("esbuild", [inRoot("server/dev/bundle.mjs")]));
  writeStamp(BUILT, { files });
}

async function alone(work) {
  mkdirSync(inRoot("dist"), { recursive: true });
  const { give, note } = await takeLock(inRoot("dist/.lock"), {
    waiting: (pid) => process.stdout.write(`Process ${pid} is installing or building here; waiting for it …\n`),
  });
  onStart(note);
  process.once("exit", give); // a signal ends the process in the middle of the work
  try {
    return await work();
  } finally {
    onStart(undefined);
    process.off("exit", give);
    give();
  }
}

/** Installs and builds what is missing or out of date; returns at once where nothing is. */
export async function prepareProduct() {
  if (installed() && buildIsCurrent()) return;
  await alone(async () => {
    await install();
    await build();
  });
}

/** Packages and generated code alone: what type check, lint and unit tests need. */
export async function prepareSources() {
  if (installed() && clientIsCurrent()) return;
  await alone(async () => {
    await install();
    await generateClient();
  });
}
