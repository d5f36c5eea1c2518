import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLog } from "../../log";
import { scaledClock, systemClock } from "../../clock";
import { startSimulation, type Simulation } from "../simulation";
import { client } from "../testing/client";

/** The pretend API server held against what clients need of a real one; refusals as recorded from Kubernetes 1.37. */
const log = createLog("silent", "test");
let simulation: Simulation;
let api: ReturnType<typeof client>;
let asViewer: ReturnType<typeof client>;
let asLimited: ReturnType<typeof client>;
const DAEMON_SET = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-multus-ds";
const STRATEGIC = "application/strategic-merge-patch+json";

beforeAll(async () => {
  simulation = await startSimulation({ nodes: 3, scenario: "healthy", seed: "api", clock: systemClock, log });
  const { server, caPem, users } = simulation;
  api = client(server, caPem, users.admin.token);
  asViewer = client(server, caPem, users.viewer.token);
  asLimited = client(server, caPem, users.limited.token);
}, 60_000);

afterAll(async () => {
  await Promise.all([api.close(), asViewer.close(), asLimited.close()]);
  await simulation.stop();
});

describe("who asks", () => {
  it("answers health to everybody, nothing else without a token, and 401 to a token that nobody has", async () => {
    expect(await api.ask("/readyz", { token: undefined })).toMatchObject({ status: 200, text: "ok" });
    expect(await api.ask("/api/v1/nodes", { token: undefined })).toMatchObject({ status: 403, json: { kind: "Status", reason: "Forbidden" } });
    expect(await api.ask("/api/v1/nodes", { token: "not-a-token" })).toMatchObject({ status: 401, json: { kind: "Status", reason: "Unauthorized", code: 401 } });
  });

  it("refuses what a user may not do, in the real server's words", async () => {
    const refused = await asLimited.ask("/api/v1/events");
    expect(refused).toMatchObject({ status: 403, json: { reason: "Forbidden", details: { kind: "events" } } });
    expect(refused.json["message"]).toBe('events is forbidden: User "simulated-limited" cannot list resource "events" in API group "" at the cluster scope');
    expect((await asLimited.ask("/api/v1/nodes")).status).toBe(200);
    expect((await asViewer.ask(DAEMON_SET, { method: "PATCH", contentType: STRATEGIC, body: {} })).status).toBe(403);
    expect((await asViewer.ask("/api/v1/nodes/general-01/proxy/metrics")).status).toBe(403);
    expect((await asViewer.ask("/api/v1/secrets")).status).toBe(404);
  });

  it("answers access, subject and token reviews", async () => {
    const own = (from: typeof api, verb: string, resource: string, subresource?: string) =>
      from.ask("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { method: "POST", body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes: { verb, resource, group: resource === "daemonsets" ? "apps" : "", subresource } } } });
    expect(await own(asViewer, "watch", "pods")).toMatchObject({ status: 201, json: { status: { allowed: true } } });
    expect((await own(asViewer, "patch", "daemonsets")).json["status"]).toEqual({ allowed: false });
    expect((await own(asViewer, "get", "nodes", "metrics")).json["status"]).toMatchObject({ allowed: true });
    expect((await own(api, "patch", "daemonsets")).json["status"]).toMatchObject({ allowed: true });
    const self = await asViewer.ask("/apis/authentication.k8s.io/v1/selfsubjectreviews", { method: "POST", body: {} });
    expect(self.json["status"]).toMatchObject({ userInfo: { username: "simulated-viewer" } });
    const subject = { spec: { user: "simulated-limited", resourceAttributes: { verb: "delete", resource: "nodes" } } };
    expect((await api.ask("/apis/authorization.k8s.io/v1/subjectaccessreviews", { method: "POST", body: subject })).json["status"]).toEqual({ allowed: false });
    expect((await asLimited.ask("/apis/authorization.k8s.io/v1/subjectaccessreviews", { method: "POST", body: subject })).status).toBe(403);
    const token = (text: string) => api.ask("/apis/authentication.k8s.io/v1/tokenreviews", { method: "POST", body: { spec: { token: text } } });
    expect((await token(simulation.users.limited.token)).json["status"]).toMatchObject({ authenticated: true, user: { username: "simulated-limited" } });
    expect((await token("not-a-token")).json["status"]).toEqual({ user: {}, error: "invalid bearer token" });
  });
});

describe("what there is", () => {
  it("tells its version, its groups, and that it is simulated by the uid of kube-system", async () => {
    expect((await api.ask("/version")).json["gitVersion"]).toMatch(/^v1\.\d+\.\d+$/);
    expect((await api.ask("/api/v1/namespaces/kube-system")).json["metadata"]).toMatchObject({ uid: "simulated:healthy:api" });
    const apps = await api.ask("/apis/apps/v1");
    expect(apps.json).toMatchObject({ kind: "APIResourceList", groupVersion: "apps/v1" });
    expect(JSON.stringify((await api.ask("/api/v1")).json)).toContain('"pods/eviction"');
    expect((await api.ask("/apis")).json["groups"]).toBeInstanceOf(Array);
  });

  it("says 404 with a Status to what is not there", async () => {
    expect(await api.ask("/api/v1/namespaces/default/pods/none")).toMatchObject({ status: 404, json: { reason: "NotFound", message: 'pods "none" not found' } });
    expect((await api.ask("/apis/example.org/v1/things")).status).toBe(404);
    expect((await api.ask("/api/v1/nodes/..%2f..%2fapi")).status).toBe(404);
    expect((await api.ask("/api/v1/nodes/%ff")).status).toBe(400);
  });

  it("shows nodes with pool, port of their kubelet and conditions", async () => {
    const { json } = await api.ask("/api/v1/nodes/general-01");
    expect(json["metadata"]?.["labels"]).toMatchObject({ "node.kubernetes.io/pool": "general" });
    expect(json["status"]?.["daemonEndpoints"]?.["kubeletEndpoint"]?.["Port"]).toBeGreaterThan(0);
    const types = (json["status"]?.["conditions"] as unknown as { type: string }[]).map(({ type }) => type);
    expect(types).toEqual(["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"]);
  });

  it("selects by field and label, and refuses fields that the real server refuses", async () => {
    const on = await api.ask("/api/v1/pods?fieldSelector=spec.nodeName%3Dgeneral-01");
    const items = on.json["items"] as unknown as { spec: { nodeName: string } }[];
    expect(items.length).toBeGreaterThan(30);
    expect(new Set(items.map((pod) => pod.spec.nodeName))).toEqual(new Set(["general-01"]));
    expect((await api.ask("/api/v1/pods?fieldSelector=spec.nodeName%3D")).json["items"]).toHaveLength(0);
    expect(await api.ask("/api/v1/pods?fieldSelector=spec.hostname%3Dx")).toMatchObject({ status: 400, json: { message: "field label not supported: spec.hostname" } });
    expect((await api.ask("/api/v1/namespaces/kube-system/pods?labelSelector=name%3Dmultus")).json["items"]).toHaveLength(3);
    expect((await api.ask("/api/v1/pods?labelSelector=name%20in%20(multus,other),tier")).json["items"]).toHaveLength(3);
    expect((await api.ask("/api/v1/namespaces/kube-system/pods?labelSelector=!job-name,name!%3Dmultus")).json["items"]).not.toHaveLength(0);
    const reasons = (await api.ask("/api/v1/events?fieldSelector=reason!%3DScheduled,reason!%3DPulled")).json["items"] as unknown as { reason: string }[];
    expect(reasons.length).toBeGreaterThan(0);
    expect(reasons.some((e) => e.reason === "Scheduled" || e.reason === "Pulled")).toBe(false);
  });
});

describe("pages", () => {
  it("give one whole list of one version, whatever changes meanwhile", async () => {
    const whole = await api.ask("/api/v1/configmaps");
    for (let i = 0; i < 7; i++) await api.ask("/api/v1/namespaces/default/configmaps", { method: "POST", body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `page-${i}` } } });
    const names: string[] = [];
    const versions = new Set<string>();
    let token = "";
    let remaining: number | undefined;
    do {
      const { json } = await api.ask(`/api/v1/configmaps?limit=3&continue=${token}`);
      names.push(...(json["items"] as unknown as { metadata: { name: string } }[]).map((o) => o.metadata.name));
      versions.add(json["metadata"]?.["resourceVersion"] ?? "");
      remaining ??= json["metadata"]?.["remainingItemCount"];
      token = json["metadata"]?.["continue"] ?? "";
      await api.ask("/api/v1/namespaces/default/configmaps/page-6", { method: "DELETE" });
    } while (token !== "");
    expect(names).toHaveLength(7 + (whole.json["items"] as unknown as unknown[]).length);
    expect(names).toContain("page-6");
    expect(versions.size).toBe(1);
    expect(remaining).toBe(names.length - 3);
  });

  it("end with 410 when they are too old, and refuse a token that is none", async () => {
    const { json } = await api.ask("/api/v1/pods?limit=5");
    simulation.control.forgetOldVersions();
    expect(await api.ask(`/api/v1/pods?limit=5&continue=${json["metadata"]?.["continue"] ?? ""}`)).toMatchObject({ status: 410, json: { reason: "Expired", code: 410 } });
    expect(await api.ask("/api/v1/pods?limit=5&continue=abc")).toMatchObject({ status: 400, json: { reason: "BadRequest" } });
    expect((await api.ask("/api/v1/pods?limit=x")).status).toBe(400);
  });
});

describe("watches", () => {
  it("go on from a list's version and tell what was changed since, in order", async () => {
    const { json } = await api.ask("/api/v1/namespaces/default/configmaps");
    const version = json["metadata"]?.["resourceVersion"] ?? "";
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "watched", labels: { on: "yes" } } };
    await api.ask("/api/v1/namespaces/default/configmaps", { method: "POST", body });
    const watch = await api.watch(`/api/v1/namespaces/default/configmaps?watch=1&labelSelector=on%3Dyes&resourceVersion=${version}`);
    expect(await watch.until((e) => e["type"] === "ADDED")).toMatchObject({ object: { metadata: { name: "watched" } } });
    await api.ask("/api/v1/namespaces/default/configmaps/watched", { method: "PATCH", contentType: "application/merge-patch+json", body: { data: { a: "1" } } });
    expect(await watch.until((e) => e["type"] === "MODIFIED")).toMatchObject({ object: { data: { a: "1" } } });
    // It leaves the selection, which a watch tells as its deletion.
    await api.ask("/api/v1/namespaces/default/configmaps/watched", { method: "PATCH", contentType: "application/merge-patch+json", body: { metadata: { labels: { on: null } } } });
    expect(await watch.until((e) => e["type"] === "DELETED")).toBeDefined();
    const versions = watch.seen.map((e) => Number(e["object"]?.["metadata"]?.["resourceVersion"]));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    await watch.close();
  });

  it("begin with all objects where no version is asked, and mark the end of them where that is asked", async () => {
    const watch = await api.watch("/api/v1/nodes?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan");
    const end = await watch.until((e) => e["type"] === "BOOKMARK");
    expect(end?.["object"]?.["metadata"]?.["annotations"]).toEqual({ "k8s.io/initial-events-end": "true" });
    expect(watch.seen.filter((e) => e["type"] === "ADDED")).toHaveLength(3);
    await watch.close();
  });

  it("answer 410 in the stream where the version is no longer known, and an error where it is not yet", async () => {
    simulation.control.forgetOldVersions();
    const old = await api.watch("/api/v1/pods?watch=1&resourceVersion=1");
    expect(await old.until(() => true)).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } });
    expect(await old.until(() => true)).toBeUndefined();
    const future = await api.watch("/api/v1/pods?watch=1&resourceVersion=999999999");
    expect(await future.until(() => true)).toMatchObject({ type: "ERROR", object: { code: 504 } });
    expect(await api.ask("/api/v1/pods?watch=1&resourceVersion=x")).toMatchObject({ status: 400, json: { reason: "BadRequest" } });
  });

  it("end when their time is up, and in the middle of a line when the server is cut", async () => {
    const timed = await api.watch("/api/v1/nodes?watch=1&timeoutSeconds=1");
    while ((await timed.until(() => true)) !== undefined);
    expect(timed.seen.length).toBeGreaterThanOrEqual(3);
    const cut = await api.watch("/api/v1/nodes?watch=1");
    await cut.until((e) => e["object"]?.["metadata"]?.["name"] === "general-01");
    simulation.control.cutWatches();
    while ((await cut.until(() => true)) !== undefined);
    expect(cut.seen.length).toBeGreaterThan(0);
  });

  it("get a bookmark about every minute of the cluster's time, save those of events", async () => {
    const fast = await startSimulation({ nodes: 1, scenario: "idle", seed: "fast", clock: scaledClock(systemClock.now(), 200), log });
    const fastApi = client(fast.server, fast.caPem, fast.users.admin.token);
    const { json } = await fastApi.ask("/apis/apps/v1/daemonsets");
    const watch = await fastApi.watch(`/apis/apps/v1/daemonsets?watch=1&allowWatchBookmarks=true&resourceVersion=${json["metadata"]?.["resourceVersion"] ?? ""}`);
    const bookmark = await watch.until((e) => e["type"] === "BOOKMARK");
    expect(bookmark).toMatchObject({ object: { kind: "DaemonSet", apiVersion: "apps/v1" } });
    expect(Number(bookmark?.["object"]?.["metadata"]?.["resourceVersion"])).toBeGreaterThanOrEqual(Number(json["metadata"]?.["resourceVersion"]));
    await watch.close();
    await fastApi.close();
    await fast.stop();
  });
});
