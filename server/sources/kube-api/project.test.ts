import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IGNORED, isInterestingDaemonSet, makeProjector, poolOf } from "./project";
import { MAX_TEXT_CHARS } from "./text";

type Items = { readonly items: readonly Record<string, unknown>[] };
const recorded = <T = Items>(file: string): Readonly<Record<string, T>> => JSON.parse(gunzipSync(readFileSync(path.join(import.meta.dirname, "recorded", file))).toString("utf8")); // the fixture's own shape
const minikube = recorded("objects/minikube-1.35.json.gz");
const multus = recorded("multus/healthy.json.gz");
const podNamed = (name: string) => minikube["pods.json"]?.items.find((pod) => (pod.metadata as { name: string }).name === name);
const projector = (daemon = false) => makeProjector({ isDaemonPod: () => daemon });

describe("a recorded node", () => {
  it("keeps what judging uses", () => {
    expect(projector().node(minikube["nodes.json"]?.items[0])).toMatchObject({
      name: "datagen-1-35",
      uid: "21df3009-f9ff-40ad-a737-1d905c4f7c76",
      createdMs: Date.parse("2026-06-26T10:12:11Z"),
      pool: "control-plane",
      unschedulable: false,
      taints: [],
      addresses: [{ type: "InternalIP", address: "192.168.67.2" }, { type: "Hostname", address: "datagen-1-35" }],
      kubeletPort: 10250,
      allocatable: { cpuCores: 14, memoryBytes: 8_024_304 * 1024, pods: 110 },
      versions: { kubelet: "v1.35.0" },
    });
    const ready = projector().node(minikube["nodes.json"]?.items[0])?.conditions.find(({ type }) => type === "Ready");
    expect(ready).toEqual({ type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status", sinceMs: Date.parse("2026-06-26T10:12:39Z") });
  });
});

describe("recorded pods", () => {
  it("keep since when their containers mount a CNI daemon's socket or its folder, and nothing of other mounts", () => {
    const pods = recorded("multus/stale-socket.json.gz")["pods.json"]?.items ?? [];
    expect(pods.map((raw) => projector().pod(raw)).map((pod) => [pod?.name, pod?.socketMounts])).toEqual([
      ["by-file", [{ container: "main", path: "/run/multus/multus.sock", sinceMs: Date.parse("2026-11-30T10:53:04Z") }]],
      ["by-folder", [{ container: "main", path: "/run/multus", sinceMs: Date.parse("2026-11-30T10:53:04Z") }]],
      ["by-folder-htc", [{ container: "main", path: "/run/multus", sinceMs: Date.parse("2026-11-30T10:53:05Z") }]],
      ["by-run", undefined],
      ["kube-multus-ds-8qgnl", undefined],
    ]);
  });

  it("keeps what judging uses of a pod with a claim", () => {
    expect(projector().pod(podNamed("e2e-statefulset-0"))).toEqual({
      uid: "b5812e37-ce78-41e2-9d8d-d93a88e481d6",
      namespace: "scraper",
      name: "e2e-statefulset-0",
      node: "datagen-1-35",
      hostNetwork: false,
      phase: "Running",
      createdMs: Date.parse("2026-06-26T10:12:51Z"),
      deleting: false,
      scheduledMs: Date.parse("2026-06-26T10:12:51Z"),
      readyToStart: { status: true, sinceMs: Date.parse("2026-06-26T10:14:05Z") },
      hasIp: true,
      containerStartedMs: Date.parse("2026-06-26T10:14:04Z"),
      hasAttachableVolumes: true,
      hasResourceClaims: false,
      owner: "StatefulSet/e2e-statefulset",
      system: false,
      requests: { cpuCores: 0.04, memoryBytes: 15 * 2 ** 20 },
    });
  });

  it("does not take a token, a config map or a host path for a volume that must be attached", () => {
    expect(projector().pod(podNamed("kindnet-zkpn8"))).toMatchObject({ hasAttachableVolumes: false, hostNetwork: true, system: true, owner: "DaemonSet/kindnet" });
  });

  it("keeps the containers of a daemon's pod with their limits, and of no other pod", () => {
    expect(projector(true).pod(podNamed("kindnet-zkpn8"))?.daemon).toEqual({
      containers: [{ name: "kindnet-cni", init: false, cpuLimitCores: 0.1, cpuRequestCores: 0.1, memoryLimitBytes: 50 * 2 ** 20, memoryRequestBytes: 50 * 2 ** 20 }],
      restarts: 0,
      revision: "89b9544c4",
      images: { "kindnet-cni": "docker.io/kindest/kindnetd:v20260213-ea8e5717" },
      ready: true,
      readySinceMs: Date.parse("2026-06-26T10:12:30Z"),
      running: [{ container: "kindnet-cni", init: false, sinceMs: Date.parse("2026-06-26T10:12:29Z") }],
      terminations: [],
      waitingReasons: [],
    });
    expect(projector().pod(podNamed("kindnet-zkpn8"))).not.toHaveProperty("daemon");
  });

  it("keeps of a daemon's pod that no node took which node it is for, and what the scheduler says", () => {
    const affinity = (key: string, values: readonly string[]) => ({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [{ key, operator: "In", values }] }] } } });
    const unscheduled = (spec: object) =>
      projector(true).pod({ metadata: { name: "kube-multus-ds-x", namespace: "kube-system", uid: "u1", ownerReferences: [{ kind: "DaemonSet", name: "kube-multus-ds", controller: true }] }, spec, status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes are available: 1 Insufficient memory.", lastTransitionTime: "2026-11-30T10:00:00Z" }] } })?.daemon?.unscheduled;
    const says = { message: "0/1 nodes are available: 1 Insufficient memory.", sinceMs: Date.parse("2026-11-30T10:00:00Z") };
    expect(unscheduled({ affinity: affinity("metadata.name", ["node-1"]) })).toEqual({ forNode: "node-1", ...says });
    expect(unscheduled({ affinity: affinity("zone", ["a"]) })).toEqual(says);
    expect(unscheduled({ affinity: affinity("metadata.name", ["no name!"]) })).toEqual(says);
    expect(unscheduled({ affinity: { nodeAffinity: "x" } })).toEqual(says);
    expect(unscheduled({ nodeName: "node-1", affinity: affinity("metadata.name", ["node-1"]) })).toBeUndefined();
  });

  it("keeps the terminations of multus' init container", () => {
    const pod = projector(true).pod(multus["pods.json"]?.items.find((one) => (one.metadata as { name: string }).name.startsWith("kube-multus-ds")));
    expect(pod?.daemon?.terminations.find(({ init }) => init)).toMatchObject({ reason: "Completed", exitCode: 0 });
  });

  it("drops no field of any recorded pod or node", () => {
    const each = projector(true);
    for (const pod of [...(minikube["pods.json"]?.items ?? []), ...(multus["pods.json"]?.items ?? [])]) expect(each.pod(pod)).toBeDefined();
    for (const node of [...(minikube["nodes.json"]?.items ?? []), multus["node.json"]]) expect(each.node(node)).toBeDefined();
    expect(each.droppedFields()).toBe(0);
  });
});

describe("a pod", () => {
  const pod = (more: Record<string, unknown>, metadata: Record<string, unknown> = {}) => projector().pod({ metadata: { name: "p", namespace: "d", uid: "u1", ...metadata }, ...more });

  it("with nothing but its name and uid says nothing that it was not told", () => {
    expect(pod({})).toEqual({ uid: "u1", namespace: "d", name: "p", hostNetwork: false, phase: "Unknown", deleting: false, hasIp: false, hasAttachableVolumes: false, hasResourceClaims: false, system: false });
  });

  it("counts from the earliest container that ever ran, init or not, in this life or the last", () => {
    const at = (startedAt: string | null) => ({ terminated: { startedAt, exitCode: 1 } });
    const status = (init: unknown[], main: unknown[]) => pod({ status: { initContainerStatuses: init, containerStatuses: main } })?.containerStartedMs;
    expect(status([], [{ name: "a", state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: at("2026-01-01T00:00:05Z") }])).toBe(Date.parse("2026-01-01T00:00:05Z"));
    expect(status([{ name: "i", state: at("2026-01-01T00:00:02Z") }], [{ name: "a", state: { running: { startedAt: "2026-01-01T00:00:09Z" } } }])).toBe(Date.parse("2026-01-01T00:00:02Z"));
    expect(status([], [{ name: "a", state: at(null) }, { name: "b", state: { waiting: { reason: "ContainerCreating" } } }])).toBeUndefined();
  });

  it.each([["persistentVolumeClaim", true], ["csi", true], ["ephemeral", true], ["projected", false], ["configMap", false], ["secret", false], ["emptyDir", false], ["hostPath", false]])("with a %s volume: attachable %s", (kind, attachable) => {
    expect(pod({ spec: { volumes: [{ name: "v", [kind]: {} }] } })?.hasAttachableVolumes).toBe(attachable);
  });

  it("is of the system by its namespace or by its priority class", () => {
    expect(pod({}, { namespace: "kube-system" })?.system).toBe(true);
    expect(pod({ spec: { priorityClassName: "system-node-critical" } })?.system).toBe(true);
    expect(pod({ spec: { priorityClassName: "high" } })?.system).toBe(false);
  });

  it("tells which networks it asks for and whether they were attached", () => {
    const asks = { "k8s.v1.cni.cncf.io/networks": "vlan7" };
    expect(pod({}, { annotations: asks })).toMatchObject({ networks: "vlan7", hasNetworkStatus: false });
    expect(pod({}, { annotations: { ...asks, "k8s.v1.cni.cncf.io/network-status": "[{}]" } })).toMatchObject({ hasNetworkStatus: true });
    expect(pod({}, { annotations: {} })).not.toHaveProperty("hasNetworkStatus");
  });

  it("knows the condition by its name before 1.29 too", () => {
    const condition = (type: string) => pod({ status: { conditions: [{ type, status: "False", lastTransitionTime: "2026-01-01T00:00:00Z" }] } })?.readyToStart;
    expect(condition("PodHasNetwork")).toEqual({ status: false, sinceMs: Date.parse("2026-01-01T00:00:00Z") });
    expect(condition("PodReadyToStartContainers")).toEqual(condition("PodHasNetwork"));
    expect(condition("Ready")).toBeUndefined();
  });

  it.each(["../../api", "a/b", "UPPER", "a\0b", "", "x".repeat(254), "<script>"])("of the name %j is no pod", (name) => {
    expect(pod({}, { name })).toBeUndefined();
    expect(projector().node({ metadata: { name, uid: "u" } })).toBeUndefined();
  });

  it("loses a field of a wrong type, and that field alone, and the loss is counted", () => {
    const each = projector();
    expect(each.pod({ metadata: { name: "p", namespace: "d", uid: "u", creationTimestamp: 7, annotations: [] }, spec: { nodeName: "n1", hostNetwork: "yes", volumes: {} }, status: { phase: "Running", conditions: [7, { type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }] } })).toEqual({
      uid: "u", namespace: "d", name: "p", node: "n1", hostNetwork: false, phase: "Running", deleting: false, scheduledMs: Date.parse("2026-01-01T00:00:00Z"), hasIp: false, hasAttachableVolumes: false, hasResourceClaims: false, system: false,
    });
    expect(each.droppedFields()).toBe(5);
  });
});

describe("any JSON at all", () => {
  it("makes a whole object or none, and never throws", () => {
    const each = makeProjector({ isDaemonPod: () => true });
    const json = fc.jsonValue({ maxDepth: 5 });
    const meta = fc.record({ name: fc.oneof(json, fc.constant("a")), namespace: fc.oneof(json, fc.constant("d")), uid: fc.oneof(json, fc.constant("u")), creationTimestamp: json, labels: json, annotations: json, ownerReferences: json }, { requiredKeys: [] });
    const status = fc.oneof(json, fc.record({ conditions: fc.array(fc.record({ type: json, status: json, lastTransitionTime: json })), containerStatuses: fc.array(fc.record({ name: json, state: json, lastState: json })) }));
    const object = fc.oneof(json, fc.record({ metadata: fc.oneof(meta, json), spec: json, status, involvedObject: json, message: json, series: json }, { requiredKeys: [] }));
    fc.assert(
      fc.property(object, (raw) => {
        for (const made of [each.pod(raw), each.node(raw), each.event(raw), each.daemonSet(raw), each.nad(raw)]) {
          if (made !== undefined && made !== IGNORED) expect(JSON.parse(JSON.stringify(made))).toEqual(made);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("pools", () => {
  it.each([
    [{ "cloud.google.com/gke-nodepool": "gke", agentpool: "no" }, "gke"],
    [{ "eks.amazonaws.com/nodegroup": "eks" }, "eks"],
    [{ "karpenter.sh/nodepool": "kar" }, "kar"],
    [{ "kubernetes.azure.com/agentpool": "aks", agentpool: "no" }, "aks"],
    [{ agentpool: "aks" }, "aks"],
    [{ "node.kubernetes.io/pool": "own" }, "own"],
    [{ "node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/gpu": "true" }, "gpu"],
    [{ "kubernetes.io/os": "linux" }, "default"],
    [undefined, "default"],
  ])("%j is in %s", (labels, pool) => {
    expect(poolOf(labels)).toBe(pool);
  });
});

describe("an event", () => {
  const base = { metadata: { name: "e", namespace: "d", uid: "e1", creationTimestamp: "2026-01-01T00:00:00Z" }, involvedObject: { kind: "Pod", name: "p", namespace: "d", uid: "u" }, reason: "SandboxChanged", message: "m", type: "Normal" };
  const event = (more: Record<string, unknown>) => projector().event({ ...base, ...more });

  it("of the old form counts by count and lastTimestamp", () => {
    expect(event({ count: 7, firstTimestamp: "2026-01-01T00:00:01Z", lastTimestamp: "2026-01-01T00:05:00Z", source: { component: "kubelet", host: "n1" } })).toEqual({
      uid: "e1", namespace: "d", reason: "SandboxChanged", type: "Normal", message: "m", count: 7, firstMs: Date.parse("2026-01-01T00:00:01Z"), lastMs: Date.parse("2026-01-01T00:05:00Z"), about: { kind: "Pod", namespace: "d", name: "p", uid: "u" }, host: "n1", component: "kubelet",
    });
  });

  it("of the new form counts by its series, and its host is the kubelet that says it", () => {
    expect(event({ firstTimestamp: null, lastTimestamp: null, eventTime: "2026-01-01T00:00:01.123456Z", series: { count: 3, lastObservedTime: "2026-01-01T00:09:00.000000Z" }, reportingComponent: "kubelet", reportingInstance: "n1" })).toMatchObject({
      count: 3, firstMs: Date.parse("2026-01-01T00:00:01.123Z"), lastMs: Date.parse("2026-01-01T00:09:00Z"), host: "n1", component: "kubelet",
    });
    expect(event({ reportingComponent: "default-scheduler", reportingInstance: "scheduler-0" })).not.toHaveProperty("host");
  });

  it("about something else is ignored, about nothing is none", () => {
    expect(event({ involvedObject: { kind: "Deployment", name: "x" } })).toBe(IGNORED);
    expect(event({ involvedObject: undefined })).toBeUndefined();
  });

  it("carries its text cleaned and cut", () => {
    const made = event({ message: `\u001b[2J${"A".repeat(100_000)}` });
    expect(made !== IGNORED && made?.message.startsWith("␛[2JAAA")).toBe(true);
    expect(made !== IGNORED && made?.message.length).toBe(MAX_TEXT_CHARS);
  });
});

describe("DaemonSets and networks", () => {
  const daemonSets = recorded<readonly object[]>("objects/daemonsets.json.gz");
  const multusDs = multus["daemonset.json"]?.items[0];

  it("of a pod that is being deleted keeps until when it had to be gone", () => {
    const deleted = (deletionTimestamp: unknown) => projector().pod({ metadata: { name: "p", namespace: "d", uid: "u", deletionTimestamp } });
    expect(deleted("2026-01-01T00:00:30Z")).toMatchObject({ deleting: true, deleteByMs: Date.parse("2026-01-01T00:00:30Z") });
    expect(deleted("soon")).toMatchObject({ deleting: true });
    expect(deleted("soon")).not.toHaveProperty("deleteByMs");
    expect(deleted(undefined)).not.toHaveProperty("deleteByMs");
  });

  it("keeps what a remediation of multus needs", () => {
    expect(projector().daemonSet(multusDs)).toMatchObject({ namespace: "kube-system", name: "kube-multus-ds", updateStrategy: "RollingUpdate", matchLabels: { name: "multus" }, hostPaths: expect.arrayContaining(["/opt/cni/bin"]) as unknown });
    expect(projector().daemonSet(multusDs)?.containers.map(({ init }) => init)).toContain(true);
  });

  it("keeps a DaemonSet whose pods have a priority of the system's, and what its pods tolerate", () => {
    const storage = projector().daemonSet({
      metadata: { name: "csi-node", namespace: "storage", uid: "u" },
      spec: { template: { spec: { priorityClassName: "system-node-critical", nodeSelector: { "kubernetes.io/os": "linux" }, tolerations: [{ operator: "Exists", effect: "NoSchedule" }, { key: "gpu", value: "true" }, { key: "spot" }] } } },
    });
    expect(storage && isInterestingDaemonSet(storage)).toBe(true);
    expect(storage).toMatchObject({ picksNodes: false, tolerations: [{ effect: "NoSchedule" }, { key: "gpu", value: "true" }, { key: "spot", value: "" }] });
    const picky = projector().daemonSet({ metadata: { name: "gpu", namespace: "gpu", uid: "u" }, spec: { template: { spec: { nodeSelector: { gpu: "true" } } } } });
    expect(picky?.picksNodes).toBe(true);
  });

  it("keeps every recorded CNI's DaemonSet and leaves out one that has nothing to do with it", () => {
    const all = Object.values(daemonSets).flat();
    expect(all.length).toBeGreaterThan(10);
    // Manifests carry no uid; a cluster gives one.
    const made = all.map((one) => projector().daemonSet({ ...(one as object), metadata: { namespace: "elsewhere", ...(one as { metadata: object }).metadata, uid: "u" } }));
    expect(made.filter((one) => one === undefined)).toEqual([]);
    const plain = projector().daemonSet({ metadata: { name: "node-exporter", namespace: "monitoring", uid: "u" }, spec: { template: { spec: { volumes: [{ hostPath: { path: "/proc" } }] } } } });
    expect(plain && isInterestingDaemonSet(plain)).toBe(false);
    expect(made.filter((one) => one !== undefined && isInterestingDaemonSet(one)).length).toBeGreaterThan(10);
  });

  it.each([
    ['{"type":"macvlan","ipam":{"type":"whereabouts"}}', { pluginTypes: ["macvlan", "whereabouts"] }],
    ['{"plugins":[{"type":"bridge","ipam":{"type":"host-local"}},{"type":"tuning"}]}', { pluginTypes: ["bridge", "host-local", "tuning"] }],
    ["", { pluginTypes: [] }],
    ["{not json", { pluginTypes: [], problem: "its config is not JSON" }],
    ["[1]", { pluginTypes: [], problem: "its config names no plugin" }],
    ['{"type":7,"plugins":"x"}', { pluginTypes: [], problem: "its config names no plugin" }],
  ])("of a network with the config %s takes the plugins, or why there are none: %j", (config, facts) => {
    expect(projector().nad({ metadata: { name: "net", namespace: "d" }, spec: { config } })).toEqual({ key: "d/net", ...facts });
  });

  it("of a network without a config takes none", () => {
    expect(projector().nad({ metadata: { name: "net", namespace: "d" } })).toEqual({ key: "d/net", pluginTypes: [] });
  });
});
