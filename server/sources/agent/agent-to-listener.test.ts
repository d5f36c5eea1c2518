import { once } from "node:events";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDesk } from "@/server/agent/actions/desk";
import { agentOptions } from "@/server/agent/options";
import { lineOfFiles } from "@/server/agent/line";
import { runAgent } from "@/server/agent/run";
import { scaledClock, systemClock, type Clock } from "@/server/clock";
import type { Observation } from "@/server/domain/observation";
import { createLog } from "@/server/log";
import { makeAuthority, type KeyPair } from "@/server/pki";
import { ensureAgentAuthority } from "./authority";
import type { DropReason } from "./drops";
import { startAgentListener, type Admission, type AgentListener } from "./listener";
import { agentFolder, issueAgentToken } from "./tokens";
import type { WorkDesk } from "./work";

/** The agent as it runs on a node, and the listener as it runs in the server, over a real TLS connection. Ten seconds of both pass in one. */
const fast = scaledClock(Date.now(), 10);
let clock: Clock;
const START_MS = Date.now();
const log = createLog("silent", "test");
let root: string;
let dataDir: string;
let authority: KeyPair;
let observed: Observation[];
let listener: AgentListener | undefined;
let running: { readonly stop: AbortController; readonly done: Promise<number> }[];
let others: Server[];

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sandglass-node-"));
  await mkdir(path.join(root, "etc/cni/net.d"), { recursive: true });
  await writeFile(path.join(root, "etc/cni/net.d/10-a.conflist"), JSON.stringify({ name: "a", plugins: [{ type: "bridge" }] }));
  dataDir = await mkdtemp(path.join(tmpdir(), "sandglass-data-"));
  ({ authority } = await ensureAgentAuthority(dataDir));
  await issueAgentToken(dataDir, "node-1");
  clock = fast;
  observed = [];
  running = [];
  others = [];
});
afterEach(async () => {
  for (const { stop } of running) stop.abort();
  await Promise.all(running.map(({ done }) => done));
  await listener?.stop();
  listener = undefined;
  await Promise.all(others.map((server) => new Promise((resolve) => server.close(resolve))));
  await Promise.all([root, dataDir].map((dir) => rm(dir, { recursive: true, force: true })));
});

async function listen(port = 0, work?: WorkDesk): Promise<AgentListener> {
  listener = await startAgentListener({ ...(work === undefined ? {} : { work }), host: "127.0.0.1", port, authority, tokens: agentFolder(dataDir), observe: (one) => observed.push(one), tell: () => ({ nadPluginTypes: ["macvlan"] }), clock, log });
  return listener;
}
const flags = (port: number, ...more: string[]): string[] => ["--push", `https://127.0.0.1:${String(port)}`, "--node", "node-1", "--token-file", path.join(agentFolder(dataDir), "node-1.token"), "--ca-file", path.join(agentFolder(dataDir), "ca.crt"), "--host-root", root, ...more];
function run(argv: readonly string[], stdout: (text: string) => void = () => undefined, agentLog = log): { readonly stop: AbortController; readonly done: Promise<number> } {
  const options = agentOptions(argv);
  if (!options.ok) throw new Error(options.problems.join());
  const stop = new AbortController();
  const one = { stop, done: runAgent(options.value, { clock, log: agentLog, stdout: { write: stdout }, signal: stop.signal, random: () => 0.5 }) };
  running.push(one);
  return one;
}
const reports = () => observed.flatMap((one) => (one.source === "agent" ? [one.report] : []));
const sequences = (): number[] => observed.map((one) => (one.source === "agent" ? one.report.sequence : 0));
/** At least so many: another may come between two looks. */
const came = (count: number) => expect.poll(() => sequences().length, { timeout: 25_000 }).toBeGreaterThanOrEqual(count);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("the agent reports every period on one connection, until it is told to end", async () => {
  const { port } = await listen();
  const agent = run(flags(port, "--period", "1s"));
  await came(3);
  expect(sequences().slice(0, 3)).toEqual([1, 2, 3]);
  expect(listener?.status()).toMatchObject({ accepted: sequences().length, connections: 1 });
  expect(observed[0]).toMatchObject({ source: "agent", node: "node-1", report: { config: { looked: true, reading: { effectiveFile: "10-a.conflist", missingBinaries: ["bridge"] } }, sandboxes: { looked: false } } });
  agent.stop.abort();
  expect(await agent.done).toBe(0);
});

test("what the server answers is looked at from the next report on", async () => {
  const { port } = await listen();
  run(flags(port, "--period", "1s"));
  await came(2);
  const wanted = observed.slice(0, 2).map((one) => (one.source === "agent" && one.report.binaries?.looked === true ? one.report.binaries.items.map(({ type, wantedBy }) => `${type} for ${wantedBy.join()}`) : undefined));
  expect(wanted).toEqual([["bridge for 10-a.conflist"], ["bridge for 10-a.conflist", "macvlan for NAD"]]);
});

test("the period is the server's where the agent's own command line has none", async () => {
  await listen();
  const port = listener?.port ?? 0;
  await listener?.stop();
  listener = await startAgentListener({ host: "127.0.0.1", port, authority, tokens: agentFolder(dataDir), observe: (one) => observed.push(one), tell: () => ({ periodSeconds: 1 }), clock, log });
  run(flags(port)); // 15 s without the server's word
  await came(6);
  const times = observed.map(({ atMs }) => atMs);
  // A busy machine makes rounds late, and none of them early.
  expect(Math.min(...times.slice(1).map((atMs, at) => atMs - (times[at] ?? 0)))).toBeLessThan(10_000);
});

test("each round comes up to a tenth of the period earlier or later, by chance, so that a fleet does not push in step", async () => {
  const { port } = await listen();
  const waits: number[] = [];
  // Time stands still for this agent, so that a wait is the period with its jitter and nothing else.
  const standing: Clock = {
    rate: 1,
    now: () => START_MS,
    after: (ms, done) => {
      waits.push(ms);
      const timer = setTimeout(done, 1);
      return () => {
        clearTimeout(timer);
      };
    },
  };
  const options = agentOptions(flags(port, "--period", "10s"));
  if (!options.ok) throw new Error(options.problems.join());
  const chances = [0, 0.25, 0.5, 0.75, 1 - Number.EPSILON];
  let drawn = 0;
  const stop = new AbortController();
  const done = runAgent(options.value, { clock: standing, log, stdout: { write: () => undefined }, signal: stop.signal, random: () => chances[drawn++ % chances.length] ?? 0 });
  running.push({ stop, done });
  await came(6);
  expect(waits.slice(0, 5).map(Math.round)).toEqual([9_000, 9_500, 10_000, 10_500, 11_000]);
});

test("reports made while the server is away arrive when it is back, in order and with their own times", async () => {
  clock = systemClock; // by a faster one a slow connection looks like clocks that differ
  const { port } = await listen();
  run(flags(port, "--period", "1s"));
  await came(1);
  await listener?.stop();
  const before = sequences().length;
  await pause(2_500);
  await listen(port);
  await came(before + 3);
  const got = sequences();
  expect(got).toEqual(got.map((_, at) => at + 1));
  const times = observed.map(({ atMs }) => atMs);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(new Set(times).size).toBe(times.length);
});

/** Files whose reading packs badly: about 25 KB of each report, so that few of them fill the smallest buffer. */
async function wordyConfig(): Promise<void> {
  for (let file = 20; file < 30; file += 1) {
    const plugins = Array.from({ length: 60 }, () => ({ type: randomBytes(45).toString("hex") }));
    await writeFile(path.join(root, `etc/cni/net.d/${String(file)}-b.conflist`), JSON.stringify({ name: "b", plugins }));
  }
}

test("what the agent's buffer gave up while the server was away is told by the next reports: just as many as did not arrive, of just that time", async () => {
  clock = systemClock; // by a faster one a slow connection looks like clocks that differ
  await wordyConfig();
  const { port } = await listen();
  const warned: string[] = [];
  const heeding = Object.assign(Object.create(log) as typeof log, { warn: (_: unknown, words: string) => warned.push(words) });
  run(flags(port, "--period", "1s", "--buffer-size", "64KiB"), () => undefined, heeding);
  await expect.poll(() => sequences().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(1);
  expect(reports()[0]?.lostReports).toEqual({ thinned: 0, tooOld: 0 });
  await listener?.stop();
  listener = undefined;
  const awayMs = systemClock.now();
  await expect.poll(() => warned, { timeout: 60_000 }).toContain("reports that wait for the server were dropped");
  const before = reports().length;
  await listen(port);
  await expect.poll(() => reports().length, { timeout: 70_000 }).toBeGreaterThan(before);
  const backMs = systemClock.now();
  // The second that was made since then: what gave way until all was sent is told by it.
  await expect.poll(() => reports().filter(({ atMs }) => atMs > backMs).length, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
  const got = sequences();
  const last = reports().at(-1);
  const missing = Array.from({ length: last?.sequence ?? 0 }, (_, at) => at + 1).filter((sequence) => !got.includes(sequence));
  expect(missing.length).toBeGreaterThanOrEqual(1);
  expect(last?.lostReports).toMatchObject({ thinned: missing.length, tooOld: 0 });
  expect(last?.lostReports?.fromMs).toBeGreaterThanOrEqual(awayMs - 5_000);
  expect(last?.lostReports?.toMs).toBeGreaterThanOrEqual(last?.lostReports?.fromMs ?? Number.POSITIVE_INFINITY);
  expect(last?.lostReports?.toMs).toBeLessThan(last?.atMs ?? 0);
}, 150_000);

test.each<[string, Admission, DropReason]>([
  ["before its nodes are listed", { is: "not-yet", reason: "the first list of nodes is not finished" }, "not-listed-yet"],
  ["before this node has joined", { is: "unlisted" }, "unlisted-node"],
])("reports that come to a server %s are kept by the agent and all taken later, in order, over the same connection", async (_, admission, because) => {
  let now = admission;
  listener = await startAgentListener({ host: "127.0.0.1", port: 0, authority, tokens: agentFolder(dataDir), observe: (one) => observed.push(one), admits: () => now, clock, log });
  run(flags(listener.port, "--period", "1s"));
  await expect.poll(() => listener?.status().dropped[because], { timeout: 20_000 }).toBeGreaterThanOrEqual(1);
  expect(observed).toEqual([]);
  now = { is: "admitted" };
  await came(3);
  const got = sequences();
  expect(got).toEqual(got.map((__, at) => at + 1));
  expect(listener.status().connections).toBe(1);
}, 60_000);

test("a server with another authority gets nothing, not even the token", async () => {
  const theirs = await makeAuthority("theirs", { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 });
  const { port } = await listen();
  await writeFile(path.join(agentFolder(dataDir), "ca.crt"), theirs.certPem);
  expect(await run([...flags(port), "--once"]).done).toBe(1);
  expect(listener?.status()).toMatchObject({ accepted: 0, dropped: { "unknown-token": 0 } });
});

test("a token that appears later, as one mounted from a secret does, is picked up", async () => {
  const { port } = await listen();
  const file = path.join(agentFolder(dataDir), "node-1.token");
  const token = await readFile(file, "utf8");
  const mounted = path.join(root, "token");
  run([...flags(port, "--period", "1s"), "--token-file", mounted]);
  await pause(500);
  expect(sequences()).toEqual([]);
  await writeFile(mounted, token);
  await came(2);
  expect(sequences()[0]).toBe(1);
});

test("once and push: the report is printed and sent, and the exit code tells whether it was taken", async () => {
  const { port } = await listen();
  let printed = "";
  expect(await run([...flags(port), "--once"], (text) => (printed += text)).done).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({ version: 1, node: "node-1", sequence: 1 });
  expect(sequences()).toEqual([1]);
  expect(await run([...flags(port), "--once", "--node", "node-2"]).done).toBe(1);
  expect(listener?.status().dropped["other-node"]).toBe(1);
});

test("a server that takes the connection and says nothing does not keep the agent from ending", async () => {
  const mute = createServer((socket) => socket.on("error", () => undefined).resume());
  others.push(mute);
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const address = mute.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const taken = once(mute, "connection");
  const agent = run(flags(address.port, "--period", "1s"));
  await taken;
  agent.stop.abort();
  expect(await agent.done).toBe(0);
});

test("one connection carries any number of askings for orders, and nothing of those before is kept", async () => {
  const kept: AbortSignal[] = [];
  const { port } = await listen(0, { waits: () => false, ask: (_node, _held, gone) => Promise.resolve(void kept.push(gone)), told: () => true, pods: () => Promise.resolve(undefined) });
  const warnings: string[] = [];
  const warned = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", warned);
  const ending = new AbortController();
  const line = lineOfFiles({ caFile: path.join(agentFolder(dataDir), "ca.crt"), tokenFile: path.join(agentFolder(dataDir), "node-1.token") });
  const desk = createDesk({ url: `https://127.0.0.1:${String(port)}`, line }, systemClock, ending.signal);
  try {
    for (let asking = 0; asking < 30; asking++) expect(await desk.ask()).toEqual({ begun: false });
  } finally {
    line.close();
    await listener?.stop();
    process.off("warning", warned);
  }
  // Those whose listener was left behind would be told now that their connection is gone.
  expect(kept.map((signal) => signal.aborted)).toEqual(Array.from({ length: 30 }, () => false));
  expect(warnings).toEqual([]);
});
