import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { NODE_FLAGS } from "../paths.mjs";

const MAX_KEPT_OUTPUT = 64 * 1_024;
const STOP_TIMEOUT_MS = 20_000;

/** A command of the built product, running. */
export interface Program {
  readonly pid: number;
  /** Throws, with the last of what it printed, where it is not running any more. */
  check(): void;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  readonly root: string;
  /** Its home, so that no configuration of the person who measures is found. */
  readonly home: string;
  readonly args: readonly string[];
  /** What it prints once it does what it is for. */
  readonly ready: string;
  readonly readyTimeoutMs: number;
}

export async function startProgram({ root, home, args, ready, readyTimeoutMs }: ProgramOptions): Promise<Program> {
  const name = args[0] ?? "";
  const env = { PATH: process.env.PATH ?? "", HOME: home, TZ: "UTC", NODE_ENV: "production" as const };
  // In our own process group: whoever ends us ends it too.
  const child = spawn(process.execPath, [...NODE_FLAGS, path.join(root, "dist/main.mjs"), ...args], { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  let tellOfOutput = (): void => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-MAX_KEPT_OUTPUT);
      tellOfOutput();
    });
  }
  const ended = once(child, "exit");
  const check = (): void => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`"${name}" ended (${child.signalCode ?? `exit code ${child.exitCode}`}):\n${printed}`);
  };
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(late);
    if (child.signalCode === "SIGKILL") throw new Error(`"${name}" did not end within ${STOP_TIMEOUT_MS / 1_000} s:\n${printed}`);
  };
  const isReady = new Promise<boolean>((resolve) => {
    const late = setTimeout(() => resolve(false), readyTimeoutMs);
    tellOfOutput = () => {
      if (!printed.includes(ready)) return;
      clearTimeout(late);
      resolve(true);
    };
    tellOfOutput();
    ended.then(() => {
      clearTimeout(late);
      resolve(false);
    }, resolve.bind(undefined, false));
  });
  if (!(await isReady) || child.pid === undefined) {
    await stop();
    throw new Error(`"${name}" did not say "${ready}" within ${readyTimeoutMs / 1_000} s:\n${printed}`);
  }
  return { pid: child.pid, check, stop };
}
