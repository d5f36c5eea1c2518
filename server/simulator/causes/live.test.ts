import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { clockOf, systemClock } from "../../clock";
import { startCollector } from "../../collector/collector";
import { simulatedCluster } from "../../commands/simulated-cluster";
import { serveConfig } from "../../config";
import { parseNodeName } from "../../domain/ids";
import type { NodeView } from "../../domain/node-view";
import { createLog } from "../../log";
import { prepareFile } from "../../store/file";
import { openIngest } from "../../store/ingest";
import { openReader } from "../../store/reader";
import { planScenario } from "../scenarios";
import { CAUSE_SCENARIOS, type CauseScenarioName } from ".";

/** A few scenarios through sockets: API server, kubelets and agents on one side, the whole collector on the other. One for each source. */
const LIVE: readonly CauseScenarioName[] = ["daemon-unschedulable", "plugin-binary-missing", "runtime-stuck-or-slow", "stale-socket-consumer"];
/** Seconds of the cluster in one of ours. */
const SPEED = "10";
const PATIENCE_MS = 120_000;

it.each(LIVE)("%s is named, and nothing beside it, of what comes over sockets", async (name) => {
  const scenario = CAUSE_SCENARIOS[name];
  const data = mkdtempSync(path.join(os.tmpdir(), "sandglass-live-"));
  const log = createLog("silent", "test");
  const config = serveConfig(["--simulate", "--scenario", name, "--nodes", "2", "--speed", SPEED, "--data", data], {});
  const cluster = await simulatedCluster(config, log);
  const clock = clockOf(cluster.clockSetting);
  const { file } = prepareFile({ dataDir: data, clusterUid: cluster.identity.uid, simulated: true, nowMs: clock.now(), migrationsDir: path.resolve(import.meta.dirname, "../../../prisma/migrations") });
  const ingest = openIngest({ file, nowMs: clock.now() });
  const reader = openReader({ file });
  const collector = await startCollector({ config: cluster.config, connection: cluster.connection, identity: cluster.identity, ingest, clock, log, pastComing: false, onWritten: () => {} });
  try {
    await cluster.startAgents({ port: collector.agentListener?.port ?? 0, caFile: collector.agentCaFile ?? "" });
    const node = parseNodeName([...planScenario(name, { nodes: 2, seed: "1", nowMs: 0 }).expected.keys()][0] ?? "");
    if (node === undefined) throw new Error("the scenario is about no node");
    const rootsOf = (view: NodeView | undefined): readonly string[] => view?.causes.map(({ code, certainty }) => `${code} ${certainty}`) ?? [];
    const wanted = `${scenario.cause} ${scenario.certainty}`;
    const untilMs = systemClock.now() + PATIENCE_MS;
    while (rootsOf(reader.node(node)?.view).join() !== wanted && systemClock.now() < untilMs) await new Promise((resolve) => systemClock.after(100, () => resolve(undefined)));
    expect(rootsOf(reader.node(node)?.view)).toEqual([wanted]);
  } finally {
    await collector.stop();
    await cluster.stop();
    reader.close();
    ingest.close();
    rmSync(data, { recursive: true, force: true });
  }
}, 2 * PATIENCE_MS);
