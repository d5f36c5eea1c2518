import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import path from "node:path";
import { load } from "js-yaml";
import { z } from "zod";
import { containerdMissing, startContainerd, type OwnContainerd } from "../../../e2e/setup/sandboxes";
import { systemClock } from "../../clock";
import { createLog } from "../../log";
import { ensureAgentAuthority } from "../../sources/agent/authority";
import { startAgentListener, type AgentListener } from "../../sources/agent/listener";
import { agentFolder, issueAgentToken } from "../../sources/agent/tokens";
import type { Figure } from "./figures";
import { wait } from "./fleet";
import { cpuSeconds, hasProc, rssMib } from "./process-stat";
import type { BenchOptions } from "./run-options";
import { largest } from "./statistics";

const READY = 110;
const DEAD = 600;
const PROCESSES = 2_000;
const PERIOD_SECONDS = 15;
/** The first rounds read programs from end to end and let V8 settle. */
const WARM_UP_ROUNDS = 6;
const LOOP_ROUNDS = 6;
const LOOP_PERIOD_SECONDS = 5;
const ROUND_TIMEOUT_MS = 60_000;
const NODE = "bench-node";
const KIB = 1_024;

/** What the agent costs a node of the design's size, against a real containerd. */
export async function benchAgent(options: BenchOptions, say: (line: string) => void): Promise<readonly Figure[] | string> {
  if (!hasProc) return "processes are read from /proc, which this system does not have";
  const missing = containerdMissing();
  if (missing !== undefined) return missing;
  const home = await mkdtemp(path.join(options.scratch, "agent-"));
  const containerd = await startContainerd({ root: options.root });
  const sleepers: ChildProcess[] = [];
  let listener: AgentListener | undefined;
  try {
    say(`making ${READY} ready and ${DEAD} dead sandboxes`);
    await makeSandboxes(containerd);
    const there = processes();
    for (let more = there; more < PROCESSES; more += 1) sleepers.push(spawn("sleep", ["infinity"], { stdio: "ignore" }));
    const data = path.join(home, "data");
    const { authority, caFile } = await ensureAgentAuthority(data);
    const { file: tokenFile } = await issueAgentToken(data, NODE);
    let heard = 0;
    listener = await startAgentListener({ host: "127.0.0.1", port: 0, authority, tokens: agentFolder(data), observe: () => (heard += 1), clock: systemClock, log: createLog("silent", "bench") });
    const args = ["agent", "--node", NODE, "--push", `https://127.0.0.1:${listener.port}`, "--token-file", tokenFile, "--ca-file", caFile, "--cri-socket", containerd.socket];
    const rounds = async (count: number): Promise<void> => {
      const until = heard + count;
      let changedMs = performance.now();
      for (let last = heard; heard < until; await wait(200)) {
        if (heard > last) changedMs = performance.now();
        last = heard;
        if (performance.now() - changedMs > ROUND_TIMEOUT_MS) throw new Error(`no report for ${ROUND_TIMEOUT_MS / 1_000} s`);
      }
    };
    const manifest = manifestOf(options.root);
    say(`measuring at ${PERIOD_SECONDS} s for ${options.minutes} min, with ${processes().toLocaleString("en")} processes`);
    const cost = await measure(options, home, manifest, [...args, "--period", `${PERIOD_SECONDS}s`], rounds);
    say("measuring the delay of its event loop");
    const loopMs = await measureLoop(options, home, manifest, [...args, "--period", `${LOOP_PERIOD_SECONDS}s`], rounds);
    return figures(cost, loopMs, manifest.flags);
  } finally {
    for (const sleeper of sleepers) sleeper.kill("SIGKILL");
    await listener?.stop();
    await containerd.stop();
  }
}

async function makeSandboxes(containerd: OwnContainerd): Promise<void> {
  const pods = (count: number, kind: string) => Array.from({ length: count }, (_, at) => ({ name: `${kind}-${at}`, uid: `${kind}-uid-${at}` }));
  await containerd.killAll(await containerd.runAll(pods(DEAD, "dead")));
  await containerd.runAll(pods(READY, "ready"));
  const all = await containerd.list();
  const ready = all.filter((one) => one.ready).length;
  if (ready !== READY || all.length !== READY + DEAD) throw new Error(`the runtime lists ${ready} ready of ${all.length} sandboxes`);
}

const processes = (): number => readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length;

const Variable = z.object({ name: z.string(), value: z.string().optional() });
const Manifest = z.object({ spec: z.object({ template: z.object({ spec: z.object({ containers: z.array(z.object({ command: z.array(z.string()), env: z.array(Variable) })).length(1) }) }) }) });

interface StartedAs {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What stands between node and the program in deploy/agent.yaml, and the variables that have a value there: it is what runs on nodes. */
function manifestOf(root: string): StartedAs {
  const documents = readFileSync(path.join(root, "deploy/agent.yaml"), "utf8").split(/^---$/m);
  const { command = [], env = [] } = Manifest.parse(load(documents.at(-1) ?? "")).spec.template.spec.containers[0] ?? {};
  return { flags: command.slice(1).filter((word) => word.startsWith("-")), env: Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))) };
}

interface Cost {
  readonly cpuPercent: number;
  readonly roundMs: number;
  readonly rssMib: number;
  readonly ownMib: number;
  readonly bareMib: number;
}

function start(root: string, home: string, { flags, env }: StartedAs, args: readonly string[]): { readonly child: ChildProcess; readonly pid: number; stop(): Promise<void> } {
  const child = spawn(process.execPath, [...flags, path.join(root, "dist/main.mjs"), ...args], { cwd: home, env: { ...env, PATH: process.env.PATH ?? "", HOME: home, TZ: "UTC", NODE_ENV: "production" }, stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "exit");
  return {
    child,
    pid: child.pid ?? 0,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await ended;
    },
  };
}

async function measure({ root, minutes }: BenchOptions, home: string, as: StartedAs, args: readonly string[], rounds: (count: number) => Promise<void>): Promise<Cost> {
  const agent = start(root, home, as, args);
  try {
    await rounds(WARM_UP_ROUNDS);
    const count = Math.max(2, Math.round((minutes * 60) / PERIOD_SECONDS));
    const [beganMs, cpuBefore] = [performance.now(), cpuSeconds(agent.pid)];
    const rss: number[] = [];
    const own: number[] = [];
    for (let round = 0; round < count; round += 1) {
      await rounds(1);
      rss.push(rssMib(agent.pid));
      own.push(anonymousMib(agent.pid));
    }
    const cpu = cpuSeconds(agent.pid) - cpuBefore;
    return { cpuPercent: (cpu / ((performance.now() - beganMs) / 1_000)) * 100, roundMs: (cpu / count) * 1_000, rssMib: largest(rss), ownMib: largest(own), bareMib: await bareNodeMib(home, as) };
  } finally {
    await agent.stop();
  }
}

/** Its own memory, without the pages of Node's program that all its processes share. */
function anonymousMib(pid: number): number {
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (kib === undefined) throw new Error(`/proc/${pid}/status tells no memory of its own`);
  return Number(kib) / KIB;
}

/** A Node that does nothing, with the same flags: the floor. */
async function bareNodeMib(home: string, { flags, env }: StartedAs): Promise<number> {
  const child = spawn(process.execPath, [...flags, "-e", "setInterval(() => {}, 1000)"], { cwd: home, env: { ...process.env, ...env }, stdio: "ignore" });
  try {
    await wait(2_000);
    return rssMib(child.pid ?? 0);
  } finally {
    child.kill("SIGKILL");
  }
}

/**
 * Runs inside the agent. A timer of 10 ms comes late by what its thread worked in between, and on a busy machine by what others did: both
 * are kept, the time of the clock and the thread's own CPU time, each with the timer's 10 ms in it.
 */
const PROBE = `import { monitorEventLoopDelay } from "node:perf_hooks"; import { writeFileSync } from "node:fs";
const delay = monitorEventLoopDelay({ resolution: 10 });
let before; let worked = 0;
const spent = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1e3; };
setTimeout(() => { delay.enable(); before = spent(); setInterval(() => { const now = spent(); worked = Math.max(worked, now - before); before = now; }, 10).unref(); }, Number(process.env.PROBE_AFTER_MS)).unref();
process.on("exit", () => writeFileSync(process.env.PROBE_FILE, JSON.stringify({ delayMs: delay.max / 1e6, workedMs: worked })));`;
const Probed = z.object({ delayMs: z.number(), workedMs: z.number() });

async function measureLoop({ root }: BenchOptions, home: string, { flags, env }: StartedAs, args: readonly string[], rounds: (count: number) => Promise<void>): Promise<readonly z.infer<typeof Probed>[]> {
  const probe = path.join(home, "probe.mjs");
  const file = path.join(home, "delay");
  await writeFile(probe, PROBE);
  const delays: z.infer<typeof Probed>[] = [];
  for (const afterMs of [0, WARM_UP_ROUNDS * LOOP_PERIOD_SECONDS * 1_000]) {
    const child = spawn(process.execPath, [...flags, "--import", probe, path.join(root, "dist/main.mjs"), ...args], { cwd: home, env: { ...env, PATH: process.env.PATH ?? "", HOME: home, PROBE_FILE: file, PROBE_AFTER_MS: String(afterMs), NODE_ENV: "production" }, stdio: ["ignore", "ignore", "inherit"] });
    const ended = once(child, "exit");
    try {
      await rounds((afterMs === 0 ? 0 : WARM_UP_ROUNDS) + LOOP_ROUNDS);
    } finally {
      child.kill("SIGTERM");
      await ended;
    }
    delays.push(Probed.parse(JSON.parse(readFileSync(file, "utf8"))));
  }
  return delays;
}

function figures(cost: Cost, [whole, settled]: readonly z.infer<typeof Probed>[], flags: readonly string[]): readonly Figure[] {
  const figure = (what: string, value: number, unit: Figure["unit"], more: Partial<Figure> = {}): Figure => ({ part: "agent", what, value, unit, ...more });
  return [
    figure(`CPU at ${PERIOD_SECONDS} s, started with \`${flags.join(" ")}\``, cost.cpuPercent, "percent", { target: { most: 1, words: "≤ 1 % of a core" } }),
    figure("the same: CPU time of a round, mean", cost.roundMs, "ms"),
    figure("resident memory, largest seen", cost.rssMib, "MiB", { target: { most: 60, words: "≤ 60 MiB" } }),
    figure("of it the agent's own, the rest is Node's program", cost.ownMib, "MiB"),
    figure("a Node that does nothing, with the same flags", cost.bareMib, "MiB"),
    figure("longest stretch of its own work between two turns of the event loop (CPU time), after the first rounds", settled?.workedMs ?? Number.NaN, "ms", { target: { most: 50, words: "≤ 50 ms" } }),
    figure("the same by the clock, with what others took of the cores", settled?.delayMs ?? Number.NaN, "ms"),
    figure("the first from the start on, with the program itself being loaded and every plugin read", whole?.workedMs ?? Number.NaN, "ms"),
    figure("the second from the start on", whole?.delayMs ?? Number.NaN, "ms"),
  ];
}

