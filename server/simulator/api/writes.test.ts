import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { scaledClock, systemClock } from "../../clock";
import { createLog } from "../../log";
import { initUnlimited } from "../model/faults/init-unlimited";
import { startSimulation, type Simulation } from "../simulation";
import { client, type Json } from "../testing/client";

const log = createLog("silent", "test");
/** The cluster's minutes pass in seconds here. */
const SPEED = 60;
const DAEMON_SET = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-multus-ds";
const STRATEGIC = "application/strategic-merge-patch+json";
const MERGE = "application/merge-patch+json";
let simulation: Simulation;
let api: ReturnType<typeof client>;

beforeAll(async () => {
  simulation = await startSimulation({ nodes: 3, scenario: "healthy", seed: "writes", clock: scaledClock(systemClock.now(), SPEED), log });
  api = client(simulation.server, simulation.caPem, simulation.users.admin.token);
}, 60_000);

afterAll(async () => {
  await api.close();
  await simulation.stop();
});

const limits = (cpu: string | null, memory: string) => ({ spec: { template: { spec: { containers: [{ name: "kube-multus", resources: { limits: { cpu, memory } } }] } } } });
const patch = (path: string, body: unknown, contentType = STRATEGIC) => api.ask(path, { method: "PATCH", contentType, body });
const limitsOf = (object: Json): unknown => object["spec"]?.["template"]?.["spec"]?.["containers"]?.[0]?.["resources"]?.["limits"];

interface PodRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly path: string;
}

async function pods(query: string): Promise<PodRef[]> {
  const { json } = await api.ask(`/api/v1/pods?${query}`);
  const items = json["items"] as unknown as { metadata: { namespace: string; name: string; uid: string; deletionTimestamp?: string } }[];
  return items.filter((p) => p.metadata.deletionTimestamp === undefined).map(({ metadata: { namespace, name, uid } }) => ({ namespace, name, uid, path: `/api/v1/namespaces/${namespace}/pods/${name}` }));
}

async function firstPod(query: string): Promise<PodRef> {
  const [pod] = await pods(query);
  if (pod === undefined) throw new Error(`no pod matches ${query}`);
  return pod;
}

describe("the daemon's resources", () => {
  let before: Json;
  beforeEach(async () => {
    before = (await api.ask(DAEMON_SET)).json;
  });

  it("dry run shows the object as it would be and changes nothing", async () => {
    const dry = await patch(`${DAEMON_SET}?dryRun=All`, limits("2", "4Gi"));
    expect(dry.status).toBe(200);
    expect(limitsOf(dry.json)).toEqual({ cpu: "2", memory: "4Gi" });
    expect(dry.json["metadata"]?.["generation"]).toBe(Number(before["metadata"]?.["generation"]) + 1);
    expect((await api.ask(DAEMON_SET)).json).toEqual(before);
  });

  it("a strategic merge keeps the other fields of the container and takes a limit away with null", async () => {
    const dry = await patch(`${DAEMON_SET}?dryRun=All`, limits(null, "4Gi"));
    expect(limitsOf(dry.json)).toEqual({ memory: "4Gi" });
    const container = dry.json["spec"]?.["template"]?.["spec"]?.["containers"]?.[0];
    expect(container?.["image"]).toBe(before["spec"]?.["template"]?.["spec"]?.["containers"]?.[0]?.["image"]);
    expect(container?.["resources"]?.["requests"]).toEqual({ cpu: "100m", memory: "50Mi" });
  });

  it("JSON patches, merge patches and applied objects do what each of them says", async () => {
    const path = "/spec/template/spec/containers/0/resources/limits/cpu";
    const json = await patch(`${DAEMON_SET}?dryRun=All`, [{ op: "test", path, value: "100m" }, { op: "replace", path, value: "500m" }], "application/json-patch+json");
    expect(limitsOf(json.json)).toEqual({ cpu: "500m", memory: "1Gi" });
    expect(await patch(`${DAEMON_SET}?dryRun=All`, [{ op: "test", path, value: "7" }], "application/json-patch+json")).toMatchObject({ status: 422 });
    const merged = await patch(`${DAEMON_SET}?dryRun=All`, { metadata: { annotations: { note: "x", "deprecated.daemonset.template.generation": null } } }, MERGE);
    expect(merged.json["metadata"]?.["annotations"]).toEqual({ note: "x" });
    const applied = await patch(`${DAEMON_SET}?dryRun=All&fieldManager=test`, "spec:\n  template:\n    spec:\n      containers:\n      - name: kube-multus\n        resources:\n          limits:\n            memory: 2Gi\n", "application/apply-patch+yaml");
    expect(limitsOf(applied.json)).toEqual({ cpu: "100m", memory: "2Gi" });
    expect((await patch(DAEMON_SET, "x", "text/plain")).status).toBe(415);
    expect((await patch(DAEMON_SET, "{", MERGE)).status).toBe(400);
  });

  it("refuses a quantity that is none, and a request above its limit, naming the field", async () => {
    expect(await patch(DAEMON_SET, limits("two", "4Gi"))).toMatchObject({ status: 422, json: { reason: "Invalid" } });
    const refused = await patch(DAEMON_SET, { spec: { template: { spec: { containers: [{ name: "kube-multus", resources: { requests: { memory: "2Gi" } } }] } } } });
    expect(refused.status).toBe(422);
    expect(refused.json["message"]).toContain('spec.template.spec.containers[0].resources.requests: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi');
    expect((await api.ask(DAEMON_SET)).json).toEqual(before);
  });

  it("refuses a change that rests on an older version or another object", async () => {
    expect(await patch(DAEMON_SET, { metadata: { resourceVersion: "7" } })).toMatchObject({ status: 409, json: { reason: "Conflict" } });
    expect(await patch(DAEMON_SET, { metadata: { uid: "other" } })).toMatchObject({ status: 409 });
    expect((await api.ask(DAEMON_SET, { method: "PUT", body: { ...Object(before), metadata: { ...Object(before["metadata"]), resourceVersion: "7" } } })).status).toBe(409);
  });

  it("a real change rolls the daemon node by node until every pod has the new limits", async () => {
    const uids = new Set((await pods("labelSelector=name%3Dmultus")).map(({ uid }) => uid));
    expect((await patch(DAEMON_SET, limits("300m", "2Gi"))).status).toBe(200);
    const watch = await api.watch(`${DAEMON_SET.replace("/kube-multus-ds", "")}?watch=1&fieldSelector=metadata.name%3Dkube-multus-ds`);
    const done = await watch.until(({ object }) => object["status"]?.["updatedNumberScheduled"] === 3 && object["status"]?.["numberReady"] === 3 && object["status"]?.["observedGeneration"] === object["metadata"]?.["generation"]);
    expect(done).toBeDefined();
    const ready = watch.seen.map((e) => e["object"]?.["status"]?.["numberReady"]);
    expect(Math.min(...ready.map(Number))).toBe(2);
    await watch.close();
    const after = (await api.ask("/api/v1/namespaces/kube-system/pods?labelSelector=name%3Dmultus")).json["items"] as unknown as { metadata: { uid: string }; spec: { containers: { resources: unknown }[] } }[];
    expect(after).toHaveLength(3);
    expect(after.some((pod) => uids.has(pod.metadata.uid))).toBe(false);
    for (const pod of after) expect(pod.spec.containers[0]?.resources).toMatchObject({ limits: { cpu: "300m", memory: "2Gi" } });
  }, 120_000);

  it("the resize subresource changes one pod in place, without a restart", async () => {
    const pod = await firstPod("labelSelector=name%3Dmultus");
    const resized = await patch(`${pod.path}/resize`, { spec: { containers: [{ name: "kube-multus", resources: { limits: { cpu: "2" } } }] } });
    expect(resized).toMatchObject({ status: 200, json: { metadata: { uid: pod.uid } } });
    expect(resized.json["spec"]?.["containers"]?.[0]?.["resources"]?.["limits"]).toMatchObject({ cpu: "2" });
    const watch = await api.watch(`/api/v1/namespaces/kube-system/events?watch=1&fieldSelector=involvedObject.uid%3D${pod.uid},reason%3DResizeCompleted`);
    expect(await watch.until(() => true)).toBeDefined();
    await watch.close();
    expect((await api.ask(pod.path)).json["status"]?.["containerStatuses"]?.[0]?.["restartCount"]).toBe(0);
    expect(await patch(pod.path, { spec: { containers: [{ name: "kube-multus", resources: { limits: { cpu: "3" } } }] } })).toMatchObject({ status: 422 });
  });
});

describe("pods", () => {
  it("a deleted pod ends within its grace, its object is then gone, and a successor comes", async () => {
    const pod = await firstPod("labelSelector=app%3Dgateway");
    const watch = await api.watch(`/api/v1/pods?watch=1&fieldSelector=metadata.name%3D${pod.name}`);
    await watch.until((e) => e["type"] === "ADDED");
    const dry = await api.ask(`${pod.path}?dryRun=All`, { method: "DELETE" });
    expect(dry.status).toBe(200);
    expect((await api.ask(pod.path)).json["metadata"]?.["deletionTimestamp"]).toBeUndefined();
    expect(await api.ask(pod.path, { method: "DELETE", body: { preconditions: { uid: "other" } } })).toMatchObject({ status: 409 });
    const deleted = await api.ask(pod.path, { method: "DELETE", body: { gracePeriodSeconds: 20, preconditions: { uid: pod.uid } } });
    expect(deleted.json["metadata"]).toMatchObject({ uid: pod.uid, deletionGracePeriodSeconds: 20 });
    expect(await watch.until((e) => e["type"] === "DELETED")).toBeDefined();
    await watch.close();
    expect((await api.ask(pod.path)).status).toBe(404);
  });

  it("a pod that a client makes gets its sandbox and runs, on the node that it names", async () => {
    const path = "/api/v1/namespaces/default/pods";
    const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "probe", labels: { app: "probe" } }, spec: { nodeName: "general-01", containers: [{ name: "main", image: "busybox" }] } };
    expect((await api.ask(`${path}?dryRun=All`, { method: "POST", body })).status).toBe(201);
    const watch = await api.watch(`${path}?watch=1&labelSelector=app%3Dprobe`);
    expect((await api.ask(path, { method: "POST", body })).status).toBe(201);
    const running = await watch.until((e) => e["object"]?.["status"]?.["phase"] === "Running");
    expect(running?.["object"]).toMatchObject({ metadata: { name: "probe" }, spec: { nodeName: "general-01" } });
    expect(running?.["object"]?.["metadata"]?.["annotations"]?.["k8s.v1.cni.cncf.io/network-status"]).toContain("eth0");
    await watch.close();
    expect(await api.ask(path, { method: "POST", body: { ...body, metadata: { name: "lost" }, spec: { ...body.spec, nodeName: "nowhere" } } })).toMatchObject({ status: 422 });
    expect((await api.ask(`${path}/probe`, { method: "DELETE" })).status).toBe(200);
  });

  it("a forced deletion takes the object away at once", async () => {
    const pod = await firstPod("labelSelector=app%3Dgateway");
    expect((await api.ask(`${pod.path}?gracePeriodSeconds=0`, { method: "DELETE" })).status).toBe(200);
    expect((await api.ask(pod.path)).status).toBe(404);
  });

  it("an eviction honours budgets: 201 where there is room, 429 with the cause where there is none", async () => {
    const free = await firstPod("labelSelector=app%3Dcheckout");
    const bound = await firstPod("labelSelector=app%3Dledger");
    const evict = (pod: PodRef, more = {}) => api.ask(`${pod.path}/eviction`, { method: "POST", body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod.name, namespace: pod.namespace }, ...more } });
    expect(await evict(bound)).toMatchObject({ status: 429, json: { reason: "TooManyRequests", details: { causes: [{ reason: "DisruptionBudget" }] } } });
    expect((await evict(free, { deleteOptions: { dryRun: ["All"] } })).status).toBe(201);
    expect((await api.ask(free.path)).json["metadata"]?.["deletionTimestamp"]).toBeUndefined();
    expect(await evict(free)).toMatchObject({ status: 201, json: { status: "Success" } });
    const after = await api.ask(free.path);
    expect(after.status === 404 || after.json["metadata"]?.["deletionTimestamp"] !== undefined).toBe(true);
  });

  it("labels that a client writes stay while the kubelet goes on writing", async () => {
    const pod = await firstPod("labelSelector=app%3Dcart");
    await patch(pod.path, { metadata: { labels: { watched: "yes" }, annotations: { note: "x" } } }, MERGE);
    simulation.control.sync();
    expect((await api.ask(pod.path)).json["metadata"]).toMatchObject({ labels: { app: "cart", watched: "yes" }, annotations: { note: "x" } });
  });
});

describe("nodes", () => {
  it("a cordon shows on the node, and no pod is bound there any more", async () => {
    const cordoned = await patch("/api/v1/nodes/compute-01", { spec: { unschedulable: true } });
    expect(cordoned.json["spec"]).toMatchObject({ unschedulable: true, taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }] });
    simulation.control.replacePods("compute-01", 3);
    await new Promise((resolve) => systemClock.after(1_000, () => resolve(undefined)));
    const { json } = await api.ask("/api/v1/pods?fieldSelector=spec.nodeName%3Dcompute-01,status.phase%3DPending");
    expect(json["items"]).toHaveLength(0);
    const back = await patch("/api/v1/nodes/compute-01", { spec: { unschedulable: null } });
    expect(back.json["spec"]?.["unschedulable"]).toBeUndefined();
  });
});

describe("other objects", () => {
  it("are made once, refused the second time, replaced and deleted", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "made" }, data: { a: "1" } };
    expect(await api.ask(`${path}?dryRun=All`, { method: "POST", body })).toMatchObject({ status: 201 });
    expect((await api.ask(`${path}/made`)).status).toBe(404);
    expect((await api.ask(path, { method: "POST", body })).status).toBe(201);
    expect(await api.ask(path, { method: "POST", body })).toMatchObject({ status: 409, json: { reason: "AlreadyExists" } });
    expect((await api.ask(`${path}/made`, { method: "PUT", body: { ...body, data: { a: "2" } } })).json["data"]).toEqual({ a: "2" });
    expect(await api.ask(`${path}/made`, { method: "DELETE" })).toMatchObject({ status: 200, json: { status: "Success" } });
    expect((await api.ask(path, { method: "POST", body: "x".repeat(4_000_000) })).status).toBe(413);
  });
});

describe("an API server that is not well", () => {
  it("answers 503 while it fails, cannot be reached while it is cut, and is there again at the same port", async () => {
    simulation.control.failApi(true);
    expect(await api.ask("/api/v1/nodes")).toMatchObject({ status: 503, json: { reason: "ServiceUnavailable" } });
    simulation.control.failApi(false);
    await simulation.control.cutApi(true);
    await expect(api.ask("/api/v1/nodes")).rejects.toThrow();
    await simulation.control.cutApi(false);
    expect((await api.ask("/api/v1/nodes")).status).toBe(200);
  });
});

describe("revisions of the daemon's template", () => {
  it("a changed template is a new revision beside the one before, and anything else is none", async () => {
    const revisions = async (): Promise<readonly number[]> => ((await api.ask("/apis/apps/v1/namespaces/kube-system/controllerrevisions?labelSelector=name%3Dmultus")).json["items"] as unknown as { revision: number }[]).map(({ revision }) => revision).sort((a, b) => a - b);
    const known = await revisions();
    await patch(DAEMON_SET, { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } } }, MERGE);
    expect(await revisions()).toEqual(known);
    const args = { spec: { template: { spec: { containers: [{ name: "kube-multus", args: ["--verbose"] }] } } } };
    await patch(DAEMON_SET, args);
    expect(await revisions()).toEqual([...known, (known.at(-1) ?? 0) + 1]);
  });

  it("a fault that changes the template changes the object and makes a revision, and keeps what clients wrote", async () => {
    const object = async () => (await api.ask(DAEMON_SET)).json as { metadata: { generation: number }; spec: { template: { spec: { containers: { args?: string[] }[]; initContainers: { resources: { limits?: object } }[] } } }; status: { observedGeneration: number } };
    const revisions = async (): Promise<number> => ((await api.ask("/apis/apps/v1/namespaces/kube-system/controllerrevisions?labelSelector=name%3Dmultus")).json["items"] as unknown[]).length;
    const [before, count] = [await object(), await revisions()];
    const node = simulation.control.node(simulation.nodeNames[0] ?? "");
    initUnlimited.break({ model: simulation.control.model, node });
    simulation.control.sync();
    const after = await object();
    expect(after.metadata.generation).toBe(before.metadata.generation + 1);
    expect(after.status.observedGeneration).toBe(after.metadata.generation);
    expect([before, after].map(({ spec }) => spec.template.spec.initContainers[0]?.resources.limits === undefined)).toEqual([false, true]);
    expect(after.spec.template.spec.containers[0]?.args).toEqual(["--verbose"]);
    expect(await revisions()).toBe(count + 1);
  });
});
