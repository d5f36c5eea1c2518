import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { freePort } from "../free-port";
import type { Figure } from "./figures";
import { wait } from "./fleet";
import type { BenchOptions } from "./run-options";
import { largest, percentile } from "./statistics";

const STARTS = 3;
const LOOK_EVERY_MS = 20;
const UP_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;
/** What `npm start` prints where it does more than start. */
const PREPARES = /Installing|Building|Generating/;

/** How long `npm start` takes where everything is installed and built: from its process to the fleet page that answers 200. */
export async function benchStart({ root, scratch }: BenchOptions, say: (line: string) => void): Promise<readonly Figure[]> {
  const home = await mkdtemp(path.join(scratch, "start-"));
  try {
    say("starting once, so that every later start is a second one");
    await npmStart(root, home);
    const took: number[] = [];
    for (let at = 0; at < STARTS; at++) {
      say(`start ${at + 1} of ${STARTS}`);
      took.push(await npmStart(root, home));
    }
    const part = "start";
    return [
      { part, what: `npm start again, 24 simulated nodes → the fleet page answers: median of ${STARTS}`, value: percentile(took, 0.5) / 1_000, unit: "seconds" },
      { part, what: "the same: slowest", value: largest(took) / 1_000, unit: "seconds", target: { most: 5, words: "≤ 5 s" } },
    ];
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Starts, waits for the page, and stops. Returns the milliseconds from the process to the page. Throws where it did not come, or was no plain start. */
async function npmStart(root: string, home: string): Promise<number> {
  const port = await freePort();
  const env = { PATH: process.env.PATH ?? "", HOME: home, TZ: "UTC", NODE_ENV: "production" as const };
  const startedMs = performance.now();
  const npm = spawn("npm", ["start", "--", "--simulate", "--port", String(port), "--data", path.join(home, "data")], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const ended = once(npm, "exit");
  try {
    while (!(await answers(`http://127.0.0.1:${port}/`))) {
      if (npm.exitCode !== null || npm.signalCode !== null) throw new Error(`npm start ended before its page was up:\n${printed}`);
      if (performance.now() - startedMs > UP_TIMEOUT_MS) throw new Error(`no page within ${UP_TIMEOUT_MS / 1_000} s:\n${printed}`);
      await wait(LOOK_EVERY_MS);
    }
    const tookMs = performance.now() - startedMs;
    if (PREPARES.test(printed)) throw new Error(`this start did more than start:\n${printed}`);
    return tookMs;
  } finally {
    npm.kill("SIGTERM");
    const late = setTimeout(() => npm.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(late);
  }
}

/** No connection is the answer of a page that is not up yet. */
async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.body?.cancel();
    return answer.status === 200;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
