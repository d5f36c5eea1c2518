import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReport } from "../../domain/agent-report";
import { parseReport } from "../../sources/agent/schema";
import { readCadvisorMetrics, readConfigz, readKubeletMetrics } from "../../sources/kubelet/read-page";
import { cadvisorMetricsOf, kubeletMetricsOf } from "../history";
import { ClusterModel } from "../model/cluster";
import type { NodeModel } from "../model/node";
import { planScenario, type ScenarioName } from "../scenarios";
import { agentReport } from "./agent-report";
import { cadvisorMetrics } from "./cadvisor";
import { configz, goDuration } from "./configz";
import { kubeletMetrics } from "./kubelet-metrics";
import { goFloat } from "./text";

const NOW_MS = Date.UTC(2026, 4, 1, 12);

/** A reference parser of the text format by regular expressions: slow, strict, and not the one that Sandglass uses. */
function parse(text: string): { samples: { name: string; labels: Record<string, string>; value: number; timestamp: string | undefined }[]; types: Map<string, string> } {
  const samples = [];
  const types = new Map<string, string>();
  expect(text.endsWith("\n")).toBe(true);
  for (const line of text.slice(0, -1).split("\n")) {
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line);
    if (type !== null) {
      expect(types.has(type[1] ?? ""), line).toBe(false);
      types.set(type[1] ?? "", type[2] ?? "");
      continue;
    }
    if (/^# HELP [a-zA-Z_:][\w:]* .+$/.test(line)) continue;
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]\d\d+)?)(?: (\d+))?$/.exec(line);
    if (sample === null) throw new Error(`not a line of the format: ${line}`);
    const labels = Object.fromEntries([...(sample[2] ?? "").matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, key, value]) => [key ?? "", value ?? ""]));
    const family = (sample[1] ?? "").replace(/_(bucket|sum|count)$/, "");
    expect(types.has(sample[1] ?? "") || types.get(family) === "histogram", line).toBe(true);
    samples.push({ name: sample[1] ?? "", labels, value: Number((sample[3] ?? "").replace("Inf", "Infinity")), timestamp: sample[4] });
  }
  return { samples, types };
}

function nodeOf(scenario: ScenarioName, pick: (node: NodeModel, expected: string | undefined) => boolean): NodeModel {
  const plan = planScenario(scenario, { nodes: 6, seed: "1", nowMs: NOW_MS });
  const model = new ClusterModel(plan.cluster);
  plan.script(model);
  model.advance(NOW_MS);
  const node = [...model.nodes.values()].find((n) => pick(n, plan.expected.get(n.parameters.name)?.state));
  if (node === undefined) throw new Error("no such node");
  return node;
}

let storm: NodeModel;
let healthy: NodeModel;
let edge: NodeModel;
let unlimited: NodeModel;
beforeAll(() => {
  storm = nodeOf("retry-storm", (_, expected) => expected === "no");
  healthy = nodeOf("healthy", (n) => n.parameters.pool === "general");
  edge = nodeOf("healthy", (n) => n.parameters.cgroup === "v1");
  unlimited = nodeOf("oom-loop", (n, expected) => expected === undefined && n.parameters.cgroup === "v2");
});
afterAll(() => {
  expect(storm.daemonPod?.pod.container.state).toBe("running");
});

describe("a kubelet's /metrics", () => {
  it("holds the calls to the runtime as cumulative histograms that end in +Inf, equal to their count", () => {
    const { samples, types } = parse(kubeletMetrics(storm));
    expect(types.get("kubelet_runtime_operations_duration_seconds")).toBe("histogram");
    for (const operation of ["run_podsandbox", "stop_podsandbox", "list_podsandbox"]) {
      const buckets = samples.filter((s) => s.name === "kubelet_runtime_operations_duration_seconds_bucket" && s.labels["operation_type"] === operation);
      expect(buckets.map((b) => b.labels["le"])).toEqual(["0.005", "0.0125", "0.03125", "0.078125", "0.1953125", "0.48828125", "1.220703125", "3.0517578125", "7.62939453125", "19.073486328125", "47.6837158203125", "119.20928955078125", "298.0232238769531", "745.0580596923828", "+Inf"]);
      const counts = buckets.map((b) => b.value);
      expect(counts).toEqual([...counts].sort((a, b) => a - b));
      const total = samples.find((s) => s.name === "kubelet_runtime_operations_total" && s.labels["operation_type"] === operation);
      expect(counts.at(-1)).toBe(total?.value);
    }
  });

  it("shows the outlived deadlines in the bucket that holds four minutes, and the errors beside it", () => {
    const { samples } = parse(kubeletMetrics(storm));
    const bucket = (le: string): number => samples.find((s) => s.labels["operation_type"] === "run_podsandbox" && s.labels["le"] === le)?.value ?? NaN;
    expect(bucket("298.0232238769531") - bucket("119.20928955078125")).toBeGreaterThan(150);
    const errors = samples.filter((s) => s.name === "kubelet_runtime_operations_errors_total");
    expect(errors.map((s) => s.labels["operation_type"]).sort()).toEqual(["run_podsandbox", "stop_podsandbox"]);
  });

  it("has no error series before the first error", () => {
    const { types } = parse(kubeletMetrics(healthy));
    expect(types.has("kubelet_runtime_operations_errors_total")).toBe(false);
    expect(types.has("kubelet_run_podsandbox_errors_total")).toBe(false);
  });

  it("names the node and the start of the process, in seconds", () => {
    const { samples } = parse(kubeletMetrics(storm));
    expect(samples.find((s) => s.name === "kubelet_node_name")?.labels).toEqual({ node: storm.parameters.name });
    const start = samples.find((s) => s.name === "process_start_time_seconds")?.value ?? 0;
    expect(start).toBeCloseTo(storm.kubelet.startedMs / 1_000, 0);
    expect(start).toBeGreaterThan(NOW_MS / 1_000 - 3_600);
  });
});

describe("a kubelet's /metrics/cadvisor", () => {
  const daemonOf = (node: NodeModel) => parse(cadvisorMetrics(node)).samples.filter((s) => s.labels["container"] === "kube-multus");
  const value = (node: NodeModel, name: string): number | undefined => daemonOf(node).find((s) => s.name === name)?.value;

  it("shows throttling of the daemon in nearly every period of a storm, and its limit", () => {
    const periods = value(storm, "container_cpu_cfs_periods_total") ?? NaN;
    expect((value(storm, "container_cpu_cfs_throttled_periods_total") ?? NaN) / periods).toBeGreaterThan(0.95);
    expect(value(storm, "container_spec_memory_limit_bytes")).toBe(2 ** 30);
    expect(value(storm, "container_spec_cpu_quota")).toBe(10_000);
    expect(value(storm, "container_sockets")).toBeGreaterThan(1_000);
    expect(value(storm, "container_oom_events_total")).toBe(0);
  });

  it("has CFS series only with a quota, and pressure only with cgroup v2", () => {
    const families = (node: NodeModel): Set<string> => new Set(daemonOf(node).map((s) => s.name));
    expect(families(unlimited).has("container_cpu_cfs_periods_total")).toBe(false);
    expect(families(unlimited).has("container_pressure_cpu_waiting_seconds_total")).toBe(true);
    expect(families(edge).has("container_cpu_cfs_periods_total")).toBe(true);
    expect(families(edge).has("container_pressure_cpu_waiting_seconds_total")).toBe(false);
  });

  it("labels every container with its pod and cgroup, in the form of the node's cgroup version", () => {
    const ids = (node: NodeModel): string[] => daemonOf(node).filter((s) => s.name === "container_memory_working_set_bytes").map((s) => s.labels["id"] ?? "");
    expect(ids(healthy)[0]).toMatch(/^\/kubepods\.slice\/kubepods-burstable\.slice\/kubepods-burstable-pod[0-9a-f_]{36}\.slice\/cri-containerd-[0-9a-f]{64}\.scope$/);
    expect(ids(edge)[0]).toMatch(/^\/kubepods\/burstable\/pod[0-9a-f-]{36}\/[0-9a-f]{64}$/);
    const { samples } = parse(cadvisorMetrics(healthy));
    const pods = new Set(samples.filter((s) => s.name === "container_memory_working_set_bytes" && s.labels["container"] !== "").map((s) => s.labels["pod"]));
    expect(pods.size).toBe([...healthy.kubelet.pods.values()].filter((p) => p.container.state === "running").length);
    // The pod's own cgroup and its pause container stand beside the container, without its name.
    expect(samples.some((s) => s.labels["container"] === "" && s.labels["pod"] === healthy.daemonPod?.pod.name)).toBe(true);
    expect(samples.some((s) => s.labels["id"] === "/")).toBe(true);
  });
});

describe("the other pages", () => {
  it("/configz tells the runtime request timeout as Go writes it", async () => {
    expect(configz(healthy)).toContain('"runtimeRequestTimeout":"2m0s"');
    expect([15_000, 120_000, 900_000, 3_600_000].map(goDuration)).toEqual(["15s", "2m0s", "15m0s", "1h0m0s"]);
    expect(await readConfigz(answerOf(configz(healthy), "application/json"))).toBe(120);
  });

  it("numbers are written as Go's client writes them", () => {
    expect([0, 1, 0.0125, 172_460, 1_000_000, 39_616_512, 1_073_741_824, 745.0580596923828, 0.00001234, Infinity].map(goFloat)).toEqual(["0", "1", "0.0125", "172460", "1e+06", "3.9616512e+07", "1.073741824e+09", "745.0580596923828", "1.234e-05", "+Inf"]);
  });

  it("an agent's report is one that the server takes, with every sandbox of the node", () => {
    for (const node of [storm, healthy, edge, unlimited]) {
      const report = agentReport(node, { startId: "start", sequence: 1, agentVersion: "simulated" });
      expect(parseReport(JSON.parse(JSON.stringify(report)))).toMatchObject({ ok: true, report });
      expect(report.sandboxes.looked && report.sandboxes.items.length).toBe(node.runtime.sandboxes.size);
    }
    const report = agentReport(storm, { startId: "start", sequence: 1, agentVersion: "simulated" });
    expect(report.sockets.looked && report.sockets.items.map(({ name, state }) => [name, state])).toEqual([["cri", "answers"], ["multus", "silent"]]);
    expect(report.sandboxes.looked && report.sandboxes.items.some((s) => !s.ready && s.createdMs === undefined)).toBe(true);
  });
});

describe("the later parts of an agent's report", () => {
  const reportOf = (node: NodeModel): AgentReport => agentReport(node, { startId: "start", sequence: 1, agentVersion: "simulated" });

  it("hold in a storm the shims that live, and far more connections than these", () => {
    const { processes, socketUse, cgroups } = reportOf(storm);
    const [use] = socketUse?.looked === true ? socketUse.items : [];
    expect(use?.liveShims).toBe(storm.cni.liveShims);
    expect(use?.connections).toBeGreaterThan(3 * (use?.liveShims ?? NaN));
    const items = processes?.looked === true ? processes.items : [];
    expect(items).toHaveLength(storm.cni.liveShims);
    expect(new Set(items.map(({ command }) => command))).toEqual(new Set(["DEL"]));
    const daemon = cgroups?.looked === true ? cgroups.items.find(({ cni }) => cni === "multus") : undefined;
    expect((daemon?.cpuThrottledPeriods ?? 0) / (daemon?.cpuPeriods ?? 0)).toBeGreaterThan(0.95);
    expect(daemon).toMatchObject({ cpuQuotaCores: 0.1, memoryLimitBytes: 2 ** 30, cgroupVersion: 2 });
  });

  it("name the shim as absent and asked for once somebody has removed it", () => {
    const lost = nodeOf("missing-binary", (_, expected) => expected === "no");
    const { binaries, config } = reportOf(lost);
    expect(binaries?.looked === true && binaries.items.find(({ type }) => type === "multus-shim")).toEqual({ type: "multus-shim", problem: "absent", wantedBy: ["00-multus.conf"] });
    expect(config.looked && config.reading).toMatchObject({ missingBinaries: ["multus-shim"], binaryProblems: ["multus-shim: not in /opt/cni/bin"] });
  });

  it("count one lease and one cached result for each pod of a calm node, none of them broken or leaked", () => {
    const { caches } = reportOf(healthy);
    const pods = [...healthy.runtime.sandboxes.values()].filter(({ hostNetwork, state }) => !hostNetwork && state === "ready").length;
    const pool = caches?.looked === true ? caches.pools.find(({ network }) => network === "cbr0") : undefined;
    expect(pool).toMatchObject({ leases: pods, leaked: 0, range: healthy.parameters.podCidr });
    expect(caches?.looked === true && caches.items.every(({ brokenCount }) => brokenCount === 0)).toBe(true);
  });

  it("tell which conflist multus hands pods to, and that nothing mounts an old socket", () => {
    const { configFiles, mounts } = reportOf(healthy);
    expect(configFiles?.looked === true && configFiles.reading).toMatchObject({ loaded: true, multus: { generated: true, clusterNetwork: "10-bridge.conflist", clusterNetworkExists: true } });
    expect(mounts).toEqual({ looked: true, stale: [], mountsSeen: 0 });
  });
});

describe("the history's short cuts", () => {
  it("tell the same figures as the pages, read by the reader that Sandglass uses", async () => {
    for (const node of [storm, healthy, edge, unlimited]) {
      expect(kubeletMetricsOf(node)).toEqual(await readKubeletMetrics(answerOf(kubeletMetrics(node))));
      const pod = node.daemonPod?.pod.name;
      expect(cadvisorMetricsOf(node)).toEqual(await readCadvisorMetrics(answerOf(cadvisorMetrics(node)), (_namespace, name) => name === pod));
    }
  });
});

function answerOf(text: string, contentType = "text/plain; version=0.0.4"): Parameters<typeof readKubeletMetrics>[0] {
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  };
  return { status: 200, contentType, gzip: false, body: body() };
}
