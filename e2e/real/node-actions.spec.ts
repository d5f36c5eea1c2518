import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Page } from "@playwright/test";
import { freePort } from "../../server/dev/free-port";
import type { ActionOffers, ActionRunDetail, ActionRuns, AuditLog, DryRun, NodeDetail } from "@/server/contract/schemas";
import { clusterMissing, startCluster, type Cluster } from "../setup/cluster";
import { expectClean } from "../setup/clean";
import { BUNDLE, startProduct, until, type Product } from "../setup/product";
import { containerdMissing, startContainerd, type OwnContainerd } from "../setup/sandboxes";
import { expect, test } from "../setup/test";

/**
 * From a click to what a node's agent did and back: a real API server, the built product, a real agent and a real containerd. There is
 * no kubelet, so nothing but the agent takes sandboxes away. The agent's clock runs ahead, so that nobody waits for ten minutes.
 */
const missing = clusterMissing() ?? containerdMissing();
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "serial" });

const NODE = path.resolve(import.meta.dirname, "../../node_modules/node/bin/node");
const AHEAD_MS = 11 * 60_000;
const AHEAD = `data:text/javascript,const now=Date.now;Date.now=()=>now()+${AHEAD_MS}`;
const WAIT_MS = 60_000;
const GONE = 12;
const STATIC = "0f3c9a7d5e2b4c618d9e0a1b2c3d4e5f";

let state: string;
let data: string;
let cluster: Cluster;
let runtime: OwnContainerd;
let product: Product;
let agentPort: number;
let port: number;
let agent: ChildProcess;
let printed = "";
/** What no purge may take: a ready one, and the newest of two pods that live. */
let kept: readonly string[];

const start = async (): Promise<void> => {
  product = await startProduct({ dataDir: data, port, args: ["--kubeconfig", cluster.kubeconfig, "--allow-actions", "--agent-port", String(agentPort)] });
};
const startAgent = (...flags: readonly string[]): void => {
  const files = path.join(data, "agents");
  agent = spawn(NODE, ["--import", AHEAD, BUNDLE, "agent", "--node", "node-1", "--period", "1s", "--push", `https://127.0.0.1:${agentPort}`, "--token-file", path.join(files, "node-1.token"), "--ca-file", path.join(files, "ca.crt"), "--cri-socket", runtime.socket, "--state-dir", state, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [agent.stdout, agent.stderr]) stream?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
};
const endAgent = async (signal: NodeJS.Signals): Promise<void> => {
  const ended = once(agent, "exit");
  agent.kill(signal);
  await ended;
};

test.beforeAll(async () => {
  state = mkdtempSync(path.join(os.tmpdir(), "sandglass-agent-state-"));
  data = mkdtempSync(path.join(os.tmpdir(), "sandglass-node-actions-"));
  [agentPort, port] = [await freePort(), await freePort()];
  cluster = await startCluster({ controllers: false });
  runtime = await startContainerd();
  await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } }));
  // Without controllers nobody makes it.
  await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "default" } }));
  await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "lives", namespace: "default" }, spec: { nodeName: "node-1", automountServiceAccountToken: false, containers: [{ name: "one", image: "localhost/pause:1" }] } }));
  // The runtime knows a static pod by its config's hash, the API by its mirror.
  await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "static-node-1", namespace: "default", annotations: { "kubernetes.io/config.mirror": STATIC, "kubernetes.io/config.hash": STATIC } }, spec: { nodeName: "node-1", containers: [{ name: "one", image: "localhost/pause:1" }] } }));
  const uid = (await cluster.kubectl(["get", "pod", "lives", "-o", "jsonpath={.metadata.uid}"])).trim();
  const gone = await runtime.runAll(Array.from({ length: GONE }, (_, index) => ({ name: `gone-${index}`, uid: randomUUID() })));
  const [ready = "", before = "", newest = "", ofStatic = ""] = await runtime.runAll([{ name: "runs", uid: randomUUID() }, { name: "lives", uid, attempt: 0 }, { name: "lives", uid, attempt: 1 }, { name: "static-node-1", uid: STATIC }]);
  kept = [ready, newest, ofStatic].sort();
  await runtime.killAll([...gone, before, newest, ofStatic]);
  await start();
  const made = spawn(NODE, [BUNDLE, "agent-token", "node-1", "--data", data], { stdio: "ignore" });
  await once(made, "exit");
  startAgent();
});
test.afterAll(async () => {
  test.setTimeout(120_000);
  if (agent?.exitCode === null && agent.signalCode === null) await endAgent("SIGKILL");
  await product?.stop();
  await runtime?.stop();
  await cluster?.stop();
  for (const folder of [state, data]) rmSync(folder, { recursive: true, force: true });
});

const panel = (page: Page) => page.getByRole("region", { name: "What can be done" });
const sheet = (page: Page) => page.getByRole("dialog");
const offer = async () => (await product.api<ActionOffers>("/api/v1/nodes/node-1/actions")).nodeOffers.find(({ action }) => action === "purge-dead-sandboxes");
const runs = async () => (await product.api<ActionRuns>("/api/v1/actions")).items;
const detail = (requestId: string) => product.api<ActionRunDetail>(`/api/v1/actions/${requestId}`);
const post = async (route: string, body: object): Promise<{ status: number; body: unknown }> => {
  const answer = await fetch(`${product.url}/api/v1/nodes/node-1/actions/${route}`, { method: "POST", headers: { "content-type": "application/json", origin: product.url }, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
};
const purge = { action: "purge-dead-sandboxes", params: { parallel: 1 } };
const heard = () => until("the agent is fresh", WAIT_MS, async () => ((await product.api<NodeDetail>("/api/v1/nodes/node-1")).sources.find(({ source }) => source === "agent")?.freshness === "fresh" ? true : undefined));

test("an agent without --enable-actions is asked for nothing: the button is greyed, and a run is refused", async ({ page }) => {
  await heard();
  expect(await offer()).toMatchObject({ allowed: false, reason: expect.stringContaining("--enable-actions") });
  await page.goto(`${product.url}/nodes/node-1`);
  await expect(panel(page).getByRole("button", { name: /^Remove dead sandboxes/ })).toHaveAttribute("aria-disabled", "true");
  expect((await post("dry-run", purge)).status).toBe(422);
  await endAgent("SIGTERM");
});

test("the page lists what the agent would touch, it removes that and nothing else, and each object is told", async ({ page }) => {
  startAgent("--enable-actions", "purge-dead-sandboxes");
  await until("the offer", WAIT_MS, async () => ((await offer())?.allowed === true ? true : undefined));
  await page.goto(`${product.url}/nodes/node-1`);
  await panel(page).getByRole("button", { name: /^Remove dead sandboxes/ }).click();
  await expect(sheet(page)).toContainText("runtime.v1.RuntimeService/RemovePodSandbox");
  await expect(sheet(page)).toContainText("Each removal calls the network plugin.");
  const listed = await runtime.list();
  await sheet(page).getByRole("button", { name: "Dry run" }).click();
  await expect(sheet(page).getByRole("region", { name: "Would be touched, one by one" })).toContainText("default/gone-0, attempt 0");
  await expect(sheet(page).getByRole("region", { name: "Would be touched, one by one" })).toContainText("default/lives, attempt 0");
  await expect(sheet(page).getByRole("region", { name: "Would be left, one by one" })).toContainText("default/lives, attempt 1");
  await expect(sheet(page).getByRole("region", { name: "Would be left, one by one" })).toContainText("default/static-node-1, attempt 0");
  expect(await runtime.list(), "a dry run touches nothing").toEqual(listed);
  await expectClean(page, "the sheet after a dry run");
  await sheet(page).getByRole("button", { name: "Run on 1 node" }).click();
  const run = await until("the run's end", WAIT_MS, async () => (await runs()).find((one) => one.state === "applied"));
  expect((await runtime.list()).map(({ id }) => id).sort()).toEqual(kept);
  const told = await detail(run.requestId);
  expect(told.work).toMatchObject({ state: "ended", of: GONE + 1 });
  expect(told.work?.objects.map(({ outcome }) => outcome)).toEqual(Array.from({ length: GONE + 1 }, () => "done"));
  await expect(sheet(page).getByRole("region", { name: "Done, one by one" })).toContainText("default/gone-0, attempt 0");
  await expectClean(page, "the sheet after a run");
  const audit = (await product.api<AuditLog>("/api/v1/audit")).items.filter(({ verb, requestId }) => verb === "action.run" && requestId === run.requestId);
  expect(audit.map(({ outcome }) => outcome)).toEqual(["done", "allowed"]);
  expect(audit[0]?.detail).toMatchObject({ toldBy: "agent", objects: { done: GONE + 1, failed: 0, left: 0 } });
});

test("the same request id gives its run back, and the agent does nothing a second time", async () => {
  const [run] = await runs();
  const again = await post("run", { ...purge, requestId: run?.requestId, version: "another", confirm: "" });
  expect(again.status).toBe(409);
  expect(await runs()).toHaveLength(1);
});

test("an agent and a server that are killed in the middle lose nothing of it and repeat nothing", async () => {
  test.setTimeout(240_000);
  // The first check comes a minute after the agent was done, and by then the node may be acted on again.
  const check = await until("the first check", 120_000, async () => (await runs())[0]?.verifications.find(({ verdict }) => verdict !== undefined));
  expect(check).toMatchObject({ verdict: "worked", because: expect.stringMatching(/^\d+ dead sandboxes before, 2 now\.$/) });
  const made = await runtime.runAll(Array.from({ length: 60 }, (_, index) => ({ name: `more-${index}`, uid: randomUUID() })));
  await runtime.killAll(made);
  const dry = (await post("dry-run", purge)).body as DryRun;
  expect(dry.touches?.filter(({ outcome }) => outcome === "would")).toHaveLength(made.length);
  const requestId = randomUUID();
  expect((await post("run", { ...purge, requestId, version: dry.version, confirm: "" })).status).toBe(200);
  await until("some are gone", WAIT_MS, async () => ((await runtime.list()).length < made.length + kept.length - 5 ? true : undefined));
  product.kill("SIGKILL");
  await endAgent("SIGKILL");
  const left = (await runtime.list()).length;
  expect(left).toBeGreaterThan(10);
  startAgent("--enable-actions", "purge-dead-sandboxes");
  await start();
  const run = await until("the run's end", WAIT_MS, async () => {
    const one = await detail(requestId);
    return one.state === "applied" ? one : undefined;
  });
  const after = (await runtime.list()).length;
  // The runtime may still have finished the one call that was under way when the agent was killed.
  expect([left, left - 1], "an order that was begun is not gone on with").toContain(after);
  expect(run.work).toMatchObject({ state: "ended", of: made.length, reason: expect.stringContaining("restarted") });
  const done = run.work?.objects.filter(({ outcome }) => outcome === "done") ?? [];
  const unsure = run.work?.objects.filter(({ outcome }) => outcome === "failed") ?? [];
  expect(unsure.length, "at most the one that was under way").toBeLessThanOrEqual(1);
  expect([done.length, done.length + unsure.length]).toContain(made.length + kept.length - after);
});
