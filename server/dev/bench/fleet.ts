import { mkdir, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { planScenario } from "../../simulator/scenarios";
import { ensureAgentAuthority } from "../../sources/agent/authority";
import { agentFolder, issueAgentToken } from "../../sources/agent/tokens";
import { prepareFile } from "../../store/file";
import { freePort } from "../free-port";
import { startProgram, type Program } from "./programs";

const SCENARIO = "healthy";
const SEED = "1";
/** The model lives through two hours before it is served. */
const SIMULATOR_TIMEOUT_MS = 15 * 60_000;
const START_TIMEOUT_MS = 2 * 60_000;
const WHOLE_TIMEOUT_MS = 10 * 60_000;
const LOOK_EVERY_MS = 2_000;
/** On a busy machine a page times out now and then; the table tells how many were failing. */
const WHOLE_SHARE = 0.95;

/** What the status route tells, as far as it is used here. */
const Status = z.object({
  kubelet: z.object({ scraped: z.number(), failing: z.number(), skipped: z.number(), lateMs: z.number() }),
  agents: z.object({ reporting: z.number(), dropped: z.record(z.string(), z.number()) }),
  store: z.object({ writable: z.boolean(), droppedSamples: z.number() }),
});
export type FleetStatus = z.infer<typeof Status>;
const Counts = z.object({ counts: z.object({ nodes: z.number(), yes: z.number(), no: z.number(), unknown: z.number() }) });

/** A simulated cluster in one process and Sandglass watching it in another, as it would watch a real one. */
export interface Fleet {
  readonly names: readonly string[];
  readonly simulator: Program;
  readonly collector: Program;
  readonly url: string;
  readonly metricsUrl: string;
  /** The data file. */
  readonly file: string;
  /** With which an administrator changes the simulated cluster. */
  readonly kubeconfig: string;
  /** An empty home. */
  readonly home: string;
  status(): Promise<FleetStatus>;
  counts(): Promise<z.infer<typeof Counts>["counts"]>;
  stop(): Promise<void>;
}

export interface FleetOptions {
  readonly root: string;
  readonly scratch: string;
  readonly nodes: number;
  /** Called before anything is started, with the empty data file that the collector will use. */
  readonly prepare?: (file: string, names: readonly string[]) => void;
  readonly say: (line: string) => void;
}

export async function startFleet({ root, scratch, nodes, prepare, say }: FleetOptions): Promise<Fleet> {
  const home = await mkdtemp(path.join(scratch, "fleet-"));
  const data = path.join(home, "data");
  await mkdir(data, { recursive: true });
  const names = planScenario(SCENARIO, { nodes, seed: SEED, nowMs: Date.now() }).cluster.nodes.map((node) => node.name);
  for (const name of names) await issueAgentToken(data, name);
  const { caFile } = await ensureAgentAuthority(data);
  const { file } = prepareFile({ dataDir: data, clusterUid: `simulated:${SCENARIO}:${SEED}`, simulated: false, nowMs: Date.now(), migrationsDir: path.join(root, "prisma/migrations") });
  prepare?.(file, names);

  const [port, agentPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const kubeconfig = path.join(home, "kubeconfig");
  say(`starting a simulated cluster of ${nodes} nodes`);
  const simulator = await startProgram({
    root,
    home,
    args: ["simulate", "--nodes", String(nodes), "--scenario", SCENARIO, "--seed", SEED, "--kubeconfig", kubeconfig, "--agents-url", `https://127.0.0.1:${agentPort}`, "--agents-ca", caFile, "--agents-tokens", agentFolder(data)],
    ready: "A simulated cluster",
    readyTimeoutMs: SIMULATOR_TIMEOUT_MS,
  });
  let collector: Program | undefined;
  try {
    say("starting Sandglass beside it");
    collector = await startProgram({
      root,
      home,
      args: ["serve", "--kubeconfig", kubeconfig, "--kubelet", "direct", "--data", data, "--port", String(port), "--agent-port", String(agentPort), "--metrics-port", String(metricsPort)],
      ready: "Sandglass is at ",
      readyTimeoutMs: START_TIMEOUT_MS,
    });
  } catch (error) {
    await simulator.stop();
    throw error;
  }
  const url = `http://localhost:${port}`;
  const running = collector;
  const get = async <T>(route: string, schema: z.ZodType<T>): Promise<T> => {
    running.check();
    simulator.check();
    const answer = await fetch(`${url}${route}`);
    if (!answer.ok) throw new Error(`${route} answered ${answer.status}: ${await answer.text()}`);
    return schema.parse(await answer.json());
  };
  const fleet: Fleet = {
    names,
    simulator,
    collector,
    url,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    file,
    kubeconfig,
    home,
    status: () => get("/api/v1/status", Status),
    counts: async () => (await get("/api/v1/fleet", Counts)).counts,
    stop: async () => {
      await running.stop();
      await simulator.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
  try {
    say("waiting until every node is answered, kubelets read and agents heard");
    await untilWhole(fleet, nodes);
  } catch (error) {
    await fleet.stop();
    throw error;
  }
  return fleet;
}

/** Every node answered, and nearly all read and heard: only then is it the fleet that the figures are about. */
async function untilWhole(fleet: Fleet, nodes: number): Promise<void> {
  const endMs = Date.now() + WHOLE_TIMEOUT_MS;
  for (;;) {
    const { kubelet, agents } = await statusOnceWritten(fleet, endMs);
    const counts = await fleet.counts();
    if (Math.min(kubelet.scraped, agents.reporting) >= WHOLE_SHARE * nodes && counts.nodes === nodes && counts.unknown === 0) return;
    if (Date.now() > endMs) throw new Error(`after ${WHOLE_TIMEOUT_MS / 1_000} s ${kubelet.scraped} of ${nodes} kubelets were read, ${agents.reporting} agents heard, ${counts.unknown} nodes unknown`);
    await wait(LOOK_EVERY_MS);
  }
}

/** The status has no kubelets before the collector's first write. */
async function statusOnceWritten(fleet: Fleet, endMs: number): Promise<FleetStatus> {
  for (;;) {
    try {
      return await fleet.status();
    } catch (error) {
      if (!(error instanceof z.ZodError) || Date.now() > endMs) throw error;
      await wait(LOOK_EVERY_MS);
    }
  }
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
