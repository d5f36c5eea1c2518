import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { serveConfig } from "../config";
import { createLog } from "../log";
import { loadConnection } from "../sources/kube-api/connect";
import { request } from "../sources/kube-api/request";
import { prepareFile } from "../store/file";
import { holdWriteLock } from "../store/testing/hold";
import { simulatedCluster } from "./simulated-cluster";

let data: string;
beforeEach(() => {
  data = mkdtempSync(path.join(os.tmpdir(), "sandglass-simulated-"));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const start = (nodes: number) => simulatedCluster(serveConfig(["--simulate", "--scenario", "healthy", "--nodes", String(nodes), "--data", data], {}), createLog("silent", "test"));
const runs = (): readonly string[] => readdirSync(path.join(data, "simulated")).filter((name) => name.startsWith("run-"));

/** How many nodes the cluster has to which a kubeconfig leads, as whoever begins to use it now finds it. */
async function nodesBehind(kubeconfig: string): Promise<number> {
  const connection = await loadConnection({ kubeconfig, environment: { home: data } });
  if (connection === undefined) throw new Error("no connection");
  try {
    return ((await request(connection, { segments: ["api", "v1", "nodes"] })) as { readonly items: readonly unknown[] }).items.length; // a list of Kubernetes
  } finally {
    await connection.close();
  }
}

test("two that share a data folder are each reached by a kubeconfig of their own, and what one leaves behind goes with it", async () => {
  const first = await start(1);
  const second = await start(2);
  expect(await nodesBehind(first.kubeconfigFile)).toBe(1);
  expect(await nodesBehind(second.kubeconfigFile)).toBe(2);
  await second.stop();
  expect(await nodesBehind(first.kubeconfigFile)).toBe(1);
  await first.stop();
  expect(runs()).toEqual([]);
});

/** A start that goes on, as far as another one can tell. */
function running(startedMs: number, seed = "1"): { readonly end: () => void } {
  const folder = path.join(data, "simulated");
  mkdirSync(path.join(folder, `run-${startedMs}`), { recursive: true });
  const { file } = prepareFile({ dataDir: folder, clusterUid: `simulated:healthy:${seed}:${startedMs}`, simulated: true, nowMs: startedMs, migrationsDir: path.resolve(import.meta.dirname, "../../prisma/migrations") });
  const end = holdWriteLock(`${file}.lock`);
  return { end };
}

test("what a start left that was killed goes at the next one; what is in use, or just begins, stays", async () => {
  const [killedMs, usedMs, beginsMs] = [1_760_000_000_000, 1_770_000_000_000, Date.now() - 60_000];
  for (const ms of [killedMs, beginsMs]) mkdirSync(path.join(data, "simulated", `run-${ms}`), { recursive: true });
  const other = running(usedMs);
  const cluster = await start(1);
  expect(runs()).toHaveLength(3);
  expect(runs()).toEqual(expect.arrayContaining([`run-${usedMs}`, `run-${beginsMs}`]));
  await cluster.stop();
  other.end();
});

test("what is in use stays also where a long seed leaves no time in the name of its file", async () => {
  const usedMs = 1_770_000_000_000;
  const other = running(usedMs, "s".repeat(64));
  const cluster = await start(1);
  expect(runs()).toContain(`run-${usedMs}`);
  await cluster.stop();
  other.end();
});
