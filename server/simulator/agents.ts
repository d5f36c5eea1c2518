import { Agent, request } from "undici";
import { gzipSync } from "node:zlib";
import { parseAnswer } from "../agent/answer";
import type { Clock } from "../clock";
import { AGENT_REPORT_PATH, AGENT_SENT_HEADER } from "../domain/agent-report";
import { AGENT_PERIOD_MS } from "../domain/sources";
import type { Log } from "../log";
import type { NodeModel } from "./model/node";
import { Random } from "./model/random";
import { agentMemory, agentReport, type AgentMemory } from "./pages/agent-report";

export const SIMULATED_AGENT_VERSION = "simulated";
/** One connection a node would be a socket each for nothing: they all come from this process. */
const CONNECTIONS = 8;
const SEND_TIMEOUT_MS = 10_000;

export interface AgentsOptions {
  /** Where the listener is: https://127.0.0.1:PORT. */
  readonly url: string;
  readonly caPem: string;
  /** A node without a token has no agent. */
  readonly tokenFor: (node: string) => string | undefined;
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
  let stopped = false;
  let sent = 0;
  let failed = 0;
  let lastError: string | undefined;

  const push = async (node: NodeModel, token: string, life: { startId: string; sequence: number }, memory: AgentMemory): Promise<void> => {
    life.sequence += 1;
    const body = gzipSync(JSON.stringify(agentReport(node, { ...life, agentVersion: SIMULATED_AGENT_VERSION }, memory)));
    const answer = await request(new URL(AGENT_REPORT_PATH, options.url), {
      method: "POST",
      dispatcher,
      headers: { "content-type": "application/json", "content-encoding": "gzip", authorization: `Bearer ${token}`, [AGENT_SENT_HEADER]: String(Math.round(clock.now())) },
      body,
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`the listener answered ${answer.statusCode}: ${text.slice(0, 200)}`);
    memory.nadPluginTypes = parseAnswer(text)?.nadPluginTypes ?? memory.nadPluginTypes;
  };

  const schedule = (node: NodeModel, token: string, life: { startId: string; sequence: number }, memory: AgentMemory, waitMs: number): void => {
    cancels.set(
      node.parameters.name,
      clock.after(waitMs, () => {
        if (stopped) return;
        schedule(node, token, life, memory, AGENT_PERIOD_MS);
        if (node.power !== "on" || node.silent) return;
        push(node, token, life, memory).then(
          () => (sent += 1),
          (error: unknown) => {
            failed += 1;
            lastError = error instanceof Error ? error.message : String(error);
            if (!stopped) log.debug({ err: error, node: node.parameters.name }, "a simulated agent could not push");
          },
        );
      }),
    );
  };

  for (const node of nodes) {
    const token = options.tokenFor(node.parameters.name);
    if (token !== undefined) schedule(node, token, { startId: random.uuid(), sequence: 0 }, agentMemory(), AGENT_PERIOD_MS * random.float());
  }
  return {
    status: () => ({ sent, failed, ...(lastError === undefined ? {} : { lastError }) }),
    stop: async () => {
      stopped = true;
      for (const cancel of cancels.values()) cancel();
      await dispatcher.destroy();
    },
  };
}
