import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GET as offers } from "@/app/api/v1/nodes/[name]/actions/route";
import { POST as dryRun } from "@/app/api/v1/nodes/[name]/actions/dry-run/route";
import { POST as plan } from "@/app/api/v1/nodes/[name]/actions/plan/route";
import { POST as run } from "@/app/api/v1/nodes/[name]/actions/run/route";
import { GET as runByRequest } from "@/app/api/v1/actions/[requestId]/route";
import { GET as runs } from "@/app/api/v1/actions/route";
import { GET as audit } from "@/app/api/v1/audit/route";
import { systemClock } from "../clock";
import { createLog } from "../log";
import { startSimulation, type Simulation } from "../simulator/simulation";
import { COOLDOWN_MS } from "../services/actions/run-action";
import type { RouteHandler } from "./handler";
import { ROUTES } from "./routes";
import type { ActionPlan, ActionRunOut, AuditLog, DryRun } from "../contract/schemas";
import { localRequest, startTestWeb, testView, type TestWeb } from "./testing/web";

/** Against the simulated cluster's real API server on a socket, as its administrator and as users with fewer rights. */
let simulation: Simulation;
let web: TestWeb;
let daemonSet: { namespace: string; name: string; container: string };
const dir = mkdtempSync(path.join(os.tmpdir(), "sandglass-actions-"));

beforeAll(async () => {
  simulation = await startSimulation({ nodes: 2, scenario: "idle", seed: "actions", clock: systemClock, log: createLog("silent", "test") });
  writeFileSync(path.join(dir, "kubeconfig"), simulation.kubeconfig);
  daemonSet = { namespace: "kube-system", name: "kube-multus-ds", container: "kube-multus" };
  use(undefined, true);
}, 60_000);
afterAll(async () => {
  await web.close();
  await simulation.stop();
  rmSync(dir, { recursive: true, force: true });
});

function use(context: string | undefined, actionsAllowed: boolean, uid = simulation.uid): void {
  web = startTestWeb({ cluster: { kubeconfig: path.join(dir, "kubeconfig"), uid, ...(context === undefined ? {} : { context }) }, actionsAllowed });
  const daemon = { daemonSet: `${daemonSet.namespace}/${daemonSet.name}`, pod: "kube-multus-ds-x", container: daemonSet.container, ready: true, restarts: 0, oomKillsMs: [] };
  for (const name of ["node-1", "node-2", "node-3", "node-4"]) web.write({ views: [{ ...testView(name, web.nowMs), daemons: [daemon] }] });
}

const origin = { origin: "http://localhost:7400", "content-type": "application/json" };
const post = (handler: RouteHandler, node: string, body: unknown, headers: Record<string, string> = origin): Promise<Response> =>
  handler(localRequest(`/api/v1/nodes/${node}/actions/x`, { method: "POST", body: JSON.stringify(body), headers }), { params: Promise.resolve({ name: node }) });
const get = (handler: RouteHandler, url: string, params: Record<string, string> = {}): Promise<Response> => handler(localRequest(url), { params: Promise.resolve(params) });
const params = (over: object = {}) => ({ container: daemonSet.container, cpuLimit: "2", memoryRequest: "256Mi", memoryLimit: "4Gi", ...over });
const body = (over: object = {}) => ({ action: "set-daemon-resources", namespace: daemonSet.namespace, daemonSet: daemonSet.name, params: params(over) });
const auditOf = async (): Promise<AuditLog["items"]> => ((await (await get(audit, "/api/v1/audit?limit=100")).json()) as AuditLog).items;
let ids = 0;
const requestId = (): string => `request-${String(++ids).padStart(4, "0")}`;
const planFor = async (node: string, over: object = {}): Promise<ActionPlan> => (await (await post(plan, node, body(over))).json()) as ActionPlan;

describe("an action from plan to run", () => {
  test("the plan has the exact calls and says what it rests on; nothing is written by it", async () => {
    const answer = await post(plan, "node-1", body());
    expect(answer.status).toBe(200);
    const made = ROUTES.actionPlan.answer.strict().parse(await answer.json());
    expect(made.refusals).toEqual([]);
    expect(made.steps.map((step) => step.call?.method)).toEqual(["GET", "PATCH", "PATCH", undefined]);
    expect(made.steps[1]?.call?.path).toContain("dryRun=All");
    expect(made.confirm).toEqual({ kind: "type", text: daemonSet.name });
    expect(await auditOf()).toEqual([]);
  });

  test("the dry run goes to the API server and changes nothing there", async () => {
    const before = await planFor("node-1");
    const answer = (await (await post(dryRun, "node-1", body())).json()) as DryRun;
    expect(answer).toMatchObject({ accepted: true, version: before.version });
    expect((await planFor("node-1")).version).toBe(before.version);
    expect((await auditOf())[0]).toMatchObject({ verb: "action.dry-run", outcome: "done" });
  });

  test("a run changes the DaemonSet once, however often its request comes, and is in the audit log as who and as whom", async () => {
    const made = await planFor("node-1");
    const id = requestId();
    const request = { ...body(), requestId: id, version: made.version, confirm: daemonSet.name };
    const answers = await Promise.all([post(run, "node-1", request), post(run, "node-1", request), post(run, "node-1", request)]);
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as ActionRunOut[];
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(new Set(bodies.map((one) => one.id)).size).toBe(1);
    const final = ROUTES.run.answer.strict().parse(await (await get(runByRequest, `/api/v1/actions/${id}`, { requestId: id })).json());
    expect(final).toMatchObject({ state: "applied", requestId: id });
    expect(final.steps.map((step) => step.state)).toEqual(["done", "done", "done"]);
    expect(final.steps[2]?.after).toContain('"memory":"4Gi"');
    expect(final.steps[2]?.before).not.toContain('"memory":"4Gi"');
    const mine = (await auditOf()).filter((entry) => entry.requestId === id);
    expect(mine.map((entry) => entry.outcome).sort()).toEqual(["allowed", "done"]);
    expect(mine[0]?.actor).toBe(`tester as ${simulation.users.admin.name}`);
    expect((await planFor("node-1")).refusals[0]?.field).toBe("params"); // it has these values now
  });

  test("a plan of before the change is void: 409, in the audit log, nothing sent", async () => {
    const stale = await planFor("node-2", { memoryLimit: "5Gi" });
    const other = await planFor("node-3", { memoryLimit: "6Gi" });
    expect((await post(run, "node-3", { ...body({ memoryLimit: "6Gi" }), requestId: requestId(), version: other.version, confirm: daemonSet.name })).status).toBe(200);
    const id = requestId();
    const answer = await post(run, "node-2", { ...body({ memoryLimit: "5Gi" }), requestId: id, version: stale.version, confirm: daemonSet.name });
    expect(answer.status).toBe(409);
    expect((await auditOf()).find((entry) => entry.requestId === id)).toMatchObject({ outcome: "refused" });
    expect((await get(runByRequest, `/api/v1/actions/${id}`, { requestId: id })).status).toBe(404);
  });

  test("a node on which an action just began is left alone for a while", async () => {
    const made = await planFor("node-3", { memoryLimit: "7Gi" });
    const answer = await post(run, "node-3", { ...body({ memoryLimit: "7Gi" }), requestId: requestId(), version: made.version, confirm: daemonSet.name });
    expect(answer.status).toBe(429);
    expect(await answer.text()).toContain(`Wait ${COOLDOWN_MS / 1_000} s`);
  });

  test("two requests at once on one node: one runs, the other is told so", async () => {
    const made = await planFor("node-2", { memoryLimit: "7Gi" });
    const answers = await Promise.all([1, 2].map(() => post(run, "node-2", { ...body({ memoryLimit: "7Gi" }), requestId: requestId(), version: made.version, confirm: daemonSet.name })));
    expect(answers.map((answer) => answer.status).filter((status) => status === 200)).toHaveLength(1);
    expect([409, 429]).toContain(answers.map((answer) => answer.status).find((status) => status !== 200));
  });

  test("the name not typed, or typed wrong, runs nothing", async () => {
    const made = await planFor("node-4", { memoryLimit: "8Gi" });
    for (const confirm of ["", "kube-multus", `${daemonSet.name} `]) {
      const answer = await post(run, "node-4", { ...body({ memoryLimit: "8Gi" }), requestId: requestId(), version: made.version, confirm });
      expect(answer.status).toBe(422);
    }
    expect((await planFor("node-4", { memoryLimit: "8Gi" })).version).toBe(made.version);
  });

  test("an attempt on a DaemonSet that is gone is in the audit log as well", async () => {
    web.write({ views: [{ ...testView("node-5", web.nowMs), daemons: [{ daemonSet: "kube-system/gone", pod: "gone-x", container: "gone", ready: true, restarts: 0, oomKillsMs: [] }] }] });
    const id = requestId();
    expect((await post(run, "node-5", { ...body(), daemonSet: "gone", requestId: id, version: "v", confirm: "gone" })).status).toBe(410);
    expect((await auditOf()).find((entry) => entry.requestId === id)).toMatchObject({ verb: "action.run", outcome: "refused", object: "daemonset/kube-system/gone" });
  });

  test("a plan that is refused cannot be run", async () => {
    const made = await planFor("node-4", { memoryRequest: "9Gi", memoryLimit: "8Gi" });
    expect(made.refusals.map((refusal) => refusal.field)).toContain("memoryRequest");
    const answer = await post(run, "node-4", { ...body({ memoryRequest: "9Gi", memoryLimit: "8Gi" }), requestId: requestId(), version: made.version, confirm: daemonSet.name });
    expect(answer.status).toBe(422);
  });
});

describe("bad input", () => {
  test.each([
    ["a quantity that is none", { cpuLimit: "two" }, "body.params.cpuLimit", '"two"'],
    ["a CPU limit over the bound", { cpuLimit: "1000" }, "body.cpuLimit", "128"],
    ["memory over the bound", { memoryLimit: "1Ti" }, "body.memoryLimit", "256Gi"],
    ["memory under the bound", { memoryLimit: "1Mi" }, "body.memoryLimit", "16Mi"],
  ])("%s names field, value and limit", async (_, over, field, says) => {
    const answer = await post(plan, "node-1", body(over));
    expect(answer.status).toBe(400);
    const problem = (await answer.json()) as { detail: string; errors: { field: string; message: string }[] };
    expect(problem.errors.map((error) => error.field)).toContain(field);
    expect(problem.errors.map((error) => error.message).join()).toContain(says);
  });

  test.each([
    ["a DaemonSet that is no CNI daemon of the node", { daemonSet: "other" }],
    ["a name that bends a path", { daemonSet: "../../secrets" }],
    ["a namespace that bends a path", { namespace: "a/b" }],
    ["an unknown action", { action: "delete-everything" }],
    ["an unknown field", { force: true }],
  ])("%s is refused", async (_, over) => {
    expect((await post(plan, "node-1", { ...body(), ...over })).status).toBe(400);
  });

  test.each([
    ["another site", { ...origin, origin: "https://evil.example" }, 403],
    ["no origin", { "content-type": "application/json" }, 403],
    ["a form", { ...origin, "content-type": "text/plain" }, 415],
  ])("from %s nothing runs and nothing is written", async (_, headers, status) => {
    const before = (await auditOf()).length;
    for (const handler of [plan, dryRun, run]) expect((await post(handler, "node-1", { ...body(), requestId: requestId(), version: "v", confirm: "" }, headers)).status).toBe(status);
    expect((await auditOf()).length).toBe(before);
  });

  test("a request id that is none", async () => {
    expect((await post(run, "node-1", { ...body(), requestId: "short", version: "v", confirm: "" })).status).toBe(400);
  });
});

describe("rights", () => {
  test("a user who may only look gets the greyed button with the cluster's reason, and a run is refused and audited", async () => {
    await web.close();
    use("simulated-viewer", true);
    const offered = ROUTES.actionOffers.answer.strict().parse(await (await get(offers, "/api/v1/nodes/node-1/actions", { name: "node-1" })).json());
    expect(offered.offers[0]).toMatchObject({ allowed: false });
    expect(offered.offers[0]?.reason).toContain("You may not patch daemonsets in kube-system");
    const made = await planFor("node-1", { memoryLimit: "9Gi" });
    const answer = await post(run, "node-1", { ...body({ memoryLimit: "9Gi" }), requestId: requestId(), version: made.version, confirm: daemonSet.name });
    expect(answer.status).toBe(403);
    expect((await auditOf())[0]).toMatchObject({ outcome: "refused", actor: `tester as ${simulation.users.viewer.name}` });
  });

  test("where the kubeconfig leads to another cluster than the one that is watched, nothing is planned, tried or run", async () => {
    await web.close();
    use(undefined, true, "uid-of-another-cluster");
    for (const handler of [plan, dryRun, run]) {
      const answer = await post(handler, "node-1", { ...body({ memoryLimit: "9Gi" }), ...(handler === run ? { requestId: requestId(), version: "v", confirm: daemonSet.name } : {}) });
      expect(answer.status).toBe(409);
      expect(await answer.text()).toContain("another cluster");
    }
    const offered = ROUTES.actionOffers.answer.strict().safeParse(await (await get(offers, "/api/v1/nodes/node-1/actions", { name: "node-1" })).json());
    expect(offered.success).toBe(false);
  });

  test("without --allow-actions the buttons are greyed with that reason, and dry runs and runs are refused", async () => {
    await web.close();
    use(undefined, false);
    const offered = ROUTES.actionOffers.answer.parse(await (await get(offers, "/api/v1/nodes/node-1/actions", { name: "node-1" })).json());
    expect(offered).toMatchObject({ actionsAllowed: false });
    expect(offered.offers[0]?.reason).toContain("--allow-actions");
    const made = await planFor("node-1", { memoryLimit: "9Gi" });
    expect((await post(dryRun, "node-1", body({ memoryLimit: "9Gi" }))).status).toBe(403);
    expect((await post(run, "node-1", { ...body({ memoryLimit: "9Gi" }), requestId: requestId(), version: made.version, confirm: daemonSet.name })).status).toBe(403);
    expect(ROUTES.runs.answer.parse(await (await get(runs, "/api/v1/actions")).json()).items).toEqual([]);
  });
});
