import { describe, expect, it } from "vitest";
import type { ContainerCgroup } from "./agent-readings";
import type { AgentReport } from "./agent-report";
import type { SocketState } from "./signals";
import { MAX_OOM_CONTAINERS_KEPT, MAX_OOM_KILLS_KEPT, sandboxesByPod, trackCgroupKills, trackFailure, trackOomKills, trackSockets, type CgroupKills } from "./node-window";
import { NOW_MS, agentReport, event, objectName, pod, secondsAgo, startedPod, waitingSince } from "./testing/builders";

describe("the newest failed sandbox", () => {
  const context = { nadPluginTypes: new Set<string>() };
  const failed = (seconds: number, message = "context deadline exceeded") => event("FailedCreatePodSandBox", secondsAgo(seconds), { message });
  const waits = waitingSince(secondsAgo(300));

  it("is a running maximum, and never in the future", () => {
    let at = trackFailure(undefined, failed(100), waits, context, NOW_MS);
    at = trackFailure(at, failed(200), waits, context, NOW_MS);
    expect(at).toBe(secondsAgo(100));
    expect(trackFailure(at, failed(-60), waits, context, NOW_MS)).toBe(NOW_MS);
  });

  it("is not one that the pod asked for itself, nor one of a pod that needs no sandbox, nor another event", () => {
    expect(trackFailure(7, failed(100, 'cannot find a network-attachment-definition (a) in namespace (b): "a" not found'), waits, context, NOW_MS)).toBe(7);
    for (const one of [undefined, startedPod(secondsAgo(10)), waitingSince(secondsAgo(300), { deleting: true }), waitingSince(secondsAgo(300), { phase: "Failed" })]) expect(trackFailure(7, failed(100), one, context, NOW_MS)).toBe(7);
    expect(trackFailure(7, event("SandboxChanged", secondsAgo(100)), waits, context, NOW_MS)).toBe(7);
  });
});

describe("a socket's state", () => {
  const report = (...states: SocketState[]) => agentReport({ sockets: { looked: true, items: states.map((state, index) => ({ name: `s${index}`, path: `/var/run/s${index}.sock`, state })) } });

  it("is told since the first report without a break, under one name for both folders", () => {
    let sockets = trackSockets(new Map(), report("silent", "answers"), 1_000);
    sockets = trackSockets(sockets, report("silent", "silent"), 2_000);
    expect([...sockets]).toEqual([["/run/s0.sock", { state: "silent", sinceMs: 1_000 }], ["/run/s1.sock", { state: "silent", sinceMs: 2_000 }]]);
    sockets = trackSockets(sockets, report("refuses", "silent"), 3_000);
    expect([...sockets]).toEqual([["/run/s0.sock", { state: "refuses", sinceMs: 3_000 }], ["/run/s1.sock", { state: "silent", sinceMs: 2_000 }]]);
  });

  it("is forgotten where the agent could not look or no longer tells of the socket", () => {
    const sockets = trackSockets(new Map(), report("silent", "silent"), 1_000);
    expect(trackSockets(sockets, agentReport(), 2_000).size).toBe(0);
    expect([...trackSockets(sockets, report("silent"), 2_000)]).toEqual([["/run/s0.sock", { state: "silent", sinceMs: 1_000 }]]);
  });
});

describe("kills inside a daemon's cgroup", () => {
  const report = (oomKills: number, over: Partial<ContainerCgroup> = {}) =>
    agentReport({ cgroups: { looked: true, items: [{ namespace: "kube-system", pod: "kube-multus-ds-abc", podUid: "u", container: "kube-multus", cni: "multus", cgroupVersion: 2, oomKills, ...over }] } });
  const told = (...reports: readonly AgentReport[]) => [...reports.reduce((known, one, index) => trackCgroupKills(known, one, (index + 1) * 1_000), new Map<string, CgroupKills>() as ReadonlyMap<string, CgroupKills>).values()];

  it("are known by the report in which their number rose, and not by what it was at first sight", () => {
    expect(told(report(3))).toEqual([{ kills: 3 }]);
    expect(told(report(3), report(4), report(4))).toEqual([{ kills: 4, risenMs: 2_000 }]);
  });

  it("count from nothing in a container that began since, and are kept where the agent could not look", () => {
    expect(told(report(3), report(0))).toEqual([{ kills: 0 }]);
    expect(told(report(3), report(1))).toEqual([{ kills: 1, risenMs: 2_000 }]);
    expect(told(report(3), report(4), agentReport({ cgroups: { looked: false, reason: "no /sys/fs/cgroup" } }))).toEqual([{ kills: 4, risenMs: 2_000 }]);
  });

  it("of other pods of the system are not kept", () => {
    expect(told(agentReport({ cgroups: { looked: true, items: [{ namespace: "kube-system", pod: "kube-proxy-x", podUid: "u", container: "kube-proxy", cgroupVersion: 2, oomKills: 1 }] } }))).toEqual([]);
  });
});

describe("OOM kills of a daemon", () => {
  const killed = (finishedMs: number, name = "kube-multus-ds-abc", reason = "OOMKilled") =>
    pod({ name: objectName(name), daemon: { containers: [], restarts: 1, ready: true, running: [], waitingReasons: [], terminations: [{ container: "kube-multus", init: false, reason, exitCode: 137, finishedMs }] } });

  it("are each remembered once, though the pod shows only the last", () => {
    let kills = trackOomKills(new Map(), killed(2_000));
    kills = trackOomKills(kills, killed(2_000));
    kills = trackOomKills(kills, killed(1_000));
    expect(kills.get("kube-multus-ds-abc/kube-multus")).toEqual([1_000, 2_000]);
    expect(trackOomKills(kills, killed(3_000, undefined, "Error"))).toBe(kills);
    expect(trackOomKills(kills, pod())).toBe(kills);
  });

  it("are bounded by container and in all", () => {
    let kills = trackOomKills(new Map(), killed(0));
    for (let at = 1; at <= 200; at += 1) kills = trackOomKills(kills, killed(at));
    expect(kills.get("kube-multus-ds-abc/kube-multus")).toHaveLength(MAX_OOM_KILLS_KEPT);
    expect(kills.get("kube-multus-ds-abc/kube-multus")?.at(-1)).toBe(200);
    for (let at = 0; at < 100; at += 1) kills = trackOomKills(kills, killed(1_000 + at, `kube-multus-ds-${at}`));
    expect(kills.size).toBe(MAX_OOM_CONTAINERS_KEPT);
    expect(kills.has("kube-multus-ds-99/kube-multus")).toBe(true);
  });
});

describe("the runtime's sandboxes", () => {
  it("are found by the uid of their pod, however many it has", () => {
    const sandbox = (id: string, uid: string) => ({ id, uid, namespace: "default", name: "a", attempt: 0, ready: false });
    const byPod = sandboxesByPod([sandbox("1", "a"), sandbox("2", "b"), sandbox("3", "a")]);
    expect([byPod.get("a")?.map(({ id }) => id), byPod.get("b")?.map(({ id }) => id), byPod.get("c")]).toEqual([["1", "3"], ["2"], undefined]);
  });
});
