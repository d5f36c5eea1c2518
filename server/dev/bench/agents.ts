import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { DEFAULT_AGENT_ACCOUNT } from "../../config";
import { ensureAgentAuthority } from "../../sources/agent/authority";
import { NODES, ScriptedApiServer } from "../../sources/kube-api/testing/scripted-api-server";
import { AGENT_AUDIENCE } from "../../domain/agent-report";
import { freePort } from "../free-port";
import type { Figure } from "./figures";
import { wait } from "./fleet";
import { readOwnMetrics } from "./own-metrics";
import { cpuSeconds, hasProc, rssMib } from "./process-stat";
import { startProgram, type Program } from "./programs";
import { nodeOfToken, type Return, type ReturningOptions } from "./returning-agents";
import type { BenchOptions } from "./run-options";
import { largest, percentile } from "./statistics";

/** One minute of reports that each agent kept while the server was away. */
const HELD = 4;
const MOST_MS = 5 * 60_000;
const START_TIMEOUT_MS = 2 * 60_000;
const LISTED_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 1_000;
const ACCOUNT = `system:serviceaccount:${DEFAULT_AGENT_ACCOUNT.replace("/", ":")}`;
const REVIEWS = "POST /apis/authentication.k8s.io/v1/tokenreviews";
const Counts = z.object({ counts: z.object({ nodes: z.number() }) });

/** What the server does when 5,000 agents that it never saw come back in the same moment, each with a token to be checked. */
export async function benchAgents(options: BenchOptions, say: (line: string) => void): Promise<readonly Figure[] | string> {
  if (!hasProc) return "CPU and memory of a process are read from /proc, which this system does not have";
  const { agents } = options;
  const home = await mkdtemp(path.join(options.scratch, "agents-"));
  const names = Array.from({ length: agents }, (_, at) => `node-${String(at + 1).padStart(4, "0")}`);
  const api = await scriptedCluster(names);
  const [port, agentPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const data = path.join(home, "data");
  await mkdir(data, { recursive: true });
  const { caFile } = await ensureAgentAuthority(data);
  await writeFile(path.join(home, "kubeconfig"), api.kubeconfig());
  say(`starting Sandglass with ${agents} nodes`);
  const server = await startProgram({
    root: options.root,
    home,
    args: ["serve", "--kubeconfig", path.join(home, "kubeconfig"), "--kubelet", "direct", "--data", data, "--port", String(port), "--agent-port", String(agentPort), "--metrics-port", String(metricsPort)],
    ready: "Sandglass is at ",
    readyTimeoutMs: START_TIMEOUT_MS,
  });
  try {
    await untilListed(port, agents);
    say(`making ${agents * HELD} reports`);
    const fleet = await fleetInThread({ folder: path.join(home, "agents"), nodes: names, held: HELD, url: `https://127.0.0.1:${agentPort}/v1/report`, caFile, account: ACCOUNT });
    say("all agents come back now");
    const watch = watchServer(server, port, `http://127.0.0.1:${metricsPort}/metrics`);
    const cpuBefore = cpuSeconds(server.pid);
    const back = await fleet.comeBack();
    const seen = await watch.end();
    server.check();
    const metrics = await readOwnMetrics(`http://127.0.0.1:${metricsPort}/metrics`);
    return figures(agents, back, { ...seen, cpuSeconds: cpuSeconds(server.pid) - cpuBefore, reviews: api.requests.filter(({ url }) => url.endsWith("tokenreviews")).length, turnedAway: metrics.value("sandglass_agent_connections_turned_away_total") }, say);
  } finally {
    await server.stop();
    await api.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** The agents in a thread beside this one, which plays the API server. */
async function fleetInThread(options: ReturningOptions): Promise<{ comeBack(): Promise<Return> }> {
  const worker = new Worker(new URL("./agents-worker.mjs", import.meta.url), { workerData: { ...options, most: MOST_MS } });
  const failed = once(worker, "error").then(([error]) => Promise.reject(error));
  failed.catch(() => undefined); // seen by whoever waits below
  await Promise.race([once(worker, "message"), failed]);
  return {
    comeBack: async () => {
      worker.postMessage("now");
      const [back] = (await Promise.race([once(worker, "message"), failed])) as [Return]; // what agents-worker.ts posts
      await worker.terminate();
      return back;
    },
  };
}

/** Nodes without pods, and an API server that takes every token for one of the node that it names. */
async function scriptedCluster(names: readonly string[]): Promise<ScriptedApiServer> {
  const api = await ScriptedApiServer.start({ bookmarkMs: 20_000 });
  for (const [at, name] of names.entries()) api.world.put(NODES, { metadata: { name, uid: `uid-${at}`, creationTimestamp: "2026-01-01T00:00:00Z", labels: { "kubernetes.io/hostname": name } }, status: { conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: "2026-01-01T00:00:00Z", lastTransitionTime: "2026-01-01T00:00:00Z" }] } });
  api.answers.set("GET /version", () => ({ status: 200, body: { gitVersion: "v1.34.0" } }));
  api.answers.set("GET /api/v1/namespaces/kube-system", () => ({ status: 200, body: { metadata: { uid: "bench-agents" } } }));
  api.answers.set(REVIEWS, ({ body }) => {
    const { token } = (JSON.parse(body) as { spec: { token: string } }).spec;
    return { status: 201, body: { status: { authenticated: true, audiences: [AGENT_AUDIENCE], user: { username: ACCOUNT, extra: { "authentication.kubernetes.io/node-name": [nodeOfToken(token)] } } } } };
  });
  return api;
}

async function untilListed(port: number, nodes: number): Promise<void> {
  const endMs = Date.now() + LISTED_TIMEOUT_MS;
  for (;;) {
    const answer = await fetch(`http://localhost:${port}/api/v1/fleet`);
    const parsed = answer.ok ? Counts.safeParse(await answer.json()) : undefined;
    if (parsed?.success === true && parsed.data.counts.nodes === nodes) return;
    if (Date.now() > endMs) throw new Error(`the nodes were not listed within ${LISTED_TIMEOUT_MS / 1_000} s`);
    await wait(LOOK_EVERY_MS);
  }
}

interface Seen {
  readonly rssMib: number;
  readonly pagesMs: readonly number[];
  readonly loopMs: number;
  readonly connections: number;
}

/** Memory, the event loop's delay and the pages' answers while the agents come back. */
function watchServer(server: Program, port: number, metricsUrl: string): { end(): Promise<Seen> } {
  const rss: number[] = [];
  const pagesMs: number[] = [];
  const loop: number[] = [];
  const connections: number[] = [];
  let running = true;
  const watching = (async () => {
    while (running) {
      rss.push(rssMib(server.pid));
      const beganMs = performance.now();
      const answer = await fetch(`http://localhost:${port}/api/v1/status`);
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`the status answered ${answer.status}`);
      pagesMs.push(performance.now() - beganMs);
      const metrics = await readOwnMetrics(metricsUrl);
      loop.push(metrics.value("sandglass_nodejs_eventloop_lag_max_seconds") * 1_000);
      connections.push(metrics.value("sandglass_agent_connections"));
      await wait(LOOK_EVERY_MS);
    }
  })();
  return {
    end: async () => {
      running = false;
      await watching;
      return { rssMib: largest(rss), pagesMs, loopMs: largest(loop), connections: largest(connections) };
    },
  };
}

function figures(agents: number, back: Return, server: Seen & { readonly cpuSeconds: number; readonly reviews: number; readonly turnedAway: number }, say: (line: string) => void): readonly Figure[] {
  for (const [words, count] of Object.entries(back.outcomes)) say(`pushes: ${count} × ${words}`);
  const all = agents * HELD;
  const busy = Object.entries(back.outcomes).filter(([words]) => words.startsWith("429")).reduce((sum, [, count]) => sum + count, 0);
  const failed = Object.entries(back.outcomes).filter(([words]) => words !== "taken" && !/^(429|409)/.test(words)).reduce((sum, [, count]) => sum + count, 0);
  const figure = (what: string, value: number, unit: Figure["unit"], more: Partial<Figure> = {}): Figure => ({ part: "agents", what, value, unit, ...more });
  return [
    figure(`reports taken, of ${all.toLocaleString("en")} that ${agents.toLocaleString("en")} agents kept`, back.taken, "count", { note: `of ${all.toLocaleString("en")}` }),
    figure("all agents heard again after", back.firstMs.length === agents ? largest(back.firstMs) / 1_000 : MOST_MS / 1_000, "seconds", back.firstMs.length === agents ? {} : { note: `and ${agents - back.firstMs.length} were not` }),
    figure("half of them after", percentile(back.firstMs, 0.5) / 1_000, "seconds"),
    figure("every kept report taken after", back.allMs / 1_000, "seconds"),
    figure("pushes told to come back (429)", busy, "count"),
    figure("pushes that failed otherwise and were tried again", failed, "count"),
    figure("connections open at once, largest seen; each agent takes orders", server.connections, "count", { note: `for ${agents.toLocaleString("en")} agents` }),
    figure("connections closed at once", server.turnedAway, "count"),
    figure("longest wait of an agent for an answer", back.longestAnswerMs, "ms"),
    figure("tokens shown to the API server", server.reviews, "count"),
    figure("CPU of the server for all of it", server.cpuSeconds, "seconds"),
    figure("resident memory of the server, largest seen", server.rssMib, "MiB"),
    figure("delay of its event loop, largest seen", server.loopMs, "ms"),
    figure("answer of the status route meanwhile: median", percentile(server.pagesMs, 0.5), "ms"),
    figure("the same: slowest", largest(server.pagesMs), "ms"),
  ];
}
