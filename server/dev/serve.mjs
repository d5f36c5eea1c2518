import { BUNDLE, NODE_FLAGS, PROJECT_NODE } from "./paths.mjs";
import { prepareProduct } from "./product.mjs";
import { runToEnd, SIGNAL_CODES } from "./run-to-end.mjs";
import { signalGroup, start } from "./steps.mjs";

/** The product ends by itself within less; with what npm itself needs this stays under ten seconds. */
const GRACE_MS = 8_500;

export async function startProduct(args) {
  let ready = false;
  await runToEnd(async () => {
    await prepareProduct();
    ready = true;
  });
  if (ready) serve(args);
}

/** Runs the product and hands every signal on. Ends with its exit code. */
function serve(args) {
  for (const signal of Object.keys(SIGNAL_CODES)) process.removeAllListeners(signal);
  // A group of its own: Ctrl-C reaches it once, through us, and whatever it started can be ended with it.
  const child = start(PROJECT_NODE, [...NODE_FLAGS, BUNDLE, "serve", ...args], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  for (const signal of Object.keys(SIGNAL_CODES)) {
    process.on(signal, () => {
      child.kill(signal);
      setTimeout(() => signalGroup(child, "SIGKILL"), GRACE_MS).unref();
    });
  }
  child.once("error", (error) => {
    process.stderr.write(`${PROJECT_NODE} could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.once("exit", (code, signal) => {
    signalGroup(child, "SIGKILL");
    process.exit(code ?? SIGNAL_CODES[signal] ?? 1);
  });
}
