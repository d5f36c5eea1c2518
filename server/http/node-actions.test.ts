import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GET as offers } from "@/app/api/v1/nodes/[name]/actions/route";
import { POST as dryRun } from "@/app/api/v1/nodes/[name]/actions/dry-run/route";
import { POST as plan } from "@/app/api/v1/nodes/[name]/actions/plan/route";
import { POST as run } from "@/app/api/v1/nodes/[name]/actions/run/route";
import { GET as runByRequest } from "@/app/api/v1/actions/[requestId]/route";
import { GET as audit } from "@/app/api/v1/audit/route";
import { systemClock } from "../clock";
import type { NodeAction, WorkObject } from "../domain/actions/work-order";
import type { CauseCode } from "../domain/causes/codes";
import type { CauseView, FiringCause } from "../domain/causes/types";
import type { NodeView } from "../domain/node-view";
import { createLog } from "../log";
import { startSimulation, type Simulation } from "../simulator/simulation";
import type { ActionOffers, ActionPlan, AuditLog, DryRun } from "../contract/schemas";
import type { RouteHandler } from "./handler";
import { ROUTES } from "./routes";
import { localRequest, startTestWeb, testView, type TestWeb } from "./testing/web";

/** Orders to a node's agent through the routes, over a real data file and the simulated cluster's word on rights. The test tells what an agent would. */
let simulation: Simulation;
let web: TestWeb;
const dir = mkdtempSync(path.join(os.tmpdir(), "sandglass-node-actions-"));

beforeAll(async () => {
  simulation = await startSimulation({ nodes: 1, scenario: "idle", seed: "node-actions", clock: systemClock, log: createLog("silent", "test") });
  writeFileSync(path.join(dir, "kubeconfig"), simulation.kubeconfig);
  use(undefined, true);
}, 60_000);
afterAll(async () => {
  await web.close();
  await simulation.stop();
  rmSync(dir, { recursive: true, force: true });
});

const view = (name: string, nodeActions: readonly NodeAction[] | undefined, over: Partial<NodeView> = {}): NodeView => ({
  ...testView(name, web.nowMs),
  sources: [{ source: "api", freshness: "fresh", lastMs: web.nowMs }, { source: "agent", freshness: "fresh", lastMs: web.nowMs }],
  signals: [{ signal: "sandbox.dead", instance: "", source: "agent", state: "fresh", value: 600, atMs: web.nowMs }],
  ...(nodeActions === undefined ? {} : { nodeActions }),
  ...over,
});
function use(context: string | undefined, actionsAllowed: boolean): void {
  web = startTestWeb({ cluster: { kubeconfig: path.join(dir, "kubeconfig"), uid: simulation.uid, ...(context === undefined ? {} : { context }) }, actionsAllowed });
  web.write({ views: [...["node-1", "node-2", "node-3"].map((name) => view(name, ["purge-dead-sandboxes"])), view("node-4", undefined)] });
}

const origin = { origin: "http://localhost:7400", "content-type": "application/json" };
const post = (handler: RouteHandler, node: string, body: unknown): Promise<Response> => handler(localRequest(`/api/v1/nodes/${node}/actions/x`, { method: "POST", body: JSON.stringify(body), headers: origin }), { params: Promise.resolve({ name: node }) });
const get = (handler: RouteHandler, url: string, params: Record<string, string> = {}): Promise<Response> => handler(localRequest(url), { params: Promise.resolve(params) });
const body = (over: object = {}) => ({ action: "purge-dead-sandboxes", params: { parallel: 1 }, ...over });
const planFor = async (node: string): Promise<ActionPlan> => (await (await post(plan, node, body())).json()) as ActionPlan;
const newest = async () => ((await (await get(audit, "/api/v1/audit?limit=5")).json()) as AuditLog).items[0];
let ids = 0;
const requestId = (): string => `node-act-${String(++ids).padStart(4, "0")}`;

/** What an agent would do: takes the node's order, and tells. */
async function agentTells(node: string, state: "ended" | "refused", objects: readonly WorkObject[], reason?: string): Promise<void> {
  await expect.poll(() => web.ingest.work.waiting(systemClock.now()).some(({ order }) => order.node === node)).toBe(true);
  for (const { order } of web.ingest.work.waiting(systemClock.now())) {
    if (order.node !== node || !web.ingest.work.take(order.id, systemClock.now())) continue;
    web.ingest.work.told(order.id, node, { state, objects, ...(reason === undefined ? {} : { reason }) }, systemClock.now());
  }
}
const would: WorkObject = { id: "dead-1", name: "default/web-0, attempt 1", outcome: "would", reason: "its pod is gone" };
const left: WorkObject = { id: "dead-2", name: "default/web-1, attempt 0", outcome: "left", reason: "it is 5 s old, less than 10 min" };
async function tried(node: string, objects: readonly WorkObject[] = [would, left]): Promise<DryRun> {
  const [answer] = await Promise.all([post(dryRun, node, body()), agentTells(node, "ended", objects)]);
  expect(answer.status).toBe(200);
  return ROUTES.actionDryRun.answer.strict().parse(await answer.json());
}

describe("from plan to run", () => {
  test("the plan says which calls the agent makes; no order is written by it", async () => {
    const made = ROUTES.actionPlan.answer.strict().parse(await (await post(plan, "node-1", body())).json());
    expect(made).toMatchObject({ object: { kind: "Node", name: "node-1" }, nodeParams: { parallel: 1 }, refusals: [], undo: { possible: false } });
    expect(made.steps.flatMap(({ call }) => call?.method ?? [])).toEqual(["CRI", "CRI"]);
    expect(web.ingest.work.waiting(systemClock.now())).toEqual([]);
  });

  test("a run without a dry run of the same plan is refused, and no order is written", async () => {
    const answer = await post(run, "node-1", { ...body(), requestId: requestId(), version: (await planFor("node-1")).version, confirm: "" });
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining("It needs a dry run first")]);
    expect(web.ingest.work.waiting(systemClock.now())).toEqual([]);
    expect(await newest()).toMatchObject({ outcome: "refused", object: "node/node-1" });
  });

  test("a dry run is the agent's own list; the run's order names what would be touched and nothing else, once", async () => {
    const dry = await tried("node-1");
    expect(dry).toMatchObject({ accepted: true, message: "The agent would touch 1 object and leave 1.", touches: [{ id: "dead-1", outcome: "would" }, { id: "dead-2", outcome: "left" }] });
    const request = { ...body(), requestId: requestId(), version: dry.version, confirm: "" };
    const answers = await Promise.all([1, 2, 3].map(() => post(run, "node-1", request)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const orders = web.ingest.work.waiting(systemClock.now()).map(({ order }) => order);
    expect(orders).toMatchObject([{ node: "node-1", action: "purge-dead-sandboxes", dry: false, objects: ["dead-1"], planVersion: dry.version, requestedBy: `tester as ${simulation.users.admin.name}` }]);
    expect(await newest()).toMatchObject({ outcome: "allowed", detail: { order: orders[0]?.id, objects: 1 } });
    await agentTells("node-1", "ended", [{ ...would, outcome: "done" }]);
    const told = ROUTES.run.answer.strict().parse(await (await get(runByRequest, "/api/v1/actions/x", { requestId: request.requestId })).json());
    expect(told).toMatchObject({ state: "applied", work: { state: "ended", of: 1, objects: [{ id: "dead-1", outcome: "done" }] } });
  });

  test("while an order is under way, and a while after, the node takes no other", async () => {
    const dry = await tried("node-2");
    expect((await post(run, "node-2", { ...body(), requestId: requestId(), version: dry.version, confirm: "" })).status).toBe(200);
    const answer = await post(run, "node-2", { ...body(), requestId: requestId(), version: dry.version, confirm: "" });
    expect([answer.status, await answer.text()]).toEqual([429, expect.stringContaining("still carries out")]);
    await agentTells("node-2", "ended", [{ ...would, outcome: "done" }]);
    expect((await post(run, "node-2", { ...body(), requestId: requestId(), version: dry.version, confirm: "" })).status).toBe(429);
  });

  test("an agent that would touch nothing, or refuses, is an answer; one changed answer of the node voids the plan", async () => {
    expect(await tried("node-3", [left])).toMatchObject({ accepted: false, message: expect.stringContaining("would touch nothing") });
    const [refused] = await Promise.all([post(dryRun, "node-3", body()), agentTells("node-3", "refused", [], "the order has expired")]);
    expect(await refused.json()).toMatchObject({ accepted: false, message: "The agent refuses: the order has expired." });
    const dry = await tried("node-3");
    web.write({ views: [view("node-3", ["purge-dead-sandboxes"], { answer: { ...view("node-3", []).answer, state: "yes" } })] });
    const id = requestId();
    expect((await post(run, "node-3", { ...body(), requestId: id, version: dry.version, confirm: "" })).status).toBe(409);
    expect((await get(runByRequest, "/api/v1/actions/x", { requestId: id })).status).toBe(404);
  });
});

describe("who may, and where", () => {
  const offered = async (node: string): Promise<ActionOffers["nodeOffers"]> => ROUTES.actionOffers.answer.strict().parse(await (await get(offers, `/api/v1/nodes/${node}/actions`, { name: node })).json()).nodeOffers;

  test("each action is offered with the reason why not: the agent's own arguments decide", async () => {
    expect((await offered("node-1")).map(({ action, allowed }) => [action, allowed])).toEqual([["purge-dead-sandboxes", true], ["move-busy-shim-aside", false], ["remove-broken-cache-entry", false]]);
    expect((await offered("node-4")).map(({ reason }) => reason)).toEqual(Array.from({ length: 3 }, () => expect.stringContaining("takes no orders")));
    for (const handler of [dryRun, run]) expect((await post(handler, "node-4", { ...body(), ...(handler === run ? { requestId: requestId(), version: "v", confirm: "" } : {}) })).status).toBe(422);
  });

  test("an action fits what the node suffers from, not what that only brings about", async () => {
    const firing = (code: CauseCode, consequences: readonly FiringCause[] = []): CauseView => ({ code, state: "firing", certainty: "named", title: code, severity: "blocks", sinceMs: web.nowMs, summary: code, evidence: [], consequences });
    const fitting = async (causes: readonly CauseView[]): Promise<readonly string[]> => {
      web.write({ views: [view("node-2", ["purge-dead-sandboxes"], { causes })] });
      return (await offered("node-2")).filter(({ fits }) => fits).map(({ action }) => action);
    };
    const teardown = firing("teardown-failed");
    expect(await fitting([firing("plugin-binary-missing", [teardown])])).toEqual([]);
    expect(await fitting([teardown])).toEqual(["purge-dead-sandboxes"]);
  });

  test.each([
    ["an unknown action", { action: "rm-rf" }],
    ["an unknown value", { params: { parallel: 1, force: true } }],
    ["a value of another kind", { params: { parallel: "1" } }],
    ["an unknown field", { objects: ["/etc/passwd"] }],
  ])("%s is refused", async (_what, over) => {
    for (const handler of [plan, dryRun]) expect((await post(handler, "node-1", body(over))).status).toBe(400);
  });

  test("more than four at a time is refused by the plan", async () => {
    expect(((await (await post(plan, "node-1", body({ params: { parallel: 5 } }))).json()) as ActionPlan).refusals).toMatchObject([{ field: "parallel" }]);
  });

  test("a user who may not change the node gets the cluster's reason, and neither order nor run", async () => {
    await web.close();
    use("simulated-viewer", true);
    expect((await offered("node-1"))[0]).toMatchObject({ allowed: false, reason: expect.stringContaining("You may not patch the node node-1") });
    expect((await post(dryRun, "node-1", body())).status).toBe(403);
    const id = requestId();
    expect((await post(run, "node-1", { ...body(), requestId: id, version: (await planFor("node-1")).version, confirm: "" })).status).toBe(403);
    expect(await newest()).toMatchObject({ outcome: "refused", requestId: id });
    expect(web.ingest.work.waiting(systemClock.now())).toEqual([]);
  });

  test("an attempt on a node that is gone is in the audit log", async () => {
    const id = requestId();
    expect((await post(run, "node-9", { ...body(), requestId: id, version: "v", confirm: "" })).status).toBe(404);
    expect(await newest()).toMatchObject({ outcome: "refused", requestId: id, object: "node/node-9", detail: { message: expect.stringContaining("node-9") } });
  });

  test("without --allow-actions nothing is ordered", async () => {
    await web.close();
    use(undefined, false);
    expect((await offered("node-1"))[0]).toMatchObject({ allowed: false, reason: expect.stringContaining("--allow-actions") });
    for (const handler of [dryRun, run]) expect((await post(handler, "node-1", { ...body(), ...(handler === run ? { requestId: requestId(), version: (await planFor("node-1")).version, confirm: "" } : {}) })).status).toBe(403);
    expect(web.ingest.work.waiting(systemClock.now())).toEqual([]);
  });
});
