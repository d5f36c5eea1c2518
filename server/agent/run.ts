import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { AgentReport, PushAnswer } from "../domain/agent-report";
import { AGENT_PERIOD_MS } from "../domain/sources";
import { monotonicMs, type Clock } from "../clock";
import type { Log } from "../log";
import { createBell, type Bell } from "./bell";
import { reportBuffer } from "./buffer";
import type { DeskAddress } from "./actions/desk";
import type { AgentOptions } from "./options";
import { serveHealth } from "./health";
import { countLosses } from "./losses";
import { lineOfFiles, type Line } from "./line";
import { createPusher } from "./push";
import { createReporter, type Reporter } from "./report";
import { createSender, sleep } from "./sender";
import { reportAsText } from "./text";

export interface AgentEnvironment {
  readonly clock: Clock;
  readonly log: Log;
  readonly stdout: { write(text: string): unknown };
  /** Aborted by SIGTERM or Ctrl-C: what is under way ends, the promise resolves. */
  readonly signal: AbortSignal;
  /** 0 ≤ x < 1; chance is a parameter so that tests can do without. */
  readonly random?: () => number;
}

/** Share of the period by which a round comes earlier or later, so that a fleet's agents do not push in step. */
const PERIOD_JITTER = 0.1;
/** For the object of an order that is under way when the agent is told to end. */
const FAREWELL_MS = 2_000;

const MS_PER_SECOND = 1_000;

const compress = promisify(gzip);

/** Runs the agent until it is done or told to end. Resolves to the process's exit code; throws nothing that a node can cause. */
export async function runAgent(options: AgentOptions, environment: AgentEnvironment): Promise<number> {
  return options.mode === "once" ? once(options, environment) : forever(options, environment);
}

async function once(options: AgentOptions, { clock, log, stdout }: AgentEnvironment): Promise<number> {
  const reporter = createReporter(options, clock, log);
  const line = options.push === undefined ? undefined : lineOfFiles(options.push);
  try {
    const report = await reporter.report();
    stdout.write(options.output === "json" ? `${JSON.stringify(report, null, 2)}\n` : reportAsText(report));
    if (options.push === undefined || line === undefined) return 0;
    const pushed = await createPusher({ url: options.push.url, line }).push(await pack(report), clock.now());
    if (pushed.outcome === "taken") return 0;
    log.error({ reason: pushed.reason }, "the report was not taken");
    return 1;
  } finally {
    reporter.close();
    line?.close();
  }
}

async function forever(options: AgentOptions, environment: AgentEnvironment): Promise<number> {
  const { clock, log, signal } = environment;
  if (options.push === undefined) throw new Error("nowhere to push to"); // agentOptions asks for it
  const random = environment.random ?? Math.random;
  const health = options.healthPort === undefined ? undefined : await serveHealth(options.healthPort, options.periodMs ?? AGENT_PERIOD_MS, monotonicMs);
  const losses = countLosses();
  const reporter = createReporter(options, clock, log, losses.told);
  const line = lineOfFiles(options.push);
  const pusher = createPusher({ url: options.push.url, line });
  const buffer = reportBuffer({ maxAgeMs: options.bufferAgeMs, maxBytes: options.bufferBytes }, (gone, reason) => {
    losses.add(gone, reason);
    log.warn({ count: gone.length, reason, left: buffer.length, bytes: buffer.bytes }, "reports that wait for the server were dropped");
  });
  let periodMs = options.periodMs ?? AGENT_PERIOD_MS;
  const bell = createBell();
  const heedOrders = orderCall(line, bell);
  const told = (answer: PushAnswer): void => {
    reporter.told(answer);
    if (buffer.length === 0) heedOrders(answer); // what was kept goes first: an asking takes the same way
    if (options.periodMs === undefined && answer.periodSeconds !== undefined) periodMs = answer.periodSeconds * MS_PER_SECOND;
  };
  const sender = createSender({ buffer, pusher, told, clock, log, signal, random });
  const ended = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => {
      resolve(undefined);
    });
  });
  log.info({ node: options.node, url: options.push.url, periodMs, actions: options.work?.actions ?? [] }, "agent started");
  const working = takeOrders(options, { url: options.push.url, line, bell }, reporter, environment, random);
  try {
    while (!signal.aborted) {
      const startedMs = clock.now();
      // A round may wait for a hung runtime; being told to end does not.
      const report = await Promise.race([reporter.report(), ended]);
      if (report === undefined) break;
      health?.beat();
      buffer.add({ atMs: report.atMs, sequence: report.sequence, body: await pack(report) });
      sender.wake();
      const jittered = periodMs * (1 + PERIOD_JITTER * (2 * random() - 1));
      await sleep(clock, jittered - (clock.now() - startedMs), signal);
    }
  } finally {
    // A removal that hangs is not waited for: it was noted as begun.
    await Promise.all([inTime(working, clock), sender.end()]);
    reporter.close();
    line.close();
    health?.close();
    log.info({ unsent: buffer.length }, "agent ended");
  }
  return 0;
}

async function inTime(work: Promise<void>, clock: Clock): Promise<void> {
  const enough = new AbortController();
  await Promise.race([work, sleep(clock, FAREWELL_MS, enough.signal)]);
  enough.abort();
}

/**
 * When the server is asked for orders: once after the start, since one may have been taken by an agent that is gone, and whenever the
 * answer to a report says that one waits. A server that does not say holds the asking instead, which needs room beside the reports.
 */
function orderCall(line: Line, bell: Bell): (answer: PushAnswer) => void {
  let asked = false;
  return ({ orders }) => {
    if (orders === undefined) line.widen();
    if (!asked || orders !== false) bell.ring();
    asked = true;
  };
}

/** Orders of the server, where the command line allows any. A worker that cannot go on says so, and the reports do. */
async function takeOrders({ work, node, hostRoot }: AgentOptions, address: DeskAddress, reporter: Reporter, { clock, log, signal }: AgentEnvironment, random: () => number): Promise<void> {
  if (work === undefined) return;
  // Loaded only where it is wanted, for the memory of those that do without.
  const [{ createDesk }, { ownSite }, { runWorker }] = await Promise.all([import("./actions/desk"), import("./actions/site"), import("./actions/worker")]);
  const desk = createDesk(address, clock, signal);
  try {
    await runWorker({ ...work, node, site: ownSite(hostRoot, reporter, clock), desk, reporter, clock, log, signal, random });
  } catch (err) {
    log.error({ err }, "orders are not taken any more until the agent is started again");
  }
}

const pack = (report: AgentReport): Promise<Buffer> => compress(JSON.stringify(report));
