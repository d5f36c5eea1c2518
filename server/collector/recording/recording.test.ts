import { appendFileSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Namespace, NodeName, ObjectName } from "../../domain/ids";
import type { EventObject } from "../../domain/model";
import type { Observation } from "../../domain/observation";
import { planScenario } from "../../simulator/scenarios";
import { history } from "../../simulator/history";
import { bundleChild, startChild } from "../../store/testing/child";
import { readAll, recordingHeader, tempFolder } from "../testing/recordings";
import { MAX_BAD_LINES, readRecording } from "./read";
import { Recorder } from "./recorder";
import { parseLine } from "./schema";

let folder: ReturnType<typeof tempFolder>;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());

const node = "node-1" as NodeName;
const event = (message: string): EventObject => ({ uid: "e", namespace: "default", reason: "FailedCreatePodSandBox", type: "Warning", message, count: 1, firstMs: 1, lastMs: 2, about: { kind: "Pod", name: "p", uid: "p" } });
const seenEvent = (message: string): Observation => ({ source: "api", type: "event", atMs: 5, object: event(message) });

function recorderOf(file: string, over: Partial<ConstructorParameters<typeof Recorder>[0]> = {}): Recorder {
  return new Recorder({ file, header: recordingHeader(), maxBytes: 1024 ** 3, onFull: () => {}, ...over });
}

/** Every type of observation, those with every field that is optional among them. */
const ODD_ONES: readonly Observation[] = [
  { source: "api", type: "node-gone", atMs: 1, name: node },
  { source: "api", type: "pod-gone", atMs: 1, uid: "p" },
  { source: "api", type: "daemonset-gone", atMs: 1, uid: "d" },
  { source: "api", type: "nad", atMs: 1, key: "default/net", pluginTypes: ["macvlan"], problem: "its config is not JSON" },
  { source: "api", type: "nad-gone", atMs: 1, key: "default/net" },
  { source: "api", type: "listed", atMs: 1, kind: "pods", keys: new Set(["a", "b"]) },
  { source: "api", type: "kind-status", atMs: 1, status: { kind: "nads", state: "forbidden", reason: "needs list", lastMs: 3, failingSinceMs: 2, objects: 0 } },
  { source: "kubelet", type: "metrics", node, atMs: 1, tookMs: 2.5, metrics: { operations: { run_podsandbox: { buckets: [{ upTo: 0.5, count: 1 }, { upTo: Infinity, count: 2 }], errors: 1 } }, processStartSeconds: 5.25 } },
  { source: "kubelet", type: "failed", node, atMs: 1, page: "cadvisor", reason: "403", hint: "needs nodes/metrics", timedOut: true },
  {
    source: "api", type: "pod", atMs: 1,
    object: {
      uid: "p", namespace: "kube-system" as Namespace, name: "kube-multus-ds-x" as ObjectName, node, hostNetwork: true, phase: "Running", createdMs: 1, deleting: true, deleteByMs: 9, scheduledMs: 1, readyToStart: { status: true, sinceMs: 2 }, hasIp: true, containerStartedMs: 3,
      hasAttachableVolumes: false, hasResourceClaims: false, owner: "DaemonSet/kube-multus-ds", system: true, networks: "a,b", hasNetworkStatus: false,
      daemon: {
        containers: [{ name: "kube-multus", init: false, cpuLimitCores: 0.1, memoryLimitBytes: 1 }], restarts: 2, ready: false, readySinceMs: 4, running: [{ container: "kube-multus", init: false, sinceMs: 4 }],
        terminations: [{ container: "install", init: true, reason: "Error", exitCode: 1, finishedMs: 4, message: "Text file busy" }], waitingReasons: ["CrashLoopBackOff"], revision: "abc", images: { "kube-multus": "x:1" }, unscheduled: { forNode: node, message: "0/1", sinceMs: 3 },
      },
    },
  },
];

describe("what is recorded", () => {
  it("is read as it was seen, each type of observation and each step of a simulated cluster", async () => {
    const seen = [...ODD_ONES];
    const plan = planScenario("retry-storm", { nodes: 3, seed: "1", nowMs: Date.UTC(2026, 5, 1, 12) });
    const fromMs = plan.cluster.startMs + 3_600_000;
    for (const observation of history(plan, { fromMs, toMs: fromMs + 60_000, stepMs: 15_000 })) seen.push(observation);
    expect(new Set(seen.map(({ type }) => type)).size).toBe(16);
    const recorder = recorderOf(folder.file("r"));
    for (const observation of seen) recorder.observe(observation, observation.atMs + 7);
    recorder.judged(fromMs + 61_000);
    recorder.end("stopped", fromMs + 62_000);
    const { header, lines, found } = await readAll(folder.file("r"));
    expect(header).toEqual(recordingHeader());
    expect(found).toEqual({ lines: seen.length + 3, badLines: 0, end: "stopped" });
    expect(lines.slice(0, -2)).toEqual(seen.map((observation) => ({ kind: "seen", atMs: observation.atMs + 7, observation })));
    expect(lines.slice(-2)).toEqual([{ kind: "judged", atMs: fromMs + 61_000 }, { kind: "end", atMs: fromMs + 62_000, because: "stopped" }]);
  });

  it("holds no credential that a text of the cluster quotes", async () => {
    const recorder = recorderOf(folder.file("r"), { header: recordingHeader({ cluster: { ...recordingHeader().cluster, server: "https://me:s3cret@10.0.0.1:6443" } }) });
    recorder.observe(seenEvent("Bearer abcdef0123456789 and -----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----, token=k8s-1234, password: hunter2"), 1);
    recorder.end("stopped", 2);
    const text = readFileSync(folder.file("r"), "utf8");
    for (const secret of ["s3cret", "abcdef0123456789", "MHcCAQ", "k8s-1234", "hunter2"]) expect(text).not.toContain(secret);
  });

  it("is for this user's eyes, and never over another file", () => {
    recorderOf(folder.file("r")).end("stopped", 1);
    expect(statSync(folder.file("r")).mode & 0o777).toBe(0o600);
    const before = readFileSync(folder.file("r"), "utf8");
    expect(() => recorderOf(folder.file("r"))).toThrow(/exists already/);
    expect(readFileSync(folder.file("r"), "utf8")).toBe(before);
    expect(() => recorderOf(folder.file("not/there"))).toThrow(/cannot be made \(ENOENT\)/);
  });

  it("ends within its bound, and says why", async () => {
    let full = 0;
    const recorder = recorderOf(folder.file("r"), { maxBytes: 20_000, onFull: () => (full += 1) });
    for (let at = 0; at < 200; at += 1) recorder.observe(seenEvent("x".repeat(500)), at);
    recorder.judged(300);
    recorder.end("size", 301);
    expect(full).toBe(1);
    expect(statSync(folder.file("r")).size).toBeLessThanOrEqual(20_000);
    const { found, lines } = await readAll(folder.file("r"));
    expect(found).toMatchObject({ badLines: 0, end: "size" });
    expect(lines.length - 1).toBe(recorder.observations);
  });
});

describe("a recording that is not whole", () => {
  /** Those of these files that this process has open. */
  const openFiles = (names: readonly string[]): readonly string[] => readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)].filter((target) => names.some((name) => target === folder.file(name)));
    } catch {
      return []; // closed since it was listed
    }
  });

  function written(count: number): string {
    const recorder = recorderOf(folder.file("r"));
    for (let at = 0; at < count; at += 1) recorder.observe(seenEvent(`number ${at}`), at);
    recorder.judged(count);
    return folder.file("r");
  }

  it("is read up to its last whole line, wherever it was cut", async () => {
    const file = written(20);
    const size = statSync(file).size;
    const before = (await readAll(file)).lines;
    for (let cut = 1; cut < 400; cut += 37) {
      truncateSync(file, size - cut);
      const { lines, found } = await readAll(file);
      expect(lines).toEqual(before.slice(0, lines.length));
      expect(lines.length).toBeGreaterThan(15);
      expect(found).toMatchObject({ badLines: 0 });
      expect(found.end).toBeUndefined();
    }
  });

  it("tells of lines that cannot be read, and goes on", async () => {
    const file = written(1);
    appendFileSync(file, '{"at":1,"see":{"source":"api","type":"pod-gone","atMs":1,"uid":7}}\nnonsense\n{"judged":9}\n');
    const { lines, found } = await readAll(file);
    expect(lines.at(-1)).toEqual({ kind: "judged", atMs: 9 });
    expect(found).toMatchObject({ badLines: 2, firstBad: expect.stringMatching(/^line 4: see\.uid: /) as string });
  });

  it("that is mostly broken is refused, as is a file of another kind, of a newer version, and one that is not there", async () => {
    const file = written(1);
    appendFileSync(file, "nonsense\n".repeat(MAX_BAD_LINES + 1));
    await expect(readAll(file)).rejects.toThrow(/lines are broken, the first is line 4: not JSON/);
    writeFileSync(folder.file("other"), '{"kind":"Pod"}\n');
    await expect(readRecording(folder.file("other"))).rejects.toThrow(/is no recording that can be read: format/);
    writeFileSync(folder.file("newer"), `${JSON.stringify({ ...recordingHeader(), version: 99 })}\n`);
    await expect(readRecording(folder.file("newer"))).rejects.toThrow(/use a newer one/);
    writeFileSync(folder.file("empty"), "");
    await expect(readRecording(folder.file("empty"))).rejects.toThrow(/holds no whole line/);
    await vi.waitFor(() => expect(openFiles(["other", "newer"])).toEqual([]));
    await expect(readRecording(folder.file("absent"))).rejects.toThrow(/cannot be read \(ENOENT\)/);
  });

  it("keeps hostile values from the domain: names that are none, times that are none, types that are others", () => {
    const see = (over: object): string => JSON.stringify({ at: 1, see: { source: "api", type: "node-gone", atMs: 1, name: "a", ...over } });
    expect(parseLine(see({})).ok).toBe(true);
    for (const over of [{ name: "../etc" }, { name: 7 }, { atMs: -1 }, { atMs: 1e300 }, { type: "constructor" }, { source: "kubelet" }]) expect(parseLine(see(over)).ok, JSON.stringify(over)).toBe(false);
    expect(parseLine('{"at":1,"see":{"__proto__":{"source":"api"},"type":"node-gone"}}').ok).toBe(false);
  });
});

it("kill -9 while it records leaves every observation that was handed over before the last judgement", async () => {
  const program = await bundleChild(path.join(import.meta.dirname, "../testing/recorder.child.ts"));
  try {
    for (let kill = 0; kill < 10; kill += 1) {
      const file = folder.file(`killed-${kill}`);
      const child = startChild(program, [file]);
      await child.line();
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      await child.kill();
      const acknowledged = Number(child.lines.at(-1));
      const { lines, found } = await readAll(file);
      expect(found.badLines).toBe(0);
      const seen = lines.flatMap((line) => (line.kind === "seen" ? [line.observation.atMs] : []));
      expect(seen).toEqual(Array.from({ length: seen.length }, (_, at) => at + 1));
      expect(seen.length).toBeGreaterThanOrEqual(acknowledged);
    }
  } finally {
    rmSync(program, { force: true });
  }
}, 60_000);
