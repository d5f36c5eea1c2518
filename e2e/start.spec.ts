import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { freePort } from "../server/dev/free-port";
import { childrenOf, isAlive, signalProcess } from "./setup/processes";
import { until } from "./setup/product";
import { expect, test } from "./setup/test";

const ROOT = path.resolve(import.meta.dirname, "..");
const ALL_GONE_MS = 10_000;
const START_TIMEOUT_MS = 90_000;

test.skip(process.platform !== "linux", "looks for processes in /proc");

interface Started {
  readonly npm: ChildProcess;
  readonly port: number;
  readonly printed: () => string;
  /** npm, its shell, the runner, the product and its pages, in this order. */
  readonly tree: readonly number[];
}

const descendants = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);

async function npmStart(data: string): Promise<Started> {
  const port = await freePort();
  const npm = spawn("npm", ["start", "--", "--simulate", "--port", String(port), "--data", data], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"], detached: true }); // a process group, as a shell makes one for each command
  let text = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await until("the address", START_TIMEOUT_MS, async () => (text.includes("Sandglass is at ") ? true : undefined));
  return { npm, port, printed: () => text, tree: [npm.pid ?? 0, ...descendants(npm.pid ?? 0)] };
}

let data: string;
test.beforeEach(() => {
  data = mkdtempSync(path.join(os.tmpdir(), "sandglass-start-"));
});
test.afterEach(() => rmSync(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

test("a start after a build installs and builds nothing, and tells each step with its time, the cluster in one line and one address", async () => {
  const { npm, port, printed } = await npmStart(data);
  const ended = once(npm, "exit");
  npm.kill("SIGTERM");
  await ended;
  expect(printed()).not.toMatch(/Installing|Building|Generating/);
  for (const step of ["Finding the cluster", "Starting the simulated cluster", "Preparing the data file", "Starting to collect", "Starting the pages"]) expect.soft(printed()).toMatch(new RegExp(`^ *${step} +\\d+\\.\\d s$`, "m"));
  expect(printed().match(/^Cluster: .*$/gm)).toEqual([expect.stringMatching(/^Cluster: simulated \(.+\) at https:\/\/127\.0\.0\.1:\d+ \(v[^)]+\) as simulated-admin, actions on$/)]);
  expect(printed().match(/http:\/\/\S+/g)).toEqual([`http://localhost:${port}`]);
});

for (const { name, which, signal, group } of [
  { name: "Ctrl-C is pressed in its terminal", which: 0, signal: "SIGINT", group: true },
  { name: "npm is asked to end", which: 0, signal: "SIGTERM", group: false },
  { name: "npm is killed", which: 0, signal: "SIGKILL", group: false },
  { name: "npm's shell is killed", which: 1, signal: "SIGKILL", group: false },
  { name: "the runner is killed", which: 2, signal: "SIGKILL", group: false },
] as const) {
  test(`when ${name}, every process ends and the port is free`, async () => {
    const { port, tree } = await npmStart(data);
    expect(tree.length).toBeGreaterThanOrEqual(4);
    const pid = tree[which];
    if (pid === undefined) throw new Error(`npm has no process number ${which}`);
    process.kill(group ? -pid : pid, signal); // a terminal tells every process of the group
    try {
      await expect.poll(() => tree.filter(isAlive), { timeout: ALL_GONE_MS }).toEqual([]);
      await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    } finally {
      for (const pid of tree.filter(isAlive)) signalProcess(pid, "SIGKILL");
    }
  });
}

test("npm start ends with the product's exit code and its one sentence", async () => {
  const npm = spawn("npm", ["start", "--silent", "--", "--port", "99999"], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(npm, "close")) as [number | null];
  expect(code).toBe(2);
  expect(text).toMatch(/--port is "99999"/);
});

test("a Node that is too old is told so in one sentence", async () => {
  const pretend = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'18.20.4'}});Object.defineProperty(process,'version',{value:'v18.20.4'})";
  const start = spawn(process.execPath, ["--import", pretend, path.join(ROOT, "server/dev/start.mjs")], { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [start.stdout, start.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(start, "close")) as [number | null];
  expect(code).toBe(1);
  expect(text).toBe("Sandglass needs Node 20 or newer; this is v18.20.4. Install a newer Node and start again.\n");
});
