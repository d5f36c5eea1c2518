import diagnostics from "node:diagnostics_channel";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import type { Socket } from "node:net";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { POST as plan } from "@/app/api/v1/nodes/[name]/actions/plan/route";
import { POST as run } from "@/app/api/v1/nodes/[name]/actions/run/route";
import { GET as runByRequest } from "@/app/api/v1/actions/[requestId]/route";
import { GET as runs } from "@/app/api/v1/actions/route";
import { GET as audit } from "@/app/api/v1/audit/route";
import { systemClock } from "../clock";
import type { ActionPlan, ActionRunOut, ActionRuns, AuditLog } from "../contract/schemas";
import { carryOutVerifications } from "../collector/verify";
import { createLog } from "../log";
import { startSimulation, type Simulation } from "../simulator/simulation";
import { holdWriteLock } from "../store/testing/hold";
import { cannotMount, tinyDisk, type TinyDisk } from "../store/testing/mounts";
import type { RouteHandler } from "./handler";
import { localRequest, startTestWeb, testView, type TestWeb } from "./testing/web";

/** Against the simulated cluster's real API server, with a store that fails just as a request leaves for it. */
const DAEMON_SET = { namespace: "kube-system", daemonSet: "kube-multus-ds" };
const GIVING_UP_TIMEOUT_MS = 60_000;
const noMount = cannotMount();

let simulation: Simulation;
let web: TestWeb;
let disk: TinyDisk | undefined;
const dir = mkdtempSync(path.join(os.tmpdir(), "sandglass-unwritten-"));

beforeAll(async () => {
  simulation = await startSimulation({ nodes: 2, scenario: "idle", seed: "unwritten", clock: systemClock, log: createLog("silent", "test") });
  writeFileSync(path.join(dir, "kubeconfig"), simulation.kubeconfig);
}, 60_000);
afterEach(async () => {
  await web.close();
  disk?.remove();
  disk = undefined;
});
afterAll(async () => {
  await simulation.stop();
  rmSync(dir, { recursive: true, force: true });
});

const daemonView = (memoryLimitBytes?: number) => ({ ...testView("node-1", systemClock.now()), daemons: [{ daemonSet: "kube-system/kube-multus-ds", pod: "kube-multus-ds-x", container: "kube-multus", ready: true, restarts: 0, oomKillsMs: [], ...(memoryLimitBytes === undefined ? {} : { cpuLimitCores: 2, memoryRequestBytes: 256 << 20, memoryLimitBytes }) }] });

function use(under?: string): void {
  web = startTestWeb({ cluster: { kubeconfig: path.join(dir, "kubeconfig"), uid: simulation.uid }, actionsAllowed: true, ...(under === undefined ? {} : { under }) });
  web.write({ views: [daemonView()] });
}

/** PATCHes that left this process, with what is to happen as the first of its kind does. */
const patches = { dry: 0, real: 0 };
const asFirst: { dry?: () => void; real?: () => void } = {};
function look(message: unknown): void {
  const { request } = message as { request: { method: string; path: string } }; // what undici publishes
  if (request.method !== "PATCH") return;
  const kind = request.path.includes("dryRun") ? "dry" : "real";
  patches[kind] += 1;
  if (patches[kind] === 1) asFirst[kind]?.();
}
beforeEach(() => {
  patches.dry = patches.real = 0;
  delete asFirst.dry;
  delete asFirst.real;
  diagnostics.subscribe("undici:request:create", look);
});
afterEach(() => void diagnostics.unsubscribe("undici:request:create", look));

const post = (handler: RouteHandler, body: unknown): Promise<Response> =>
  handler(localRequest("/api/v1/nodes/node-1/actions/x", { method: "POST", body: JSON.stringify(body), headers: { origin: "http://localhost:7400", "content-type": "application/json" } }), { params: Promise.resolve({ name: "node-1" }) });
const get = async (handler: RouteHandler, url: string, params: Record<string, string> = {}): Promise<unknown> => (await handler(localRequest(url), { params: Promise.resolve(params) })).json();
const runOf = async (requestId: string) => (await get(runByRequest, `/api/v1/actions/${requestId}`, { requestId })) as ActionRunOut;
const auditOf = async (requestId: string) => ((await get(audit, "/api/v1/audit?limit=100")) as AuditLog).items.filter((entry) => entry.requestId === requestId).map(({ outcome }) => outcome);
const storedRun = async (requestId: string) => (await web.state.runs({ limit: 10 })).find((one) => one.requestId === requestId);
const body = (memoryLimit: string) => ({ action: "set-daemon-resources", ...DAEMON_SET, params: { container: "kube-multus", cpuLimit: "2", memoryRequest: "256Mi", memoryLimit } });
const version = async (memoryLimit: string) => ((await (await post(plan, body(memoryLimit))).json()) as ActionPlan).version;
const request = async (requestId: string, memoryLimit: string) => ({ ...body(memoryLimit), requestId, version: await version(memoryLimit), confirm: DAEMON_SET.daemonSet });

describe.skipIf(noMount !== undefined)(`the disk fills up while a run is under way${noMount === undefined ? "" : ` (skipped: ${noMount})`}`, () => {
  test("just as the change is sent, the disk being full: it is told as applied at once and to whoever asks again, nothing is sent twice, and with room its end, its audit row and its checks follow by themselves", { timeout: GIVING_UP_TIMEOUT_MS }, async () => {
    disk = tinyDisk(16);
    const { fillUp, makeRoom, dir: under } = disk;
    use(under);
    const asked = await request("request-full", "4Gi");
    asFirst.real = fillUp;
    const answer = await post(run, asked);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ state: "applied", steps: [{ state: "done" }, { state: "done" }, { state: "done" }] });
    expect(await storedRun("request-full")).toMatchObject({ state: "running" });
    expect(await auditOf("request-full")).toEqual(["allowed"]);
    expect(await (await post(run, asked)).json()).toMatchObject({ state: "applied" });
    expect(await runOf("request-full")).toMatchObject({ state: "applied" });
    expect(((await get(runs, "/api/v1/actions")) as ActionRuns).items).toMatchObject([{ requestId: "request-full", state: "applied" }]);
    expect(patches.real).toBe(1);

    makeRoom();
    await vi.waitFor(async () => expect(await storedRun("request-full")).toMatchObject({ state: "applied" }), 30_000);
    expect((await storedRun("request-full"))?.steps.map(({ state }) => state)).toEqual(["done", "done", "done"]);
    expect(await auditOf("request-full")).toEqual(["done", "allowed"]);
    carryOutVerifications(web.ingest.verifications, () => daemonView(4 * 2 ** 30), systemClock.now(), createLog("silent", "test"));
    expect((await runOf("request-full")).verifications).toHaveLength(3);
  });
});

test("a change that is sent and not answered is told as one that may have been applied", { timeout: GIVING_UP_TIMEOUT_MS }, async () => {
  use();
  const asked = await request("request-lost", "7Gi");
  const cut = (message: unknown): void => {
    const { request: sent, socket } = message as { request: { method: string; path: string }; socket: Socket }; // what undici publishes
    if (sent.method === "PATCH" && !sent.path.includes("dryRun")) socket.destroy();
  };
  diagnostics.subscribe("undici:client:sendHeaders", cut);
  const answer = await post(run, asked).finally(() => diagnostics.unsubscribe("undici:client:sendHeaders", cut));
  expect(await answer.json()).toMatchObject({ state: "failed", error: expect.stringMatching(/Whether the change was applied is not known: look at the object/) as string });
  expect(patches.real).toBe(1);
});

describe("the store fails while a run is under way", () => {
  test("just as the change is sent, another process holding the file: it is told as applied, and written once that lets go", { timeout: GIVING_UP_TIMEOUT_MS }, async () => {
    use();
    const asked = await request("request-held", "5Gi");
    let letGo = (): void => undefined;
    asFirst.real = () => (letGo = holdWriteLock(web.file));
    const answer = await post(run, asked).finally(() => letGo());
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ state: "applied" });
    await vi.waitFor(async () => expect(await storedRun("request-held")).toMatchObject({ state: "applied" }), 30_000);
    expect(await auditOf("request-held")).toEqual(["done", "allowed"]);
  });

  test("before the change is sent: it is not sent, the run has failed and says so, and that is written once the file is free", { timeout: GIVING_UP_TIMEOUT_MS }, async () => {
    use();
    const asked = await request("request-early", "6Gi");
    let letGo = (): void => undefined;
    asFirst.dry = () => (letGo = holdWriteLock(web.file));
    const answer = await post(run, asked).finally(() => letGo());
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ state: "failed", error: expect.stringMatching(/^"Set limits and requests.*was not sent, since it could not be written down first.*held by another process/) as string });
    expect(patches.real).toBe(0);
    await vi.waitFor(async () => expect(await storedRun("request-early")).toMatchObject({ state: "failed" }), 30_000);
    expect(await auditOf("request-early")).toEqual(["failed", "allowed"]);
    expect((await storedRun("request-early"))?.steps.map(({ state }) => state)).toEqual(["done", "done", "failed"]);
    expect(await version("6Gi")).toBe(asked.version);
  });
});
