import { NO_DIAGNOSIS } from "../causes/types";
import { describe, expect, test } from "vitest";
import type { Namespace, ObjectName } from "../ids";
import type { ContainerResources, DaemonSetObject } from "../model";
import type { NodeView } from "../node-view";
import { planSetDaemonResources, presetParams, seenSetDaemonResources, verifySetDaemonResources, type SetDaemonResourcesParams } from "./set-daemon-resources";
import type { ActionReading, PlanInput } from "./types";

const GI = 2 ** 30;
const MI = 2 ** 20;
const throttled: ContainerResources = { name: "kube-multus", init: false, cpuLimitCores: 0.1, cpuRequestCores: 0.1, memoryLimitBytes: GI, memoryRequestBytes: 50 * MI };
const daemonSet = (container: ContainerResources, over: Partial<DaemonSetObject> = {}): DaemonSetObject => ({
  uid: "u", namespace: "kube-system" as Namespace, name: "kube-multus-ds" as ObjectName, resourceVersion: "88120443", generation: 15, containers: [container], images: [], matchLabels: { app: "multus" }, tolerations: [], picksNodes: false,
  hostPaths: ["/etc/cni/net.d"], updateStrategy: "RollingUpdate", maxUnavailable: "10%", desired: 420, ready: 420, updated: 420, ...over,
});
const view: NodeView = {
  name: "node-07", pool: "general", answer: { state: "no", atRisk: false, idle: false, row: 3, summary: "0 fresh sandboxes in 10 min.", proof: [], sinceMs: 0 }, ready: "True", schedulable: true, taints: [], conditions: [], versions: {}, sources: [], signals: [],
  counts: { pods: 230, waiting: 220, waitingSystem: 11, stuck: 220, ownRequest: 0, other: 0 }, waitingPods: [], deadline: { seconds: 240, assumed: true }, daemons: [], sockets: [], blind: [], ...NO_DIAGNOSIS,
};
const input = (container: ContainerResources = throttled, over: Partial<DaemonSetObject> = {}): PlanInput => ({ view, daemonSet: daemonSet(container, over), fleet: { nodes: 420, otherNo: 0, smallestNodeMemoryBytes: 16 * GI } });
const plan = (params: Partial<SetDaemonResourcesParams>, on = input()) => planSetDaemonResources({ container: "kube-multus", cpuLimitCores: 2, memoryRequestBytes: 256 * MI, memoryLimitBytes: 4 * GI, ...params }, on);
const resources = (body: unknown) => (body as { spec: { template: { spec: { containers: { resources: { limits: Record<string, unknown>; requests: Record<string, unknown> } }[] } } } }).spec.template.spec.containers[0]?.resources;

describe("the plan of set-daemon-resources", () => {
  test("the emergency preset lifts to 2 CPU and 4Gi and keeps both memory figures in the result", () => {
    const made = planSetDaemonResources(presetParams("emergency", throttled), input());
    expect(made.refusals).toEqual([]);
    expect(resources(made.steps[2]?.call?.body)).toEqual({ limits: { cpu: "2", memory: "4Gi" }, requests: { cpu: "100m", memory: "256Mi" } });
    expect(made.diff.filter((line) => line.kind !== "same").map((line) => `${line.kind}${line.text}`)).toEqual(["removed      cpu: 100m", "added      cpu: 2", "removed      memory: 1Gi", "added      memory: 4Gi", "removed      memory: 50Mi", "added      memory: 256Mi"]);
  });

  test("the lasting preset removes the CPU limit and raises, never lowers, the memory request", () => {
    const params = presetParams("lasting", { ...throttled, memoryRequestBytes: GI });
    expect(params).toEqual({ container: "kube-multus", cpuLimitCores: null, memoryRequestBytes: GI, memoryLimitBytes: 4 * GI });
    expect(resources(planSetDaemonResources(params, input()).steps[2]?.call?.body)?.limits.cpu).toBeNull();
  });

  test("a preset never lowers a memory limit that is already higher", () => {
    expect(presetParams("emergency", { ...throttled, memoryLimitBytes: 8 * GI }).memoryLimitBytes).toBe(8 * GI);
  });

  test.each([
    ["no memory limit in the result", { memoryLimitBytes: undefined }, input({ name: "kube-multus", init: false, memoryRequestBytes: MI * 50 }), "memoryLimit"],
    ["no memory request in the result", { memoryRequestBytes: undefined }, input({ name: "kube-multus", init: false, memoryLimitBytes: GI }), "memoryRequest"],
    ["a request above the limit", { memoryRequestBytes: 5 * GI }, input(), "memoryRequest"],
    ["a CPU limit below the request", { cpuLimitCores: 0.05 }, input(), "cpuLimit"],
    ["a container that is not there", { container: "nope" }, input(), "container"],
    ["values that are there already", { cpuLimitCores: 0.1, memoryLimitBytes: GI, memoryRequestBytes: 50 * MI }, input(), "params"],
  ] as const)("refuses %s", (_, params, on, field) => {
    expect(plan(params, on).refusals.map((refusal) => refusal.field)).toContain(field);
  });

  test("lifting the CPU limit alone at 1Gi is allowed, with the hazard that it is likely to be killed for memory", () => {
    const made = plan({ cpuLimitCores: null, memoryLimitBytes: GI });
    expect(made.refusals).toEqual([]);
    expect(made.hazards.map((hazard) => hazard.title)).toEqual(expect.arrayContaining(["Likely to be killed for memory.", "The throttling chart goes blank.", "Rolls all 420 nodes, 10% at once."]));
  });

  test("a DaemonSet without a CPU request gets one written, since it would default to the limit on every node", () => {
    const made = plan({}, input({ name: "kube-multus", init: false, memoryLimitBytes: GI, memoryRequestBytes: 50 * MI }));
    expect(resources(made.steps[2]?.call?.body)?.requests.cpu).toBe("100m");
  });

  test("the write carries the resourceVersion of the plan, so that a change in between is a conflict", () => {
    expect(plan({}).steps[2]?.call?.body).toMatchObject({ metadata: { resourceVersion: "88120443" } });
  });

  test("its version changes with the template and with the answer, not with the DaemonSet's status", () => {
    const { version } = plan({});
    expect(plan({}, input(throttled, { resourceVersion: "88120444", ready: 3 })).version).toBe(version);
    expect(plan({}, input(throttled, { generation: 16 })).version).not.toBe(version);
    const well = { ...input(), view: { ...view, answer: { ...view.answer, state: "yes" as const } } };
    expect(plan({}, well).version).not.toBe(version);
  });

  test("the dry run is the same call with dryRun=All", () => {
    const [, dry, real] = plan({}).steps;
    expect(dry?.call).toEqual({ ...real?.call, query: { ...real?.call?.query, dryRun: "All" } });
    expect(real?.writes).toBe(true);
    expect(dry?.writes).toBe(false);
  });

  test("more than one node needs the DaemonSet's name typed; one node a click", () => {
    expect(plan({}).confirm).toEqual({ kind: "type", text: "kube-multus-ds" });
    expect(plan({}, input(throttled, { desired: 1 })).confirm.kind).toBe("click");
  });

  test("OnDelete restarts nothing by itself and says so", () => {
    const made = plan({}, input(throttled, { updateStrategy: "OnDelete" }));
    expect(made.affected.podsRestarted).toBe(0);
    expect(made.hazards[0]?.title).toBe("No pod changes by itself.");
  });

  test("undo sets the values of before", () => {
    expect(resources(plan({}).undo.call?.body)).toEqual({ limits: { cpu: "100m", memory: "1Gi" }, requests: { cpu: "100m", memory: "50Mi" } });
  });
});

test("undo takes a CPU request that only the change brought away again", () => {
  const made = plan({}, input({ name: "kube-multus", init: false, memoryLimitBytes: GI, memoryRequestBytes: 50 * MI }));
  expect(resources(made.undo.call?.body)).toEqual({ limits: { cpu: null, memory: "1Gi" }, requests: { cpu: null, memory: "50Mi" } });
});

describe("when the change is on the node", () => {
  const params = { container: "kube-multus", cpuLimitCores: 2, memoryRequestBytes: 256 * MI, memoryLimitBytes: 4 * GI };
  const made = planSetDaemonResources(params, input());
  const daemon = (over: object) => [{ daemonSet: "kube-system/kube-multus-ds", pod: "p", container: "kube-multus", ready: true, restarts: 0, cpuLimitCores: 2, memoryLimitBytes: 4 * GI, memoryRequestBytes: 256 * MI, oomKillsMs: [], ...over }];
  test.each([
    ["the pod has the values", {}, true],
    ["the old pod is still there", { cpuLimitCores: 0.1, memoryLimitBytes: GI }, false],
    ["another DaemonSet's pod has them", { daemonSet: "kube-system/other" }, false],
  ])("%s", (_, over, seen) => {
    expect(seenSetDaemonResources(made, daemon(over))).toBe(seen);
  });
});

const reading = (over: Partial<ActionReading>): ActionReading => ({ atMs: 0, answer: "no", atRisk: false, waiting: 220, stuck: 220, oomKillsMs: [], ...over });

describe("the verdict of set-daemon-resources", () => {
  const before = reading({});
  const seenMs = 1_000;
  test.each([
    ["an OOM kill since is worse", reading({ oomKillsMs: [500, 2_000] }), seenMs, false, "worse"],
    ["a kill of before does not count", reading({ oomKillsMs: [500], answer: "yes", waiting: 0, stuck: 0, lastFreshMs: 5_000 }), seenMs, false, "worked"],
    ["all started is worked", reading({ answer: "yes", waiting: 3, stuck: 0, lastFreshMs: 5_000 }), seenMs, false, "worked"],
    ["some started, not the last check, is too early", reading({ answer: "yes", atRisk: true, waiting: 100, stuck: 100, lastFreshMs: 5_000 }), seenMs, false, "too-early"],
    ["nothing started at the first check is too early", reading({}), seenMs, false, "too-early"],
    ["nothing started at the last check has no effect", reading({}), seenMs, true, "no-effect"],
    ["more wait at the last check and none started is worse", reading({ waiting: 300 }), seenMs, true, "worse"],
    ["stale sources cannot be verified", reading({ answer: "unknown" }), seenMs, true, "could-not-verify"],
    ["a change that never reached the node cannot be verified", reading({}), undefined, true, "could-not-verify"],
    ["an unknown count cannot be verified", { ...reading({}), waiting: undefined } as unknown as ActionReading, seenMs, true, "could-not-verify"],
  ] as const)("%s", (_, after, seen, last, verdict) => {
    expect(verifySetDaemonResources(before, after, seen, last).verdict).toBe(verdict);
  });

  test("a fresh sandbox from before the change proves nothing", () => {
    expect(verifySetDaemonResources(before, reading({ answer: "yes", waiting: 0, stuck: 0, lastFreshMs: 500 }), seenMs, true).verdict).toBe("no-effect");
  });
});
