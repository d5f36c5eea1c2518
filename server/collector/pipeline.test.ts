import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ContainerCgroup } from "../domain/agent-readings";
import type { AgentReport } from "../domain/agent-report";
import type { Namespace, NodeName, ObjectName } from "../domain/ids";
import type { DaemonPodDetail } from "../domain/model";
import { API_FRESH_MS } from "../domain/sources";
import { holdWriteLock } from "../store/testing/hold";
import { PipelineHarness } from "./testing/harness";

let h: PipelineHarness;
beforeEach(() => {
  h = new PipelineHarness();
});
afterEach(() => h.close());

const running = (sinceMs: number) => ({ phase: "Running" as const, hasIp: true, readyToStart: { status: true, sinceMs } });

describe("from observation to stored answer", () => {
  test("nothing is judged before nodes and pods were listed once, so a start shows no wrong answer", () => {
    h.node("a");
    h.listed("nodes", ["a"]);
    h.tick(1_000);
    expect(h.answer("a")).toBeUndefined();
    h.listed("pods", []);
    h.tick(1_000);
    expect(h.answer("a")).toBeDefined();
  });

  test("a stuck pod without a fresh sandbox turns yes into no once, with since, and a start into yes again", () => {
    h.ready(["a"], ["ok"]);
    h.pod("ok", "a", running(h.nowMs));
    h.tick(1_000);
    expect(h.answer("a")).toMatchObject({ state: "yes", row: 5 });
    h.tick(60_000);
    h.pod("stuck", "a");
    for (let i = 0; i < 40; i++) {
      h.kind("nodes");
      h.kind("pods");
      h.kind("events");
      h.tick(3_000);
    }
    const no = h.answer("a");
    expect(no).toMatchObject({ state: "no", row: 3 });
    const noSinceMs = no?.sinceMs ?? 0;
    expect(h.nowMs - noSinceMs).toBeGreaterThan(20_000);
    h.pod("stuck", "a", running(h.nowMs));
    h.tick(1_000);
    expect(h.answer("a")).toMatchObject({ state: "yes", row: 5, sinceMs: h.nowMs });
    expect(h.reader.answerChanges({ fromMs: 0, limit: 10 }).map((change) => `${change.before ?? "-"}>${change.state}`)).toEqual(["no>yes", "yes>no", "->yes"]);
  });

  test("a node whose API source went stale is unknown, whatever it was", () => {
    h.ready(["a"], ["ok"]);
    h.pod("ok", "a", running(h.nowMs));
    h.tick(1_000);
    expect(h.answer("a")?.state).toBe("yes");
    h.kind("pods", { state: "failing", reason: "connection refused", lastMs: h.nowMs, failingSinceMs: h.nowMs });
    h.tick(API_FRESH_MS - 20_000);
    expect(h.answer("a")?.state).toBe("yes");
    h.tick(40_000);
    expect(h.answer("a")?.state).toBe("unknown");
    h.listed("pods", ["ok"]);
    h.kind("nodes");
    h.kind("events");
    h.tick(1_000);
    expect(h.answer("a")?.state).toBe("yes");
  });

  test("a restart keeps since and the last fresh sandbox of a pod that is gone", () => {
    h.ready(["a"], ["ok"]);
    const freshMs = h.nowMs;
    h.pod("ok", "a", running(freshMs));
    h.tick(1_000);
    const since = h.answer("a")?.sinceMs;
    h.restart(30_000);
    h.ready(["a"], []);
    h.tick(1_000);
    expect(h.answer("a")).toMatchObject({ state: "yes", row: 5, sinceMs: since });
    expect(h.reader.node("a" as NodeName)?.view.lastFreshMs).toBe(freshMs);
    expect(h.reader.answerChanges({ fromMs: 0, limit: 10 })).toHaveLength(1); // a restart changes no answer
  });

  test("a node that the store remembers and nobody tells of after a start becomes unknown, and known again by the first list", () => {
    h.ready(["a"], ["ok"]);
    h.pod("ok", "a", running(h.nowMs));
    h.tick(1_000);
    h.restart(3_600_000);
    h.tick(1_000);
    expect(h.answer("a")?.state).toBe("yes"); // the grace of a start
    h.tick(15_000);
    expect(h.answer("a")).toMatchObject({ state: "unknown", row: 1 });
    h.ready(["a"], ["ok"]);
    h.pod("ok", "a", running(h.nowMs));
    h.tick(1_000);
    expect(h.answer("a")?.state).toBe("yes");
  });

  test("a node that left the cluster leaves the fleet, and a page that had it is told", () => {
    h.ready(["a", "b"]);
    h.tick(1_000);
    const seq = h.reader.fleet().seq;
    h.pipeline.observe({ source: "api", type: "node-gone", atMs: h.nowMs, name: "b" as NodeName });
    h.tick(1_000);
    expect(h.reader.fleet().rows.map((row) => row.view.name)).toEqual(["a"]);
    expect(h.reader.fleet(seq).gone).toEqual(["b"]);
    h.listed("nodes", []);
    h.tick(1_000);
    expect(h.reader.fleet().rows).toEqual([]);
  });

  test("a pod that is told before its node is counted once the node is there", () => {
    h.pod("early", "a");
    h.ready(["a"], ["early"]);
    h.tick(1_000);
    expect(h.reader.node("a" as NodeName)?.view.counts).toMatchObject({ pods: 1, waiting: 1 });
  });

  test("counts are sampled when they change and at least every 15 s, so a timeline has both edges", () => {
    h.ready(["a"]);
    h.tick(1_000);
    h.pod("p1", "a");
    h.tick(1_000);
    h.pod("p2", "a");
    h.tick(1_000);
    const series = h.reader.timeline({ node: "a" as NodeName, fromMs: h.nowMs - 60_000, toMs: h.nowMs + 1, signals: ["pods.waiting"], points: 100 }).series[0];
    expect(series?.last).toEqual([0, 1, 2]);
  });

  test("a cause that begins by time alone is in the stored view, and gone from it once its reason is", () => {
    h.ready(["a"]);
    h.daemonSet("kube-system", "cilium");
    const daemon = (running: boolean): void =>
      h.pod("cilium-x", "a", {
        namespace: "kube-system" as Namespace, hostNetwork: true, system: true, owner: "DaemonSet/cilium", phase: "Running",
        daemon: { containers: [], restarts: 1, ready: running, running: running ? [{ container: "cilium", init: false, sinceMs: h.nowMs }] : [], terminations: [{ container: "cilium", init: false, exitCode: 2, reason: "Error", finishedMs: h.nowMs }], waitingReasons: [] },
      });
    const causes = (): readonly string[] | undefined => h.reader.node("a" as NodeName)?.view.causes.map(({ code }) => code);
    const pass = (ms: number): void => {
      for (let passed = 0; passed < ms; passed += 15_000) {
        for (const kind of ["nodes", "pods", "events", "daemonsets"] as const) h.kind(kind);
        h.tick(15_000);
      }
    };
    daemon(false);
    pass(60_000);
    expect(causes()).toEqual([]);
    pass(75_000);
    expect(causes()).toEqual(["daemon-down"]);
    daemon(true);
    pass(15_000);
    expect(causes()).toEqual([]);
  });

  test("a CNI daemon that a new list no longer holds is no daemon any more", () => {
    h.ready(["a"]);
    h.daemonSet("kube-system", "flannel");
    expect(h.pipeline.isWantedPod("kube-system", "flannel-x")).toBe(true);
    h.listed("daemonsets", []);
    expect(h.pipeline.isWantedPod("kube-system", "flannel-x")).toBe(false);
  });

  test("beside a list of pods that is old no backlog is told", () => {
    h.ready(["a"]);
    h.report("a", [{ uid: "newer-than-the-list", ready: false }]);
    h.tick(1_000);
    const backlog = () => h.reader.timeline({ node: "a" as NodeName, fromMs: h.nowMs - 600_000, toMs: h.nowMs + 1, signals: ["sandbox.backlog"], points: 100 }).series[0]?.last;
    expect(backlog()).toEqual([1]);
    h.tick(API_FRESH_MS + 10_000);
    h.report("a", [{ uid: "newer-than-the-list", ready: false }]);
    h.tick(1_000);
    expect(backlog()).toEqual([1]);
  });

  test("a node that cannot be judged is unknown by itself, and all others go on", () => {
    h.ready(["a", "b", "c"], ["p1", "p2", "p3"]);
    for (const [pod, node] of [["p1", "a"], ["p2", "b"], ["p3", "c"]] as const) h.pod(pod, node, running(h.nowMs));
    h.tick(1_000);
    expect(["a", "b", "c"].map((name) => h.answer(name)?.state)).toEqual(["yes", "yes", "yes"]);
    h.node("b", { conditions: null as unknown as [] }); // what no projection gives: a fault of ours
    h.pod("p4", "c");
    expect(h.tick(1_000)).toBe(true);
    expect(["a", "b", "c"].map((name) => h.answer(name)?.state)).toEqual(["yes", "unknown", "yes"]);
    expect(h.reader.node("c" as NodeName)?.view.counts.waiting).toBe(1);
    h.node("b");
    h.tick(1_000);
    expect(h.answer("b")?.state).toBe("yes");
  });

  test("a clock that steps back an hour keeps no node from being judged and sampled", () => {
    h.ready(["a"], ["ok"]);
    h.pod("ok", "a", running(h.nowMs));
    h.tick(1_000);
    h.tick(-3_600_000);
    const before = h.pipeline.judgeAll();
    expect(before).toBe(0); // judged by that tick already
    h.nowMs += 16_000;
    expect(h.pipeline.judgeAll()).toBe(1);
  });

  test("what the store remembers of before a start is not taken for what is so now", () => {
    h.ready(["a"]);
    h.tick(1_000);
    expect(h.pipeline.judges).toBe(true);
    h.restart(60_000);
    expect(h.pipeline.view("a")).toBeDefined();
    expect(h.pipeline.judges).toBe(false);
    h.ready(["a"]);
    expect(h.pipeline.judges).toBe(true);
  });

  test("while the file is held by another nothing is lost: all of it is written once it can be", () => {
    h.ready(["a"]);
    h.tick(1_000);
    const letGo = holdWriteLock(h.file);
    h.pod("p1", "a");
    expect(h.tick(1_000)).toBe(false);
    h.pod("p2", "a");
    expect(h.tick(1_000)).toBe(false);
    letGo();
    expect(h.tick(1_000)).toBe(true);
    const series = h.reader.timeline({ node: "a" as NodeName, fromMs: h.nowMs - 60_000, toMs: h.nowMs + 1, signals: ["pods.waiting"], points: 100 }).series[0];
    expect(series?.last.slice(0, 3)).toEqual([0, 1, 2]);
    expect(h.reader.node("a" as NodeName)?.view.counts.waiting).toBe(2);
  });
});

describe("what agents are told in answer to their reports", () => {
  const nad = (key: string, ...pluginTypes: string[]): void => h.pipeline.observe({ source: "api", type: "nad", atMs: h.nowMs, key, pluginTypes });

  test("is nothing of what was not listed yet: an empty list would take away what an agent knows", () => {
    expect(h.pipeline.tellAgents()).toEqual({});
  });

  test("is the plugin types of all network attachments, each once, and the DaemonSets that serve a CNI", () => {
    h.ready(["a"]);
    nad("default/one", "macvlan", "whereabouts");
    nad("default/two", "macvlan", "tuning");
    h.listed("nads", ["default/one", "default/two"]);
    h.daemonSet("kube-system", "kube-multus-ds");
    h.daemonSet("kube-system", "kube-proxy");
    expect(h.pipeline.tellAgents()).toEqual({ nadPluginTypes: ["macvlan", "tuning", "whereabouts"], cniDaemonSets: ["kube-system/kube-multus-ds"] });
  });
});

describe("reports of agents are kept", () => {
  const admitted = (name: string): string => h.pipeline.admits(name as NodeName).is;

  test("of the nodes that are listed, of no other, and of none before the first list, with the reason why it does not come", () => {
    expect(h.pipeline.admits("a" as NodeName)).toEqual({ is: "not-yet", reason: "the first list of nodes is not finished" });
    h.kind("nodes", { state: "failing", reason: "connection refused" });
    expect(h.pipeline.admits("a" as NodeName)).toEqual({ is: "not-yet", reason: "nodes cannot be listed: connection refused" });
    h.ready(["a"]);
    expect([admitted("a"), admitted("b")]).toEqual(["admitted", "unlisted"]);
    h.node("b");
    expect(admitted("b")).toBe("admitted");
    h.listed("nodes", ["b"]);
    expect([admitted("a"), admitted("b")]).toEqual(["unlisted", "admitted"]);
  });

  test("after a restart of those that the store remembers, until a list says otherwise", () => {
    h.ready(["a", "b"]);
    h.tick(1_000);
    h.restart(1_000);
    expect(["a", "b", "c"].map(admitted)).toEqual(["admitted", "admitted", "not-yet"]);
    h.node("a");
    h.listed("nodes", ["a"]);
    expect(["a", "b", "c"].map(admitted)).toEqual(["admitted", "unlisted", "unlisted"]);
  });
});

describe("what an agent tells of a daemon's cgroup", () => {
  const DAEMON = "kube-multus-ds-nmfkg/kube-multus-ds"; // the harness names the container like the DaemonSet
  const cgroup = (over: Partial<ContainerCgroup>): ContainerCgroup => ({ namespace: "kube-system", pod: "kube-multus-ds-nmfkg", podUid: "u", container: "kube-multus-ds", containerId: "c1", cni: "multus", cgroupVersion: 1, ...over });
  const report = (items: readonly ContainerCgroup[], over: Partial<AgentReport> = {}): void => {
    const blind = { looked: false as const, reason: "not in this test" };
    h.pipeline.observe({
      source: "agent", type: "report", node: "a" as NodeName, atMs: h.nowMs,
      report: { version: 1, node: "a", startId: "s", sequence: 1, atMs: h.nowMs, agentVersion: "0", runtime: blind, config: blind, sockets: blind, sandboxes: blind, cgroups: { looked: true, items, readMs: h.nowMs }, ...over },
    });
  };
  const cadvisor = (cfsPeriods: number, cfsThrottledPeriods: number): void =>
    h.pipeline.observe({ source: "kubelet", type: "cadvisor", node: "a" as NodeName, atMs: h.nowMs, tookMs: 1, metrics: { hasPressure: false, containers: [{ namespace: "kube-system", pod: "kube-multus-ds-nmfkg", container: "kube-multus-ds", cgroupId: "/k", cfsPeriods, cfsThrottledPeriods }] } });
  const signal = (name: string) => h.reader.node("a" as NodeName)?.view.signals.find((one) => one.signal === name && (one.instance === DAEMON || one.instance === ""));
  const forward = (): void => {
    h.tick(15_000);
    h.kind("nodes");
    h.kind("pods");
    h.kind("events");
  };
  beforeEach(() => {
    h.ready(["a"], ["u"]);
    h.daemonSet("kube-system", "kube-multus-ds");
    h.pod("u", "a", { ...running(h.nowMs), namespace: "kube-system" as Namespace, name: "kube-multus-ds-nmfkg" as ObjectName, owner: "DaemonSet/kube-multus-ds", daemon: { containers: [{ name: "kube-multus-ds", init: false, cpuLimitCores: 0.1 }], restarts: 0, ready: true, running: [], terminations: [], waitingReasons: [] } });
    h.tick(1_000);
  });

  test("becomes its throttled share, pressure and working set, and a restarted container's counters make no spike", () => {
    report([cgroup({ cpuQuotaCores: 0.1, cpuPeriods: 1_000, cpuThrottledPeriods: 900, cpuPressureSeconds: 500 })]);
    forward();
    report([cgroup({ cpuQuotaCores: 0.1, cpuPeriods: 1_150, cpuThrottledPeriods: 1_020, cpuPressureSeconds: 503, memoryWorkingSetBytes: 7_000 })]);
    h.tick(1_000);
    expect(signal("daemon.cpu.throttled_share")).toMatchObject({ state: "fresh", source: "agent", value: 0.8 });
    expect(signal("daemon.cpu.psi_share")).toMatchObject({ state: "fresh", source: "agent", value: 0.2 });
    expect(signal("daemon.memory.working_set")).toMatchObject({ state: "fresh", source: "agent", value: 7_000 });
    forward();
    report([cgroup({ containerId: "c2", startedMs: h.nowMs - 10_000, cpuQuotaCores: 0.1, cpuPeriods: 50, cpuThrottledPeriods: 5, cpuPressureSeconds: 0 })]);
    h.tick(1_000);
    expect(signal("daemon.cpu.throttled_share")).toMatchObject({ value: 125 / 200 });
  });

  test("stands alone while it is told: what cAdvisor says of the same container is not drawn beside it, and is again once the agent is silent", () => {
    report([cgroup({ cpuQuotaCores: 0.1, cpuPeriods: 1_000, cpuThrottledPeriods: 1_000 })]);
    cadvisor(1_000, 0);
    forward();
    report([cgroup({ cpuQuotaCores: 0.1, cpuPeriods: 1_100, cpuThrottledPeriods: 1_100 })]);
    cadvisor(1_100, 0);
    h.tick(1_000);
    expect(signal("daemon.cpu.throttled_share")).toMatchObject({ source: "agent", value: 1 });
    for (let round = 0; round < 4; round += 1) forward();
    cadvisor(1_200, 0);
    h.tick(1_000);
    expect(signal("daemon.cpu.throttled_share")).toMatchObject({ source: "kubelet", value: 0 });
  });

  test("spares the node the frequent reading of cAdvisor, also while its answer is not yes", () => {
    h.pod("stuck", "a");
    for (let round = 0; round < 8; round += 1) forward();
    expect(h.answer("a")?.state).toBe("no");
    expect(h.pipeline.wantsFastCadvisor("a" as NodeName)).toBe(true);
    report([cgroup({ pod: "kube-proxy-x2b7q", container: "kube-proxy" })]);
    expect(h.pipeline.wantsFastCadvisor("a" as NodeName), "another pod's cgroup is not the daemon's").toBe(true);
    report([cgroup({ cpuQuotaCores: 0.1, cpuPeriods: 1, cpuThrottledPeriods: 1 })]);
    expect(h.pipeline.wantsFastCadvisor("a" as NodeName)).toBe(false);
    for (let round = 0; round < 4; round += 1) forward();
    expect(h.pipeline.wantsFastCadvisor("a" as NodeName), "an agent that is silent tells nothing").toBe(true);
  });

  test("what it found of the kubelet's timeout is the deadline where the kubelet itself does not tell, and is not assumed then", () => {
    const view = () => h.reader.node("a" as NodeName)?.view;
    report([], { kubelet: { looked: true, reading: { runtimeRequestTimeoutSeconds: 900, timeoutFrom: "--runtime-request-timeout" } } });
    h.tick(1_000);
    expect(view()?.deadline).toEqual({ seconds: 1_800, assumed: false });
    expect(signal("cri.deadline")).toMatchObject({ state: "fresh", source: "agent", value: 1_800 });
    h.pipeline.observe({ source: "kubelet", type: "configz", node: "a" as NodeName, atMs: h.nowMs, runtimeRequestTimeoutSeconds: 15 });
    forward();
    report([], { kubelet: { looked: true, reading: { runtimeRequestTimeoutSeconds: 900 } } });
    h.tick(1_000);
    expect(view()?.deadline, "the running kubelet knows best").toEqual({ seconds: 30, assumed: false });
    expect(signal("cri.deadline")).toMatchObject({ source: "kubelet", value: 30 });
  });

  test("a part that the agent could not look at is a blind spot with its reason", () => {
    report([], { cgroups: { looked: false, reason: "no cgroups of pods below /sys/fs/cgroup" } });
    h.tick(1_000);
    expect(h.reader.node("a" as NodeName)?.view.blind.map(({ what, reason }) => `${what}: ${reason}`)).toContain("CPU and memory of CNI daemons and system DaemonSets, by their cgroups: no cgroups of pods below /sys/fs/cgroup");
  });
});

describe("the nodes without a daemon", () => {
  test("stand in the evidence on each of them, all nodes of the cluster compared", () => {
    const GI = 2 ** 30;
    const old = { createdMs: h.nowMs - 90_000_000, allocatable: { memoryBytes: 4 * GI, cpuCores: 4 } };
    h.ready(["a", "b", "c"], []);
    for (const name of ["a", "b"]) h.node(name, old);
    h.node("c", { ...old, taints: ["gpu=true:NoSchedule"] });
    h.daemonSet("kube-system", "kube-multus-ds", { tolerations: [{ key: "other" }] });
    const daemonPod = (name: string, over: Partial<DaemonPodDetail>) => h.pod(`ds-${name}`, over.unscheduled === undefined ? name : undefined, { namespace: "kube-system" as Namespace, hostNetwork: true, owner: "DaemonSet/kube-multus-ds", requests: { cpuCores: 0.1, memoryBytes: 4 * GI }, daemon: { containers: [{ name: "kube-multus-ds", init: false, memoryRequestBytes: 4 * GI }], restarts: 0, ready: true, running: [], terminations: [], waitingReasons: [], ...over } });
    daemonPod("a", {});
    h.pod("web", "b", { ...running(h.nowMs), requests: { cpuCores: 1, memoryBytes: GI } });
    daemonPod("b", { ready: false, unscheduled: { forNode: "b" as NodeName, message: "0/3 nodes are available", sinceMs: h.nowMs - 60_000 } });
    h.tick(1_000);
    const evidence = h.reader.node("b" as NodeName)?.view.causes.find(({ code }) => code === "daemon-unschedulable")?.evidence.map(({ what, value }) => `${what} ${value ?? ""}`) ?? [];
    expect(evidence).toContain("Nodes of the cluster without a pod of kube-system/kube-multus-ds 2 of 3");
    expect(evidence).toContain("A pod of kube-system/kube-multus-ds on node b: memory: it asks for 4 Gi, and 3 Gi of 4 Gi are not asked for yet ");
    expect(evidence.some((line) => line.includes("on node c: it bears gpu=true:NoSchedule"))).toBe(true);
  });
});

describe("what a person accepted", () => {
  test("is left out at the next tick on every node, though nothing of the node changed, and fires again once it is withdrawn", () => {
    h.ready(["a"], []);
    h.node("a", { versions: { os: "Talos (v1.12.3)" } });
    h.pod("csi-x", "a", { namespace: "kube-system" as Namespace, hostNetwork: true, owner: "DaemonSet/csi", daemon: { containers: [{ name: "csi", init: false }], restarts: 0, ready: true, running: [], terminations: [], waitingReasons: [] } });
    const told = () => h.reader.node("a" as NodeName)?.view;
    h.tick(1_000);
    expect(told()?.causes.map(({ code, subjects }) => [code, subjects])).toEqual([["oom-victim-candidate", ["kube-system/csi"]]]);
    h.pipeline.accept([{ code: "oom-victim-candidate", subject: "kube-system/csi", reason: "known", by: "anna", atMs: h.nowMs }]);
    h.tick(1_000);
    expect(told()?.causes).toEqual([]);
    expect(told()?.acceptedCauses?.map(({ subjects }) => subjects)).toEqual([["kube-system/csi"]]);
    h.pipeline.accept([]);
    h.tick(1_000);
    expect(told()?.causes).toHaveLength(1);
    expect(told()?.acceptedCauses).toBeUndefined();
  });
});
