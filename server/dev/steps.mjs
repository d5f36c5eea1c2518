import { spawn } from "node:child_process";
import { ROOT } from "./paths.mjs";

/** A failure that the person at the keyboard can read as it is: no stack. */
export class Sentence extends Error {}

const MAX_KEPT_OUTPUT = 64 * 1024;
const TAIL_LINES = 40;
const KILL_AFTER_MS = 5_000;
/** Commands that run now. */
const running = new Set();
let tellOfStart;

/** `tell(pid)` is called for each command that is started from now on. */
export function onStart(tell) {
  tellOfStart = tell;
}

const seconds = (sinceMs) => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;

/** Says what begins and, once it ended, how long it took. */
export async function step(name, work) {
  const start = performance.now();
  process.stdout.write(`${name} …\n`);
  const result = await work();
  process.stdout.write(`${name}: ${seconds(start)}\n`);
  return result;
}

/** Sends a signal to everything that `child` started, or to nobody where it has ended. */
export function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** Starts a command as the leader of a process group of its own, so that it can be ended with all that it starts. */
export function start(file, args, options = {}) {
  const child = spawn(file, args, { cwd: ROOT, detached: true, ...options });
  running.add(child);
  if (child.pid !== undefined) tellOfStart?.(child.pid);
  child.once("exit", () => running.delete(child));
  child.once("error", () => running.delete(child));
  return child;
}

/** Ends what runs now: politely, then by force. Resolves when nothing is left. */
export async function stopAll(signal = "SIGTERM", forceAfterMs = KILL_AFTER_MS) {
  const children = [...running];
  await Promise.all(
    children.map((child) => {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      signalGroup(child, signal);
      const force = setTimeout(() => signalGroup(child, "SIGKILL"), forceAfterMs);
      return gone.finally(() => clearTimeout(force));
    }),
  );
  for (const child of children) signalGroup(child, "SIGKILL");
}

/**
 * Runs a command and resolves to `{ code, signal, output }`. Its output is kept (the last part of it), and shown as well
 * with `show`.
 */
export function run(file, args, { env = process.env, show = false, timeoutMs } = {}) {
  return new Promise((resolve, reject) => {
    const child = start(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of ["stdout", "stderr"]) {
      child[stream].setEncoding("utf8").on("data", (chunk) => {
        if (show) process[stream].write(chunk);
        output = (output + chunk).slice(-MAX_KEPT_OUTPUT);
      });
    }
    let timedOut = false;
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => {
      timedOut = true;
      signalGroup(child, "SIGKILL");
    }, timeoutMs);
    child.once("error", reject);
    // What it left running would hold the pipes open: "exit" tells of the command, "close" of the pipes.
    child.once("exit", () => signalGroup(child, "SIGKILL"));
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, output, timedOut });
    });
  });
}

/** Runs a command that must succeed; the end of its output is in the error where it does not. */
export async function mustRun(what, file, args, options) {
  const { code, signal, output } = await run(file, args, options).catch((error) => {
    throw new Sentence(`${what} could not be started: ${error.message}`);
  });
  if (code === 0) return output;
  const tail = output.trim().split("\n").slice(-TAIL_LINES).join("\n");
  throw new Sentence(`${tail}\n\n${what} failed (${signal ?? `exit code ${code}`}). What it said stands above.`);
}
