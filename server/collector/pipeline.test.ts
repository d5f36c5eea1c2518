import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NodeName } from "../domain/ids";
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
