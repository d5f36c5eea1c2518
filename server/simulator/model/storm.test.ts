import { describe, expect, it } from "vitest";
import { planScenario, retryStorm } from "../scenarios";
import { ClusterModel } from "./cluster";
import { countNode, freshSince } from "./counts";
import type { NodeModel } from "./node";
import type { DaemonResources } from "./parameters";

/**
 * The retry storm as it was reported: nothing in the model knows its figures, so these tests look at what emerges, and
 * at what moves them.
 */
const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2026, 4, 1, 12);
const GIB = 2 ** 30;
const EMERGENCY: DaemonResources = { cpuLimitCores: 2, cpuRequestCores: 0.1, memoryLimitBytes: 4 * GIB, memoryRequestBytes: 50 * 2 ** 20 };
const UNLIMITED_4GI: DaemonResources = { cpuRequestCores: 0.1, memoryLimitBytes: 4 * GIB, memoryRequestBytes: 50 * 2 ** 20 };
const UNLIMITED_1GI: DaemonResources = { cpuRequestCores: 0.1, memoryLimitBytes: GIB, memoryRequestBytes: 50 * 2 ** 20 };

interface Storm {
  readonly model: ClusterModel;
  readonly node: NodeModel;
}

function storm(seed: string, change: { quotaFactor?: number; podShare?: number } = {}): Storm {
  const plan = planScenario("retry-storm", { nodes: 1, seed, nowMs: NOW_MS });
  const { cluster } = plan;
  const model = new ClusterModel({
    ...cluster,
    daemonResources: { ...cluster.daemonResources, cpuLimitCores: (cluster.daemonResources.cpuLimitCores ?? 0) * (change.quotaFactor ?? 1) },
    nodes: cluster.nodes.map((n) => ({ ...n, workload: { ...n.workload, services: Math.round(n.workload.services * (change.podShare ?? 1)) } })),
  });
  plan.script(model);
  const node = [...model.nodes.values()][0];
  if (node === undefined) throw new Error("the scenario has no node");
  return { model, node };
}

/** Seconds from the change of the template until nobody waits and no dead sandbox is left over, or undefined. */
function secondsToClear({ model, node }: Storm, resources: DaemonResources, withinSeconds: number): number | undefined {
  model.daemonSet.setTemplate({ resources, image: model.daemonSet.image });
  const fromMs = model.nowMs;
  for (let seconds = 1; seconds <= withinSeconds; seconds++) {
    model.advance(fromMs + seconds * 1_000);
    const counts = countNode(node);
    if (counts.waiting === 0 && counts.backlog === 0) return seconds;
  }
  return undefined;
}

describe("a node with 100m of CPU for a heavy CNI chain, after an outage", () => {
  it.each(["1", "2", "3"])("passes through 550 to 650 dead sandboxes with 200 to 240 pods waiting (seed %s)", (seed) => {
    const { model, node } = storm(seed);
    let seen = false;
    for (let minutes = -60; minutes <= 0; minutes++) {
      model.advance(NOW_MS + minutes * MINUTE_MS);
      const { dead, waiting } = countNode(node);
      if (dead >= 550 && dead <= 650 && waiting >= 200 && waiting <= 240) seen = true;
    }
    expect(seen).toBe(true);
    expect(node.parameters.maxPods).toBe(250);
    expect(node.kubelet.pods.size).toBeGreaterThan(220);
    expect(node.kubelet.pods.size).toBeLessThan(240);
  });

  it("does not recover alone: an hour later nothing fresh for half an hour, and the backlog stands", () => {
    const { model, node } = storm("1");
    model.advance(NOW_MS);
    const before = countNode(node);
    model.advance(NOW_MS + 60 * MINUTE_MS);
    const after = countNode(node);
    expect(freshSince(node, model.nowMs - 30 * MINUTE_MS)).toBe(false);
    expect(after.backlog).toBeGreaterThanOrEqual(before.backlog);
    expect(after.waiting).toBeGreaterThanOrEqual(before.waiting);
    expect(node.daemonPod?.outOfMemoryKills).toBe(0);
    expect(node.daemonPod?.pod.ready.status).toBe(true);
  });

  it("has about one dead sandbox for each waiting pod, and the rest of pods that are gone", () => {
    const { model, node } = storm("1");
    model.advance(NOW_MS);
    const { waiting, ofWaiting, ofGone, dead } = countNode(node);
    expect(ofWaiting).toBeGreaterThan(0.9 * waiting);
    expect(ofWaiting).toBeLessThan(1.1 * waiting);
    expect(ofGone).toBeGreaterThan(0.9 * (dead - ofWaiting - node.parameters.workload.hostNetworkPods - 1));
  });

  it("goes from a loud phase of failed creations into one of failed stops with Normal events only", () => {
    const { model, node } = storm("1");
    const errors = (operation: string): number => node.kubelet.operations.get(operation)?.errors ?? 0;
    const at = (minutes: number): { run: number; stop: number } => {
      model.advance(NOW_MS + minutes * MINUTE_MS);
      return { run: errors("run_podsandbox"), stop: errors("stop_podsandbox") };
    };
    at(-33);
    const loud = at(-26);
    const quiet = at(-10);
    const later = at(0);
    expect(loud.run).toBeGreaterThan(200);
    expect(later.run - quiet.run).toBeLessThan(0.05 * loud.run);
    expect(later.stop - quiet.stop).toBeGreaterThan(500);
    model.takeChanges();
    model.advance(NOW_MS + 10 * MINUTE_MS);
    const events = [...model.takeChanges().events].filter((e) => e.lastMs > NOW_MS);
    expect(events.filter((e) => e.type === "Normal" && e.reason === "SandboxChanged").length).toBeGreaterThan(150);
    expect(events.filter((e) => e.type === "Warning").length).toBeLessThan(20);
  });

  it("is throttled in nearly every period, and the daemon keeps what its callers have given up", () => {
    const { model, node } = storm("1");
    model.advance(NOW_MS);
    const { counters } = node.daemon.processor;
    expect(counters.throttledPeriods / counters.periods).toBeGreaterThan(0.95);
    expect(node.daemon.connections).toBeGreaterThan(3 * node.cni.liveShims);
    const before = node.daemon.connections;
    model.advance(NOW_MS + 20 * MINUTE_MS);
    expect(node.daemon.connections).toBeGreaterThan(before);
  });

  it("moves its plateau when the quota is doubled or the pods are halved", () => {
    const plateau = (change: Parameters<typeof storm>[1]): { dead: number; waiting: number } => {
      const { model, node } = storm("1", change);
      model.advance(NOW_MS);
      return countNode(node);
    };
    const plain = plateau({});
    const doubled = plateau({ quotaFactor: 2 });
    const halved = plateau({ podShare: 0.5 });
    expect(doubled.waiting).toBeLessThan(0.8 * plain.waiting);
    expect(doubled.dead).toBeLessThan(0.9 * plain.dead);
    expect(halved.waiting).toBeLessThan(0.6 * plain.waiting);
    expect(halved.dead).toBeLessThan(0.6 * plain.dead);
  });
});

describe("what is done about the storm", () => {
  it.each(["1", "4"])("2 CPU and 4Gi clear it in two to four minutes, and no CPU limit with 4Gi is no slower (seed %s)", (seed) => {
    const limited = storm(seed);
    limited.model.advance(NOW_MS);
    const withLimit = secondsToClear(limited, EMERGENCY, 600);
    const unlimited = storm(seed);
    unlimited.model.advance(NOW_MS);
    const withoutLimit = secondsToClear(unlimited, UNLIMITED_4GI, 600);
    expect(withLimit).toBeGreaterThanOrEqual(120);
    expect(withLimit).toBeLessThanOrEqual(240);
    expect(withoutLimit).toBeLessThanOrEqual(withLimit ?? 0);
    expect(limited.node.daemonPod?.outOfMemoryKills).toBe(0);
    expect(unlimited.node.daemonPod?.outOfMemoryKills).toBe(0);
  });

  it("no CPU limit at 1Gi loops in OOM kills that show in the container's status and in no event", () => {
    const run = storm("1");
    run.model.advance(NOW_MS);
    run.model.takeChanges();
    expect(secondsToClear(run, UNLIMITED_1GI, 1_800)).toBeUndefined();
    const pod = run.node.daemonPod?.pod;
    expect(run.node.daemonPod?.outOfMemoryKills).toBeGreaterThanOrEqual(5);
    expect(pod?.container.restarts).toBeGreaterThanOrEqual(5);
    expect(pod?.container.last).toMatchObject({ reason: "OOMKilled", exitCode: 137 });
    expect(countNode(run.node).waiting).toBeGreaterThan(150);
    const events = [...run.model.takeChanges().events];
    expect(events.filter((e) => /oom/i.test(`${e.reason} ${e.message}`))).toEqual([]);
    expect(events.some((e) => e.reason === "BackOff" && e.about.uid === pod?.uid)).toBe(true);
  });

  it("an in-place resize clears it without a restart, while the queue of abandoned calls is worked off", () => {
    const { model, node } = storm("1");
    model.advance(NOW_MS);
    const pod = node.daemonPod?.pod;
    if (pod === undefined) throw new Error("no daemon pod");
    const restarts = pod.container.restarts;
    node.resizeDaemon(pod, EMERGENCY);
    model.advance(NOW_MS + 20 * MINUTE_MS);
    expect(countNode(node).waiting).toBe(0);
    expect(node.daemonPod?.pod).toBe(pod);
    expect(pod.container.restarts).toBe(restarts);
  });

  it("the same outage is no storm where a call is cheap", () => {
    const plan = planScenario("healthy", { nodes: 1, seed: "1", nowMs: NOW_MS });
    const model = new ClusterModel({ ...plan.cluster, nodes: plan.cluster.nodes.map((n) => ({ ...n, maxPods: 250, cores: 4, workload: { ...n.workload, services: 221 } })) });
    const node = [...model.nodes.values()][0];
    if (node === undefined) throw new Error("the scenario has no node");
    retryStorm(model, node.parameters.name, (minutes) => NOW_MS - minutes * MINUTE_MS);
    model.advance(NOW_MS);
    expect(countNode(node).waiting).toBe(0);
  });
});
