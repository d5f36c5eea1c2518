import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { planScenario, SCENARIOS } from "../scenarios";
import { ClusterModel } from "./cluster";
import { countNode, freshSince } from "./counts";
import { MULTUS_CONF } from "./files";
import { OPERATION_BUCKETS } from "./histogram";
import type { NodeModel } from "./node";

const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2026, 4, 1, 12);

function start(scenario: (typeof SCENARIOS)[number], nodes: number, seed = "1"): { model: ClusterModel; first: NodeModel; subject: NodeModel } {
  const plan = planScenario(scenario, { nodes, seed, nowMs: NOW_MS });
  const model = new ClusterModel(plan.cluster);
  plan.script(model);
  const first = [...model.nodes.values()][0];
  const subject = model.nodes.get([...plan.expected.keys()][0] ?? "") ?? first;
  if (first === undefined || subject === undefined) throw new Error("the scenario has no node");
  return { model, first, subject };
}

/** Everything that the model would tell, as one text. */
function fingerprint(model: ClusterModel): string {
  const hash = createHash("sha256");
  for (const node of model.nodes.values()) {
    hash.update(JSON.stringify([...node.kubelet.pods.values()]));
    hash.update(JSON.stringify([...node.runtime.sandboxes.values()]));
    hash.update(JSON.stringify([...node.kubelet.operations].map(([name, h]) => [name, h.counts, h.sumSeconds, h.errors])));
    hash.update(JSON.stringify([node.daemon.processor.counters, node.daemon.memoryBytes, node.files.socket]));
  }
  const changes = model.takeChanges();
  hash.update(JSON.stringify([...changes.events]));
  return hash.digest("hex");
}

describe("determinism", () => {
  it("the same seed gives the same cluster to the byte, whatever steps it is moved in", () => {
    const whole = start("demo", 6);
    whole.model.advance(NOW_MS);
    const chopped = start("demo", 6);
    for (let ms = chopped.model.nowMs; ms < NOW_MS; ms += 7_350) chopped.model.advance(ms);
    chopped.model.advance(NOW_MS);
    expect(fingerprint(chopped.model)).toBe(fingerprint(whole.model));
  });

  it("another seed gives another cluster", () => {
    const one = start("demo", 6, "1");
    const two = start("demo", 6, "2");
    one.model.advance(one.model.nowMs + MINUTE_MS);
    two.model.advance(two.model.nowMs + MINUTE_MS);
    expect(fingerprint(one.model)).not.toBe(fingerprint(two.model));
  });
});

describe("a healthy node", () => {
  it("shows a fresh sandbox in every ten minutes and no errors", () => {
    const { model } = start("healthy", 3);
    for (let minutes = -100; minutes <= 0; minutes += 10) {
      model.advance(NOW_MS + minutes * MINUTE_MS);
      for (const node of model.nodes.values()) expect(freshSince(node, model.nowMs - 10 * MINUTE_MS), node.parameters.name).toBe(true);
    }
    for (const node of model.nodes.values()) expect([...node.kubelet.operations.values()].every((o) => o.errors === 0)).toBe(true);
  });

  it("leaves no dead sandbox behind for long", () => {
    const { model, first } = start("healthy", 1);
    model.advance(NOW_MS);
    expect(countNode(first).backlog).toBeLessThan(4);
  });

  it("asks the CNI nothing where nothing starts", () => {
    const { model, first } = start("idle", 1);
    model.advance(NOW_MS);
    expect(first.daemon.addsServed).toBe(0);
    expect(first.kubelet.operations.has("run_podsandbox")).toBe(false);
  });

  it("pays for one pod what was measured: under 100 ms of CPU, throttled at 100m", () => {
    const { model, first } = start("healthy", 1);
    model.advance(NOW_MS);
    const { counters } = first.daemon.processor;
    const idleSeconds = 0.002 * 7_200;
    const perCall = (counters.usageSeconds - idleSeconds) / (first.daemon.addsServed + first.daemon.delsServed);
    expect(perCall).toBeGreaterThan(0.04);
    expect(perCall).toBeLessThan(0.1);
    expect(counters.throttledPeriods).toBeGreaterThan(0);
    expect(counters.throttledPeriods / counters.periods).toBeLessThan(0.2);
  });
});

describe("a restart of the daemon", () => {
  it("makes folder and socket again with new inodes, after a gap of one to three seconds without them", () => {
    const { model, first } = start("healthy", 1);
    const before = first.files.socket;
    const pod = model.daemonSet.podOn(first.parameters.name);
    if (pod === undefined || before === undefined) throw new Error("no daemon");
    first.deletePod(pod, model.nowMs);
    let gapMs = 0;
    for (let t = model.nowMs; t < model.parameters.startMs + MINUTE_MS; t += 1_000) {
      model.advance(t);
      if (first.files.socket === undefined) gapMs += 1_000;
    }
    const after = first.files.socket;
    expect(gapMs).toBeGreaterThanOrEqual(1_000);
    expect(gapMs).toBeLessThanOrEqual(3_000);
    expect(after?.file.inode).not.toBe(before.file.inode);
    expect(after?.folder.inode).not.toBe(before.folder.inode);
    expect(first.files.effectiveConf()).toBe(MULTUS_CONF);
    expect(model.daemonSet.podOn(first.parameters.name)?.uid).not.toBe(pod.uid);
  });

  it("rolls a changed template node by node, never two at once", () => {
    const { model } = start("healthy", 5);
    model.daemonSet.setTemplate({ resources: { cpuLimitCores: 0.5, memoryLimitBytes: 2 ** 30, memoryRequestBytes: 2 ** 26 }, image: "new" });
    let worst = 0;
    for (let s = 0; s < 180; s++) {
      model.advance(model.nowMs + 1_000);
      worst = Math.max(worst, 5 - model.daemonSet.status().ready);
    }
    expect(worst).toBe(1);
    expect(model.daemonSet.status().updated).toBe(5);
    for (const node of model.nodes.values()) expect(node.daemon.processor.quotaCores).toBe(0.5);
  });
});

describe("a node whose shim is gone", () => {
  it("starts nothing, says once what is missing, then only fails to stop; a new daemon pod mends it", () => {
    const { model, subject } = start("missing-binary", 1);
    model.advance(NOW_MS);
    expect(countNode(subject).waiting).toBeGreaterThanOrEqual(5);
    expect(freshSince(subject, NOW_MS - 20 * MINUTE_MS)).toBe(false);
    const failed = [...model.takeChanges().events].filter((e) => e.reason === "FailedCreatePodSandBox");
    expect(failed[0]?.message).toContain('failed to find plugin "multus-shim" in path [/opt/cni/bin]');
    expect(subject.kubelet.operations.get("stop_podsandbox")?.errors).toBeGreaterThan(10 * (subject.kubelet.operations.get("run_podsandbox")?.errors ?? 0));
    const pod = subject.daemonPod?.pod;
    if (pod === undefined) throw new Error("no daemon pod");
    subject.deletePod(pod, model.nowMs);
    model.advance(model.nowMs + 2 * MINUTE_MS);
    expect(countNode(subject).waiting).toBeLessThanOrEqual(1);
    expect(freshSince(subject, model.nowMs - 2 * MINUTE_MS)).toBe(true);
  });
});

describe("the histogram", () => {
  it("has the kubelet's fourteen buckets", () => {
    expect(OPERATION_BUCKETS).toHaveLength(14);
    expect(OPERATION_BUCKETS[0]).toBe(0.005);
    expect(OPERATION_BUCKETS.at(-1)).toBeCloseTo(745.058, 3);
  });
});

describe("every scenario", () => {
  it.each(SCENARIOS)("%s: its subject nodes start no pod, all others do", (name) => {
    const plan = planScenario(name, { nodes: 6, seed: "1", nowMs: NOW_MS });
    const model = new ClusterModel(plan.cluster);
    plan.script(model);
    model.advance(NOW_MS);
    for (const node of model.nodes.values()) {
      const fresh = freshSince(node, NOW_MS - 10 * MINUTE_MS);
      const { waiting } = countNode(node);
      const { state, idle } = plan.expected.get(node.parameters.name) ?? plan.others;
      if (state === "no") expect({ fresh, stuck: waiting > 0 }, node.parameters.name).toEqual({ fresh: false, stuck: true });
      if (state === "yes" && idle !== true) expect(fresh, node.parameters.name).toBe(true);
      if (state === "unknown") expect(node.ready.status).toBe("Unknown");
    }
  });
});

describe("what a node costs", () => {
  it("is a few events a minute where all is well, and bounded in a storm", () => {
    const perHour = (scenario: (typeof SCENARIOS)[number]): number => {
      const { model, subject } = start(scenario, 1);
      model.advance(NOW_MS);
      const before = subject.engine.executed;
      model.advance(NOW_MS + 60 * MINUTE_MS);
      return subject.engine.executed - before;
    };
    expect(perHour("healthy")).toBeLessThan(3_000);
    expect(perHour("retry-storm")).toBeLessThan(40_000);
    expect(perHour("oom-loop")).toBeLessThan(120_000);
  });
});
