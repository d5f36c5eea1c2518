import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scaledClock, systemClock } from "../clock";
import type { PodObject } from "../domain/model";
import type { Observation } from "../domain/observation";
import { createLog } from "../log";
import { ensureAgentAuthority } from "../sources/agent/authority";
import { startAgentListener } from "../sources/agent/listener";
import { issueAgentToken } from "../sources/agent/tokens";
import { loadConnection } from "../sources/kube-api/connect";
import { identify } from "../sources/kube-api/identify";
import { startKubeApiSource } from "../sources/kube-api/source";
import { readCadvisorMetrics } from "../sources/kubelet/read-page";
import { parseSimulateOptions, SimulateUsageError } from "./options";
import { runSimulate } from "./run";
import { HISTORY_MS, SCENARIO_NAMES } from "./scenarios";
import { startSimulation, type Simulation } from "./simulation";
import { client } from "./testing/client";

const log = createLog("silent", "test");
let simulation: Simulation;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sandglass-simulation-test-"));
  simulation = await startSimulation({ nodes: 6, scenario: "demo", seed: "1", clock: systemClock, log });
}, 60_000);

afterAll(async () => {
  await simulation.stop();
  await rm(folder, { recursive: true, force: true });
});

const portOf = async (api: ReturnType<typeof client>, node: string): Promise<number> => Number((await api.ask(`/api/v1/nodes/${node}`)).json["status"]?.["daemonEndpoints"]?.["kubeletEndpoint"]?.["Port"]);
const soon = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => systemClock.after(50, () => resolve(undefined)));
};

describe("what Sandglass meets", () => {
  it("its API source lists and watches everything, and knows from the uid that all is simulated", async () => {
    const kubeconfig = path.join(folder, "kubeconfig");
    await writeFile(kubeconfig, simulation.kubeconfig);
    const connection = await loadConnection({ kubeconfig, environment: { home: folder } });
    if (connection === undefined) throw new Error("no connection");
    expect(await identify(connection)).toMatchObject({ uid: "simulated:demo:1", user: "simulated-admin", name: "simulated", simulated: true });
    const listed = new Map<string, number>();
    const source = startKubeApiSource({
      connection,
      clock: systemClock,
      log,
      isDaemonPod: (_pod, daemonSet) => daemonSet !== undefined,
      observe: (o) => {
        if (o.source === "api" && o.type === "listed") listed.set(o.kind, o.keys.size);
      },
    });
    await soon(() => listed.size === 5);
    expect(listed.get("nodes")).toBe(6);
    expect(listed.get("pods")).toBeGreaterThan(350);
    expect(listed.get("events")).toBeGreaterThan(100);
    expect(listed.get("daemonsets")).toBe(4);
    expect(listed.get("nads")).toBe(4);
    const { counts, droppedFields } = source.status();
    expect(droppedFields).toBe(0);
    expect(Object.values(counts).every((c) => c.failures + c.garbage + c.unusable + c.halfLines === 0)).toBe(true);
    await source.stop();
    await connection.close();
  });

  it("each kubelet has a certificate that names its node, and wants a token that may read its pages", async () => {
    const { server, caPem, users } = simulation;
    const api = client(server, caPem, users.viewer.token);
    const [node = ""] = simulation.nodeNames;
    const port = await portOf(api, node);
    const certificate = await new Promise<X509Certificate>((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port, ca: caPem, servername: node }, () => {
        resolve(new X509Certificate(socket.getPeerCertificate(true).raw));
        socket.destroy();
      });
      socket.on("error", reject);
    });
    expect(certificate.subject).toContain(`CN=system:node:${node}`);
    expect(certificate.checkHost(node)).toBe(node);
    expect(certificate.checkHost("another-node")).toBeUndefined();
    expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
    const kubelet = client(`https://127.0.0.1:${port}`, caPem, users.viewer.token);
    for (const page of ["/metrics", "/metrics/cadvisor", "/configz", "/healthz"]) expect((await kubelet.ask(page)).status, page).toBe(200);
    expect((await kubelet.ask("/metrics", { token: undefined })).status).toBe(401);
    expect((await kubelet.ask("/metrics", { token: users.limited.token })).status).toBe(403);
    expect((await kubelet.ask("/pods", { token: users.viewer.token })).status).toBe(403);
    const admin = client(server, caPem, users.admin.token);
    const proxied = await admin.ask(`/api/v1/nodes/${node}/proxy/metrics/cadvisor`);
    const answer = { status: 200, contentType: "text/plain", gzip: false, body: (async function* () { yield Buffer.from(proxied.text); })() };
    expect((await readCadvisorMetrics(answer, () => true)).containers.length).toBeGreaterThan(30);
    await Promise.all([api.close(), kubelet.close(), admin.close()]);
  });

  it("its agent listener takes the report of every node", async () => {
    const data = path.join(folder, "data");
    const tokens = new Map<string, string>();
    for (const node of simulation.nodeNames) tokens.set(node, (await readFile((await issueAgentToken(data, node)).file, "utf8")).trim());
    const { authority, caFile } = await ensureAgentAuthority(data);
    // A clock of its own: a second of ours is the agents' whole period.
    const clock = scaledClock(systemClock.now(), 20);
    const fast = await startSimulation({ nodes: 6, scenario: "demo", seed: "1", clock, log });
    const reports = new Map<string, Observation & { source: "agent" }>();
    const listener = await startAgentListener({ host: "127.0.0.1", port: 0, authority, tokens: path.join(data, "agents"), clock, log, observe: (o) => void (o.source === "agent" && reports.set(o.node, o)) });
    const agents = fast.startAgents({ url: `https://127.0.0.1:${listener.port}`, caPem: await readFile(caFile, "utf8"), tokenFor: (node) => tokens.get(node) });
    await soon(() => reports.size === 6 && agents.status().sent > 12);
    expect(agents.status().failed).toBe(0);
    expect(Object.values(listener.status().dropped).every((n) => n === 0)).toBe(true);
    const [sick = ""] = fast.plan.expected.keys();
    const sandboxes = reports.get(sick)?.report.sandboxes;
    expect(sandboxes?.looked === true && sandboxes.items.filter((s) => !s.ready).length).toBeGreaterThan(550);
    fast.control.silenceNode(sick);
    const sentBefore = reports.get(sick)?.report.sequence;
    await soon(() => agents.status().sent > 30);
    expect((reports.get(sick)?.report.sequence ?? 0) - (sentBefore ?? 0)).toBeLessThanOrEqual(1);
    await listener.stop();
    await fast.stop();
  });
});

describe("faults on demand", () => {
  it("a silenced node's kubelet accepts and says nothing, its Ready turns Unknown, and it is heard again", async () => {
    const clock = scaledClock(systemClock.now(), 60);
    const one = await startSimulation({ nodes: 1, scenario: "healthy", seed: "silence", clock, log });
    const api = client(one.server, one.caPem, one.users.admin.token);
    const [node = ""] = one.nodeNames;
    const kubelet = client(`https://127.0.0.1:${await portOf(api, node)}`, one.caPem, one.users.admin.token);
    one.control.silenceNode(node);
    let answered = false;
    const asked = kubelet.ask("/metrics").then(() => (answered = true), () => undefined);
    const ready = async (): Promise<string | undefined> => ((await api.ask(`/api/v1/nodes/${node}`)).json["status"]?.["conditions"] as unknown as { type: string; status: string }[]).find((c) => c.type === "Ready")?.status;
    await soon(async () => (await ready()) === "Unknown");
    expect(answered).toBe(false);
    expect(await api.ask(`/api/v1/nodes/${node}/proxy/metrics`)).toMatchObject({ status: 503 });
    one.control.silenceNode(node, false);
    await soon(async () => (await ready()) === "True");
    expect((await kubelet.ask("/healthz")).status).toBe(200);
    await kubelet.close();
    await asked;
    await api.close();
    await one.stop();
  });

  it("a flapping API server refuses for a while and answers again, by itself", async () => {
    const clock = scaledClock(systemClock.now(), 60);
    const flapping = await startSimulation({ nodes: 1, scenario: "flapping-api", seed: "flap", clock, log });
    const api = client(flapping.server, flapping.caPem, flapping.users.admin.token);
    const seen: number[] = [];
    await soon(async () => {
      seen.push((await api.ask("/api/v1/nodes")).status);
      return seen.lastIndexOf(200) > seen.indexOf(503) && seen.includes(503);
    });
    expect(new Set(seen)).toEqual(new Set([200, 503]));
    await api.close();
    await flapping.stop();
  });
});

describe("the past", () => {
  const from = (): number => simulation.liveSinceMs - HISTORY_MS + 15_000;

  it("is the same to the byte each time it is told", () => {
    const tell = (): string[] => [...simulation.history(from(), from() + 600_000, 15_000)].map((o) => JSON.stringify(o, (_, value: unknown) => (value instanceof Set ? [...value] : value)));
    const once = tell();
    expect(once.length).toBeGreaterThan(1_000);
    expect(tell()).toEqual(once);
  });

  it("runs forward in time, begins with whole lists, and ends in the state that is watched live", async () => {
    const pods = new Map<string, PodObject>();
    let atMs = 0;
    let listed = 0;
    let kubeletPages = 0;
    for (const o of simulation.history(simulation.liveSinceMs - 300_000, simulation.liveSinceMs, 15_000)) {
      expect(o.atMs).toBeGreaterThanOrEqual(atMs);
      atMs = o.atMs;
      if (o.type === "listed") listed += 1;
      if (o.type === "pod") pods.set(o.object.uid, o.object);
      if (o.type === "pod-gone") pods.delete(o.uid);
      if (o.source === "kubelet" && o.type === "metrics") kubeletPages += 1;
    }
    expect(listed).toBe(5);
    expect(kubeletPages).toBe(6 * 20);
    const api = client(simulation.server, simulation.caPem, simulation.users.admin.token);
    const { json } = await api.ask("/api/v1/pods?fieldSelector=spec.nodeName!%3D");
    const live = json["items"] as unknown as { metadata: { uid: string; name: string; creationTimestamp: string } }[];
    const old = live.filter((p) => Date.parse(p.metadata.creationTimestamp) < simulation.liveSinceMs);
    expect(old.length).toBeGreaterThan(350);
    for (const { metadata } of old) expect(pods.get(metadata.uid)?.name, metadata.name).toBe(metadata.name);
    await api.close();
  });
});

describe("sandglass simulate", () => {
  it.each([
    [["--nodes", "0"], '--nodes must be at least 1, not "0"'],
    [["--nodes", "many"], '--nodes must be a number, not "many"'],
    [["--scenario", "storm"], `--scenario must be one of ${SCENARIO_NAMES.join(", ")}, not "storm"`],
    [["--speed=-1"], '--speed must be above 0, not "-1"'],
    [["--speed", "9999"], '--speed must be at most 600, not "9999"'],
    [["--seed", "a b"], '--seed must be 1 to 64 letters, digits, dots, dashes or underscores, not "a b"'],
  ])("refuses %j in one sentence that names option, value and limit", (args, sentence) => {
    expect(() => parseSimulateOptions(args)).toThrow(new SimulateUsageError(sentence));
  });

  it("takes its defaults, and help", () => {
    expect(parseSimulateOptions([])).toEqual({ nodes: 24, scenario: "demo", speed: 1, seed: "1", port: 0 });
    expect(parseSimulateOptions(["--help"])).toBe("help");
    expect(() => parseSimulateOptions(["--node", "3"])).toThrow(SimulateUsageError);
  });

  it("prints the path of a kubeconfig that works, and takes the file away when it ends", async () => {
    const ending = new AbortController();
    const stdout = new PassThrough();
    const running = runSimulate({ nodes: 1, scenario: "idle", speed: 1, seed: "1", port: 0 }, { stdout, signal: ending.signal, logLevel: "silent" });
    const line = await new Promise<string>((resolve) => stdout.once("data", (chunk: Buffer) => resolve(chunk.toString("utf8"))));
    const file = line.split("\n")[0] ?? "";
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const connection = await loadConnection({ kubeconfig: file, environment: { home: folder } });
    if (connection === undefined) throw new Error("no connection");
    expect(await identify(connection)).toMatchObject({ uid: "simulated:idle:1" });
    await connection.close();
    ending.abort();
    await running;
    await expect(stat(file)).rejects.toThrow();
  });
});
