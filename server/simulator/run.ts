import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { scaledClock, systemClock } from "../clock";
import { createLog } from "../log";
import { agentsFromFiles } from "./agent-files";
import type { SimulateOptions } from "./options";
import { startSimulation } from "./simulation";

/** `sandglass simulate`: runs until `signal` ends it. The kubeconfig's path is the first line on `stdout`. */
export async function runSimulate(options: SimulateOptions, io: { readonly stdout: NodeJS.WritableStream; readonly signal: AbortSignal; readonly logLevel?: string }): Promise<void> {
  const log = createLog(io.logLevel ?? "warn", "simulate");
  const clock = options.speed === 1 ? systemClock : scaledClock(systemClock.now(), options.speed);
  const simulation = await startSimulation({ nodes: options.nodes, scenario: options.scenario, seed: options.seed, clock, log, port: options.port });
  const folder = options.kubeconfig === undefined ? await mkdtemp(path.join(tmpdir(), "sandglass-simulated-")) : undefined;
  const file = options.kubeconfig ?? path.join(folder ?? "", "kubeconfig");
  try {
    const agents = await agentsFromFiles({ url: options["agents-url"], caFile: options["agents-ca"], tokens: options["agents-tokens"] }, simulation.nodeNames);
    if (agents !== undefined) simulation.startAgents(agents);
    await writeFile(file, simulation.kubeconfig, { mode: 0o600 });
    io.stdout.write(`${file}\n`);
    io.stdout.write(`A simulated cluster (${simulation.uid}) of ${options.nodes} nodes at ${simulation.server}; its clock runs at ${options.speed} times the speed. Ctrl-C ends it.\n`);
    await new Promise<void>((resolve) => {
      if (io.signal.aborted) resolve();
      else io.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  } finally {
    await simulation.stop();
    // Its tokens are good for nothing once the cluster is gone, and neither is the file.
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    else await rm(file, { force: true });
  }
}
