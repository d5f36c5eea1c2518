import { describe, expect, it } from "vitest";
import { DOERS } from "../agent/actions/doers";
import type { Tools } from "../agent/actions/types";
import type { Clock } from "../clock";
import { ORDER_VALID_MS, type NodeAction, type NodeActionParams, type WorkObject, type WorkOrder } from "../domain/actions/work-order";
import { createLog } from "../log";
import { ClusterModel } from "./model/cluster";
import { countNode } from "./model/counts";
import { BIN_DIR, RESULTS_DIR } from "./model/files";
import type { NodeModel } from "./model/node";
import { SHIM } from "./model/texts";
import { agentReport } from "./pages/agent-report";
import { planScenario, type ScenarioName } from "./scenarios";
import { modelSite } from "./site";

/** What the agent's own doers do to a node that is a model, without sockets: the model's time passes while they work. */
const NOW_MS = Date.UTC(2026, 4, 1, 12);
const STEP_MS = 1_000;
const LIFE = { startId: "of-the-test", sequence: 1, agentVersion: "test" };
const MINUTE_MS = 60_000;

function stage(scenario: ScenarioName) {
  const plan = planScenario(scenario, { nodes: 2, seed: "1", nowMs: NOW_MS });
  const model = new ClusterModel(plan.cluster);
  plan.script(model);
  model.advance(NOW_MS);
  const node = model.nodes.get([...plan.expected.keys()][0] ?? "");
  if (node === undefined) throw new Error("the scenario is about no node");
  const clock: Clock = {
    rate: 1,
    now: () => model.nowMs,
    after: (ms, run) => {
      const timer = node.engine.after(ms, run);
      return () => void (timer.cancelled = true);
    },
  };
  const told: WorkObject[] = [];
  const tools = (over = () => false): Tools => ({
    ...modelSite(node),
    clock,
    log: createLog("silent", "test"),
    pods: () => Promise.resolve({ atMs: model.nowMs, uids: [...node.kubelet.pods.keys()] }),
    report: () => agentReport(node, LIFE),
    tell: async (object) => void told.push(object),
    note: () => Promise.resolve(),
    over,
    sleep: (ms) => new Promise((resolve) => void clock.after(ms, () => resolve())),
  });
  /** Lets the model live on until the work is done. */
  const living = async <T>(work: Promise<T>, meanwhile: () => void = () => {}): Promise<T> => {
    let done = false;
    const end = (): void => void (done = true);
    work.then(end, end);
    for (; !done; await new Promise((resolve) => setImmediate(resolve))) {
      model.advance(model.nowMs + STEP_MS);
      meanwhile();
    }
    return work;
  };
  const order = (action: NodeAction, objects: readonly string[], params: NodeActionParams = {}): WorkOrder => ({ id: "of-the-test", node: node.parameters.name, action, dry: objects.length === 0, planVersion: "", requestedBy: "anna", issuedMs: model.nowMs, expiresMs: model.nowMs + ORDER_VALID_MS, params, objects });
  const survey = (action: NodeAction, params?: NodeActionParams) => living(DOERS[action].survey(order(action, [], params), tools()));
  const would = async (action: NodeAction, params?: NodeActionParams): Promise<readonly string[]> => (await survey(action, params)).flatMap(({ id, outcome }) => (outcome === "would" ? [id] : []));
  return { model, node, told, tools, living, order, survey, would };
}

const ready = (node: NodeModel): readonly string[] => [...node.runtime.sandboxes.values()].flatMap(({ id, state }) => (state === "ready" ? [id] : []));

describe("a purge", () => {
  it("lists dead sandboxes that nobody needs, exactly, and touches none", async () => {
    const { node, survey } = stage("retry-storm");
    const before = [...node.runtime.sandboxes.keys()];
    const objects = await survey("purge-dead-sandboxes");
    const of = (outcome: string) => objects.filter((one) => one.outcome === outcome).length;
    expect(of("would")).toBeGreaterThan(100);
    expect(of("would") + of("left")).toBe(countNode(node).dead);
    expect([...node.runtime.sandboxes.keys()]).toEqual(before);
  });

  it("leaves what the buried daemon does not let go, with the runtime's own words, and takes it once the daemon has room", async () => {
    const { model, node, told, tools, living, order, would } = stage("retry-storm");
    const [first = "", ...rest] = await would("purge-dead-sandboxes");
    await living(DOERS["purge-dead-sandboxes"].carryOut(order("purge-dead-sandboxes", [first]), tools()));
    expect(told).toEqual([{ id: first, name: expect.any(String), outcome: "failed", reason: expect.stringMatching(/^StopPodSandbox failed: .*(DeadlineExceeded|deadline exceeded)/) }]);
    expect(node.runtime.sandboxes.has(first)).toBe(true);
    model.daemonSet.setTemplate({ resources: { cpuLimitCores: 2, cpuRequestCores: 0.1, memoryLimitBytes: 4 * 2 ** 30, memoryRequestBytes: 50 * 2 ** 20 }, image: model.daemonSet.image });
    const some = rest.slice(0, 5);
    const alive = ready(node);
    // Every one that is ready is asked for too, as by a server that means harm.
    await living(DOERS["purge-dead-sandboxes"].carryOut(order("purge-dead-sandboxes", [...alive, ...some], { parallel: 4 }), tools()));
    expect(told.filter(({ id, outcome }) => some.includes(id) && (outcome === "done" || outcome === "left")).length, "each is gone, by this or by the kubelet's own collector").toBe(some.length);
    expect(some.filter((id) => node.runtime.sandboxes.has(id))).toEqual([]);
    expect(told.filter(({ id }) => alive.includes(id)).map(({ outcome, reason }) => `${outcome}: ${reason ?? ""}`)).toEqual(alive.map(() => "left: it is ready"));
  }, 60_000);
});

describe("moving a busy shim aside", () => {
  it("lets the installer's next try succeed, calls fail until then, and the node starts pods again", async () => {
    const { model, node, told, tools, living, order, survey } = stage("install-deadlock");
    const params = { program: SHIM, waitSeconds: 330 };
    const listed = await survey("move-busy-shim-aside", params);
    expect(listed).toEqual([{ id: `${BIN_DIR}/${SHIM}`, name: `${BIN_DIR}/${SHIM}`, outcome: "would", reason: expect.stringMatching(/^process(es)? \d+.* runs? it$/) }]);
    const old = node.files.bin.get(SHIM)?.inode;
    let missingMs = 0;
    await living(DOERS["move-busy-shim-aside"].carryOut(order("move-busy-shim-aside", [`${BIN_DIR}/${SHIM}`], params), tools()), () => (missingMs += node.files.bin.has(SHIM) ? 0 : STEP_MS));
    expect(told).toEqual([{ id: `${BIN_DIR}/${SHIM}`, name: `${BIN_DIR}/${SHIM}`, outcome: "done", reason: expect.stringMatching(/^a new file stands there; the old one is \/opt\/cni\/bin\/\.multus-shim\.\d{8}T\d{6}Z\.sandglass-aside$/) }]);
    expect(missingMs, "until the init container's back-off is over").toBeGreaterThan(0);
    expect(node.files.bin.get(SHIM)?.inode).not.toBe(old);
    model.advance(model.nowMs + 5 * MINUTE_MS);
    expect(countNode(node).waiting).toBe(0);
  }, 60_000);

  it("gives the name back, to the very same file, where no new one comes", async () => {
    const { node, told, tools, living, order } = stage("install-deadlock");
    const old = node.files.bin.get(SHIM)?.inode;
    node.host.binDirReadOnly = true; // the installer's next try fails as well
    const blind = { ...tools(), files: { ...tools().files, unwritable: () => Promise.resolve(undefined) } };
    await living(DOERS["move-busy-shim-aside"].carryOut(order("move-busy-shim-aside", [`${BIN_DIR}/${SHIM}`], { program: SHIM, waitSeconds: 20 }), blind));
    expect(told).toMatchObject([{ outcome: "undone", reason: "no new file came in 20 s: it has its name back" }]);
    expect([node.files.bin.get(SHIM)?.inode, [...node.files.bin.keys()].filter((name) => name.startsWith("."))]).toEqual([old, []]);
  }, 60_000);
});

describe("moving broken entries of a cache", () => {
  it("moves those and no other, keeps them, and teardown goes on", async () => {
    const { model, node, told, tools, living, order, would } = stage("cni-cache-broken");
    const whole = [...node.files.results].filter(([, { bytes }]) => bytes > 0).map(([name]) => name);
    const waiting = [...node.runtime.sandboxes.values()].filter(({ state }) => state !== "ready").length;
    const broken = await would("remove-broken-cache-entry");
    expect(broken.some((one) => one.startsWith(`${RESULTS_DIR}/`))).toBe(true);
    await living(DOERS["remove-broken-cache-entry"].carryOut(order("remove-broken-cache-entry", [...broken, `${RESULTS_DIR}/${whole[0] ?? ""}`]), tools()));
    expect(told.map(({ outcome }) => outcome)).toEqual([...broken.map(() => "done"), "left"]);
    expect([...node.files.quarantine.values()].map(({ bytes }) => bytes)).toEqual(broken.map(() => 0));
    expect(whole.every((name) => node.files.results.has(name))).toBe(true);
    model.advance(model.nowMs + 5 * MINUTE_MS);
    expect([...node.runtime.sandboxes.values()].filter(({ state }) => state !== "ready").length).toBeLessThan(waiting);
    expect(await would("remove-broken-cache-entry")).toEqual([]);
  }, 60_000);
});

it("a runtime that stands still answers nothing, and nothing is done", async () => {
  const { node, tools, living, order } = stage("runtime-stuck-or-slow");
  await expect(living(DOERS["purge-dead-sandboxes"].survey(order("purge-dead-sandboxes", []), tools()))).rejects.toThrow(/no answer to ListPodSandbox in 10 s/);
  expect(node.runtime.frozen).toBe(true);
});
