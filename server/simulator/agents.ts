import { Agent, request } from "undici";
import { gzipSync } from "node:zlib";
import { parseAnswer } from "../agent/answer";
import type { Clock } from "../clock";
import type { NodeAction } from "../domain/actions/work-order";
import { AGENT_REPORT_PATH, AGENT_SENT_HEADER, type AgentReport } from "../domain/agent-report";
import { AGENT_PERIOD_MS } from "../domain/sources";
import type { Log } from "../log";
import type { NodeModel } from "./model/node";
import { Random } from "./model/random";
import { orderTaker, type OrderTaker } from "./orders";
import { agentMemory, agentReport, type AgentMemory } from "./pages/agent-report";

export const SIMULATED_AGENT_VERSION = "simulated";
/** One connection a node would be a socket each for nothing: they all come from this process. */
const CONNECTIONS = 8;
const SEND_TIMEOUT_MS = 10_000;
/** A report that was not taken is sent again, before the next one is due; then it is given up. */
const RETRY_MS = 4_000;
const RETRIES = 2;
const TAKEN_BEFORE = 409;

export interface AgentsOptions {
  /** Where the listener is: https://127.0.0.1:PORT. */
  readonly url: string;
  readonly caPem: string;
  /** A node without a token has no agent. */
  readonly tokenFor: (node: string) => string | undefined;
  /** Absent: the agents take no orders. */
  readonly orders?: {
    /** What the agent of a node may be ordered to do, as if by its own arguments. */
    readonly actionsOf: (node: string) => readonly NodeAction[];
    /** Where each remembers what it was ordered. */
    readonly stateDir: string;
  };
}

interface Life {
  startId: string;
  sequence: number;
  readonly actions?: readonly NodeAction[];
}

export interface SimulatedAgents {
  status(): { readonly sent: number; readonly failed: number; readonly lastError?: string };
  stop(): Promise<void>;
}

/** An agent on every node, each pushing its report once a period, spread over it. */
export function startAgents(nodes: Iterable<NodeModel>, options: AgentsOptions, context: { readonly clock: Clock; readonly seed: string; readonly log: Log }): SimulatedAgents {
  const { clock, log } = context;
  const random = new Random(`${context.seed}/agents`);
  const dispatcher = new Agent({ connect: { ca: options.caPem }, connections: CONNECTIONS, headersTimeout: SEND_TIMEOUT_MS, bodyTimeout: SEND_TIMEOUT_MS });
  const cancels = new Map<string, () => void>();
  const takers = new Map<NodeModel, OrderTaker>();
  const last = new Map<NodeModel, AgentReport>();
  let stopped = false;
  let sent = 0;
  let failed = 0;
  let lastError: string | undefined;

  const make = (node: NodeModel, life: Life, memory: AgentMemory): { readonly body: Buffer; readonly atMs: number } => {
    life.sequence += 1;
    const report = agentReport(node, { ...life, agentVersion: SIMULATED_AGENT_VERSION }, memory);
    if (takers.has(node)) last.set(node, report);
    return { body: gzipSync(JSON.stringify(report)), atMs: report.atMs };
  };
  const push = async (body: Buffer, token: string, memory: AgentMemory): Promise<void> => {
    const answer = await request(new URL(AGENT_REPORT_PATH, options.url), {
      method: "POST",
      dispatcher,
      headers: { "content-type": "application/json", "content-encoding": "gzip", authorization: `Bearer ${token}`, [AGENT_SENT_HEADER]: String(Math.round(clock.now())) },
      body,
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300 && answer.statusCode !== TAKEN_BEFORE) throw new Error(`the listener answered ${answer.statusCode}: ${text.slice(0, 200)}`);
    memory.nadPluginTypes = parseAnswer(text)?.nadPluginTypes ?? memory.nadPluginTypes;
  };

  const send = (name: string, report: { readonly body: Buffer; readonly atMs: number }, token: string, memory: AgentMemory, retries: number): void => {
    push(report.body, token, memory).then(
      () => (sent += 1),
      (error: unknown) => {
        failed += 1;
        lastError = error instanceof Error ? error.message : String(error);
        if (stopped) return;
        log.debug({ err: error, node: name }, "a simulated agent could not push");
        if (retries === 0) memory.lost = { ...memory.lost, thinned: memory.lost.thinned + 1, fromMs: memory.lost.fromMs ?? report.atMs, toMs: report.atMs };
        else cancels.set(`${name} again`, clock.after(RETRY_MS, () => send(name, report, token, memory, retries - 1)));
      },
    );
  };

  const schedule = (node: NodeModel, token: string, life: Life, memory: AgentMemory, waitMs: number): void => {
    cancels.set(
      node.parameters.name,
      clock.after(waitMs, () => {
        if (stopped) return;
        schedule(node, token, life, memory, AGENT_PERIOD_MS);
        if (node.power === "on") takers.get(node)?.begin();
        else takers.get(node)?.end();
        if (node.power !== "on" || node.silent) return;
        send(node.parameters.name, make(node, life, memory), token, memory, RETRIES);
      }),
    );
  };

  for (const node of nodes) {
    const { name } = node.parameters;
    const token = options.tokenFor(name);
    if (token === undefined) continue;
    const { orders } = options;
    const actions = orders?.actionsOf(name) ?? [];
    schedule(node, token, { startId: random.uuid(), sequence: 0, ...(actions.length === 0 ? {} : { actions }) }, agentMemory(), AGENT_PERIOD_MS * random.float());
    if (orders === undefined || actions.length === 0) continue;
    const chance = new Random(`${context.seed}/orders/${name}`);
    takers.set(node, orderTaker(node, { actions, stateDir: orders.stateDir, url: options.url, caPem: options.caPem, token, last: () => last.get(node) }, { clock, log, random: () => chance.float() }));
  }
  return {
    status: () => ({ sent, failed, ...(lastError === undefined ? {} : { lastError }) }),
    stop: async () => {
      stopped = true;
      for (const cancel of cancels.values()) cancel();
      for (const taker of takers.values()) taker.end();
      await dispatcher.destroy();
    },
  };
}
