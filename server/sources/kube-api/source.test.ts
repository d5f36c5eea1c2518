import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scaledClock, systemClock } from "../../clock";
import type { Observation } from "../../domain/observation";
import { createLog } from "../../log";
import { makeAuthority } from "../../pki";
import type { Connection } from "./connect";
import { startKubeApiSource } from "./source";
import { bareNode, podOn } from "./testing/objects";
import { DAEMONSETS, EVENTS, NADS, NODES, PODS, ScriptedApiServer } from "./testing/scripted-api-server";
import { connectTo, Mirror, RATE, watch } from "./testing/watching";

let server: ScriptedApiServer;
const ending: (() => Promise<void>)[] = [];
beforeEach(async () => {
  server = await ScriptedApiServer.start();
});
afterEach(async () => {
  await Promise.all(ending.splice(0).map((end) => end()));
  await server.close();
});

const daemonSet = (name: string, namespace: string, hostPath?: string) => ({
  metadata: { name, namespace, uid: `uid-${name}`, generation: 1 },
  spec: { template: { spec: { containers: [{ name: "main" }], ...(hostPath === undefined ? {} : { volumes: [{ hostPath: { path: hostPath } }] }) } } },
});
const ownedPod = (name: string, owner: string, namespace = "default") => ({
  ...podOn(name, "n1"),
  metadata: { name, namespace, uid: `uid-${name}`, ownerReferences: [{ kind: "DaemonSet", name: owner, controller: true }] },
  spec: { nodeName: "n1", containers: [{ name: "main", resources: { limits: { cpu: "100m" } } }] },
});

describe("the api source", () => {
  it("watches the five kinds of a cluster and tells them in the words of the domain", async () => {
    server.world.put(NODES, bareNode("n1"));
    server.world.put(PODS, podOn("a", "n1"));
    server.world.put(DAEMONSETS, daemonSet("kindnet", "kube-system"));
    server.world.put(NADS, { metadata: { name: "net", namespace: "default" } });
    server.world.put(EVENTS, { metadata: { name: "e", namespace: "default", uid: "e", creationTimestamp: "2026-11-30T09:00:00Z" }, involvedObject: { kind: "Pod", name: "a" }, reason: "SandboxChanged" });
    const w = await watch(server, { kinds: ["nodes", "pods", "events", "daemonsets", "nads"] });
    ending.push(() => w.stop());
    await w.mirror.until(() => server.openStreams === 5);
    for (const kind of ["nodes", "pods", "events", "daemonsets", "nads"] as const) {
      expect(w.mirror.keys(kind), kind).toHaveLength(1);
      expect(w.mirror.status(kind), kind).toMatchObject({ state: "watching", objects: 1 });
    }
    expect(JSON.parse(JSON.stringify(w.mirror.seen.filter(({ type }) => type !== "listed")))).toEqual(w.mirror.seen.filter(({ type }) => type !== "listed"));
  });

  it("asks the API server to leave out the events that say nothing about sandboxes", async () => {
    const w = await watch(server, { kinds: ["events"] });
    ending.push(() => w.stop());
    await w.mirror.until(() => server.openStreams === 1);
    for (const { url } of server.requests) {
      const selector = new URL(url, server.url).searchParams.get("fieldSelector");
      expect(selector).toContain("reason!=Pulled");
      expect(selector).not.toMatch(/Failed|Sandbox|Network|Killing|BackOff/);
    }
  });

  it("keeps the DaemonSets of kube-system and those that mount a CNI folder, and forgets one that stops doing so", async () => {
    server.world.put(DAEMONSETS, daemonSet("kube-proxy", "kube-system"));
    server.world.put(DAEMONSETS, daemonSet("odd-cni", "odd", "/etc/cni/net.d"));
    server.world.put(DAEMONSETS, daemonSet("node-exporter", "monitoring", "/proc"));
    const w = await watch(server, { kinds: ["daemonsets"] });
    ending.push(() => w.stop());
    await w.mirror.until(() => server.openStreams === 1);
    expect(w.mirror.keys("daemonsets")).toEqual(["uid-kube-proxy", "uid-odd-cni"]);
    server.world.put(DAEMONSETS, daemonSet("odd-cni", "odd", "/proc"));
    await w.mirror.until(() => w.mirror.keys("daemonsets").length === 1);
    expect(w.source.status().kinds[0]?.objects).toBe(1);
  });

  it("knows the DaemonSets before it judges which pods are a daemon's, also where their list is slow", async () => {
    server.world.put(DAEMONSETS, daemonSet("odd-cni", "odd", "/etc/cni/net.d"));
    server.world.put(PODS, ownedPod("p", "odd-cni", "odd"));
    server.script({ path: DAEMONSETS, phase: "list", fault: { do: "slow", ms: 300 } });
    const connection = await connectTo(server);
    const mirror = new Mirror();
    const source = startKubeApiSource({ connection, observe: mirror.observe, clock: systemClock, log: createLog("silent", "t"), isDaemonPod: (_, owner) => owner !== undefined });
    ending.push(async () => {
      await source.stop();
      await connection.close();
    });
    await mirror.until(() => mirror.keys("pods").length === 1);
    expect(mirror.object("pods", "uid-p")).toMatchObject({ daemon: { containers: [{ name: "main", cpuLimitCores: 0.1 }] } });
  });

  it("does not wait for DaemonSets that it may not see", async () => {
    server.world.put(PODS, podOn("a", "n1"));
    server.forbidden.add(DAEMONSETS);
    const w = await watch(server, { kinds: ["daemonsets", "pods"] });
    ending.push(() => w.stop());
    await w.mirror.until(() => w.mirror.keys("pods").length === 1);
  });

  it("goes on where whoever takes its observations fails at one of them", async () => {
    server.world.put(PODS, podOn("a", "n1"));
    server.world.put(PODS, podOn("b", "n1"));
    const connection: Connection = await connectTo(server);
    const mirror = new Mirror();
    const observe = (observation: Observation) => {
      if (observation.source === "api" && observation.type === "pod" && observation.object.uid === "uid-a") throw new Error("full");
      mirror.observe(observation);
    };
    const source = startKubeApiSource({ connection, observe, clock: scaledClock(Date.now(), RATE), log: createLog("silent", "t"), kinds: ["pods"], isDaemonPod: () => false });
    ending.push(async () => {
      await source.stop();
      await connection.close();
    });
    await mirror.until(() => mirror.keys("pods").includes("uid-b") && mirror.seen.some(({ type }) => type === "listed"));
    expect(source.status().counts.pods).toMatchObject({ failures: 0, lists: 1 });
  });

  it("ends within a moment while it waits, lists or watches", async () => {
    server.script({ path: NODES, phase: "list", fault: { do: "stall" } }, { path: EVENTS, fault: { do: "status", code: 429, retryAfter: "300" } });
    server.forbidden.add(NADS);
    const connection = await connectTo(server);
    const mirror = new Mirror();
    const source = startKubeApiSource({ connection, observe: mirror.observe, clock: systemClock, log: createLog("silent", "t"), isDaemonPod: () => false });
    await mirror.until(() => mirror.status("nads")?.state === "forbidden" && mirror.status("events")?.state === "failing" && server.openStreams > 0);
    const startedMs = Date.now();
    await source.stop();
    expect(Date.now() - startedMs).toBeLessThan(20_000); // what it waits for takes longer than that
    await connection.close();
  });

  it("says in the status of each kind why the server's certificate is refused, and recovers with a right one", async () => {
    const { world, port } = server;
    await server.close();
    const authority = await makeAuthority("tests", { notBeforeMs: Date.now() - 3_600_000, notAfterMs: Date.now() + 3_600_000 });
    server = await ScriptedApiServer.start({ world, names: ["elsewhere.example"] }, port, authority);
    world.put(PODS, podOn("a", "n1"));
    const w = await watch(server);
    ending.push(() => w.stop());
    await w.mirror.until(() => w.mirror.status("pods")?.state === "failing");
    expect(w.mirror.status("pods")?.reason).toMatch(/certificate of .* is for another name/);
    await server.close();
    server = await ScriptedApiServer.start({ world, expired: true }, port, authority);
    await w.mirror.until(() => w.mirror.status("pods")?.reason?.includes("not valid at this time") ?? false);
    await server.close();
    server = await ScriptedApiServer.start({ world }, port, await makeAuthority("other", { notBeforeMs: Date.now() - 3_600_000, notAfterMs: Date.now() + 3_600_000 }));
    await w.mirror.until(() => w.mirror.status("pods")?.reason?.includes("not signed by the authority") ?? false);
    await server.close();
    server = await ScriptedApiServer.start({ world }, port, authority);
    await w.mirror.until(() => w.mirror.keys("pods").length === 1);
    expect(w.mirror.status("pods")).not.toHaveProperty("failingSinceMs");
  });
});
