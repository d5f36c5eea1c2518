import { execFile } from "node:child_process";
import { createPrivateKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "../setup/test";
import { systemClock } from "../../server/clock";
import type { WatchedKind } from "../../server/domain/observation";
import { createLog } from "../../server/log";
import { ConnectError, loadConnection, type Connection } from "../../server/sources/kube-api/connect";
import { can, identify } from "../../server/sources/kube-api/identify";
import type { WatchLimits } from "../../server/sources/kube-api/limits";
import { request } from "../../server/sources/kube-api/request";
import { startKubeApiSource, type KubeApiSource } from "../../server/sources/kube-api/source";
import { Mirror } from "../../server/sources/kube-api/testing/watching";
import { clusterMissing, startCluster, type Cluster } from "../setup/cluster";

// The compaction that makes a real 410: etcd forgets the past every few seconds instead of every five minutes.
const options = { controllers: false, apiserverFlags: "--etcd-compaction-interval=4s" };
const missing = clusterMissing(options);
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "serial" });

const NODES = 1_203;
const COMPACTED_MS = 12_000;
const AT_ONCE = 20;
const WAIT_MS = 120_000;
const SCRIPTS = path.resolve(import.meta.dirname, "../cluster");

let cluster: Cluster;
let admin: Connection;
let account: Connection;
const ending: (() => Promise<void>)[] = [];

const connect = async (kubeconfig: string): Promise<Connection> => {
  const connection = await loadConnection({ kubeconfig, environment: { home: "/nonexistent" } });
  if (connection === undefined) throw new Error(`no connection from ${kubeconfig}`);
  return connection;
};
test.beforeAll(async () => {
  cluster = await startCluster(options);
  admin = await connect(cluster.kubeconfig);
  account = await connect(await cluster.account());
});
test.afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});
test.afterAll(async () => {
  await admin?.close();
  await account?.close();
  await cluster?.stop();
});

function watch(connection: Connection, kinds: readonly WatchedKind[], limits: Partial<WatchLimits> = {}): { readonly mirror: Mirror; readonly source: KubeApiSource } {
  const mirror = new Mirror();
  const source = startKubeApiSource({ connection, observe: mirror.observe, clock: systemClock, log: createLog("silent", "test"), kinds, isDaemonPod: () => false, limits });
  ending.push(() => source.stop());
  return { mirror, source };
}
/** Until the expectation holds; a busy machine needs its time. */
const eventually = (look: () => unknown) => expect.poll(look, { timeout: WAIT_MS, intervals: [50] });

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
    }),
  );
}
const nodeNames = (count: number) => Array.from({ length: count }, (_, index) => `worker-${String(index).padStart(4, "0")}`);
const createNode = (name: string) => request(admin, { method: "POST", segments: ["api", "v1", "nodes"], body: { apiVersion: "v1", kind: "Node", metadata: { name, labels: { "node.kubernetes.io/pool": "workers" } } } });
const daemonSet = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name, namespace: "kube-system" },
  spec: { selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "localhost/busybox:1", resources: { limits: { cpu: "100m", memory: "50Mi" } } }] } } },
});
const daemonSets = ["apis", "apps", "v1", "namespaces", "kube-system", "daemonsets"];

test("the account of deploy/rbac.yaml is told which cluster this is and who it is, the same uid each time", async () => {
  const identity = await identify(account);
  expect(identity).toMatchObject({ name: "test", server: account.server, user: "system:serviceaccount:sandglass:sandglass", simulated: false });
  expect(identity.version).toMatch(/^v1\.\d+/);
  expect(identity.uid).toBe((await identify(admin)).uid);
  expect(identity.uid).toBe((await cluster.kubectl(["get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"])).trim());
});

test("what the account may do is what its rules say, with the API server's reason", async () => {
  for (const resource of ["nodes", "pods", "events"]) expect(await can(account, { verb: "watch", group: "", resource }), resource).toMatchObject({ allowed: true, reason: expect.stringContaining("sandglass") as unknown });
  for (const question of [
    { verb: "patch", group: "apps", resource: "daemonsets", namespace: "kube-system", name: "kube-multus-ds" },
    { verb: "create", group: "", resource: "pods", subresource: "exec", namespace: "default" },
    { verb: "get", group: "", resource: "nodes", subresource: "proxy" },
    { verb: "list", group: "", resource: "secrets" },
  ]) expect(await can(account, question), JSON.stringify(question)).toMatchObject({ allowed: false, reason: expect.stringMatching(/\S/) as unknown });
  expect((await can(admin, { verb: "patch", group: "apps", resource: "daemonsets" })).allowed).toBe(true);
});

test("a request is refused in the API server's own words, and a dry run changes nothing", async () => {
  await expect(request(account, { method: "POST", segments: daemonSets, body: daemonSet("not-mine") })).rejects.toMatchObject({ status: 403, reason: "Forbidden" });
  await expect(request(admin, { segments: ["api", "v1", "nodes", "nobody"] })).rejects.toMatchObject({ status: 404, reason: "NotFound" });
  await request(admin, { method: "POST", segments: daemonSets, body: daemonSet("cni"), query: { fieldManager: "sandglass" } });
  const limits = { spec: { template: { spec: { containers: [{ name: "main", resources: { limits: { cpu: "2" } } }] } } } };
  const patch = { method: "PATCH", segments: [...daemonSets, "cni"], body: limits, contentType: "application/strategic-merge-patch+json" } as const;
  const cpu = (answer: unknown) => (answer as { spec: { template: { spec: { containers: { resources: { limits: { cpu: string } } }[] } } } }).spec.template.spec.containers[0]?.resources.limits.cpu;
  expect(cpu(await request(admin, { ...patch, query: { dryRun: "All", fieldManager: "sandglass" } }))).toBe("2");
  expect(cpu(await request(admin, { segments: patch.segments }))).toBe("100m");
});

test("a list of several pages is told whole, then each change by the watch", async () => {
  await inParallel(nodeNames(NODES), createNode);
  const { mirror, source } = watch(account, ["nodes"]);
  await eventually(() => mirror.status("nodes")?.state).toBe("watching");
  expect(mirror.keys("nodes")).toEqual(nodeNames(NODES));
  expect(mirror.object("nodes", "worker-0000")).toMatchObject({ pool: "workers", unschedulable: false });
  expect(source.status().counts.nodes).toMatchObject({ lists: 1, pages: 3, failures: 0 });

  await createNode("worker-new");
  await request(admin, { method: "PATCH", segments: ["api", "v1", "nodes", "worker-0001"], body: { spec: { unschedulable: true } }, contentType: "application/merge-patch+json" });
  await request(admin, { method: "DELETE", segments: ["api", "v1", "nodes", "worker-0002"] });
  await eventually(() => [mirror.keys("nodes").includes("worker-new"), mirror.keys("nodes").includes("worker-0002"), (mirror.object("nodes", "worker-0001") as { unschedulable: boolean }).unschedulable]).toEqual([true, false, true]);
  expect(source.status().counts.nodes).toMatchObject({ lists: 1, failures: 0, unusable: 0 });
  expect(source.status().droppedFields).toBe(0);
});

test("only pods that are bound to a node are told, and a binding is an arrival", async () => {
  await request(admin, { method: "POST", segments: ["api", "v1", "namespaces", "default", "serviceaccounts"], body: { metadata: { name: "default" } } }).catch((error: unknown) => {
    if (!(error instanceof Error && "status" in error && error.status === 409)) throw error; // it was there already
  });
  const pods = ["api", "v1", "namespaces", "default", "pods"];
  const pod = (name: string, nodeName?: string) => ({ metadata: { name }, spec: { ...(nodeName === undefined ? {} : { nodeName }), containers: [{ name: "c", image: "localhost/pause:1" }] } });
  const { mirror } = watch(account, ["pods"]);
  await eventually(() => mirror.status("pods")?.state).toBe("watching");
  await request(admin, { method: "POST", segments: pods, body: pod("unbound") });
  await request(admin, { method: "POST", segments: pods, body: pod("bound", "worker-0000") });
  await eventually(() => mirror.keys("pods").length).toBe(1);
  await request(admin, { method: "POST", segments: [...pods, "unbound", "binding"], body: { apiVersion: "v1", kind: "Binding", metadata: { name: "unbound" }, target: { kind: "Node", name: "worker-0003" } } });
  await eventually(() => mirror.keys("pods").length).toBe(2);
  const bound = mirror.keys("pods").map((key) => mirror.object("pods", key)).find((one) => (one as { name: string }).name === "unbound");
  expect(bound).toMatchObject({ node: "worker-0003", phase: "Pending" });
  expect((bound as { scheduledMs?: number }).scheduledMs).toBeGreaterThan(0);
});

test("bookmarks keep a quiet watch alive, and each stream goes on where the last one ended", async () => {
  const { mirror, source } = watch(account, ["daemonsets"], { streamSeconds: 10, statusMs: 0 });
  await eventually(() => mirror.status("daemonsets")?.state).toBe("watching");
  const listedMs = mirror.status("daemonsets")?.lastMs ?? 0;
  await eventually(() => (mirror.status("daemonsets")?.lastMs ?? 0) - listedMs).toBeGreaterThan(3_000);
  await eventually(() => source.status().counts.daemonsets?.streams).toBeGreaterThan(2);
  await request(admin, { method: "POST", segments: daemonSets, body: daemonSet("late") });
  await eventually(() => mirror.keys("daemonsets").length).toBe(2);
  expect(source.status().counts.daemonsets).toMatchObject({ lists: 1, failures: 0, gone: 0, halfLines: 0 });
});

test("events of pods are told, and the reasons that say nothing about sandboxes are left out by the API server", async () => {
  const { mirror, source } = watch(account, ["events"]);
  await eventually(() => mirror.status("events")?.state).toBe("watching");
  const event = (name: string, reason: string) => ({ metadata: { name, namespace: "default" }, involvedObject: { kind: "Pod", namespace: "default", name: "bound" }, reason, message: "it \u001b[31mfailed", type: "Warning", firstTimestamp: "2026-11-30T09:00:00Z", lastTimestamp: "2026-11-30T09:00:00Z", count: 1 });
  for (const reason of ["Pulled", "Scheduled", "FailedCreatePodSandBox", "SandboxChanged"]) await request(admin, { method: "POST", segments: ["api", "v1", "namespaces", "default", "events"], body: event(`e-${reason.toLowerCase()}`, reason) });
  await eventually(() => mirror.keys("events").length).toBe(2);
  expect(mirror.keys("events").map((key) => mirror.object("events", key))).toEqual(expect.arrayContaining([expect.objectContaining({ reason: "SandboxChanged", message: "it ␛[31mfailed" })]) as unknown);
  expect(source.status().counts.events).toMatchObject({ failures: 0 });
});

test("a continue token that compaction made worthless, and a version that it took away, cost one more list each", async () => {
  let slow = true;
  const late: Connection = {
    ...account,
    send: async (wire) => {
      if (slow && wire.path.includes("continue=")) {
        slow = false;
        await new Promise((resolve) => setTimeout(resolve, COMPACTED_MS));
      }
      return account.send(wire);
    },
  };
  const paged = watch(late, ["nodes"]);
  // The API server keeps no cache of events, so that an old version is etcd's own 410.
  let old = true;
  const behind: Connection = {
    ...account,
    send: (wire) => {
      const replaced = old && wire.path.includes("watch=") ? wire.path.replace(/resourceVersion=\d+/, "resourceVersion=2") : wire.path;
      if (replaced !== wire.path) old = false;
      return account.send({ ...wire, path: replaced });
    },
  };
  const events = watch(behind, ["events"]);
  await eventually(() => paged.mirror.status("nodes")?.state).toBe("watching");
  expect(paged.mirror.keys("nodes").length).toBe(NODES);
  expect(paged.source.status().counts.nodes).toMatchObject({ lists: 2, gone: 1, failures: 0 });
  await eventually(() => events.source.status().counts.events).toMatchObject({ lists: 2, gone: 1, failures: 0 });
  await eventually(() => events.mirror.status("events")?.state).toBe("watching");
});

test("an account without rights sees nothing and is told which right each kind needs; one kind more is seen once granted", async () => {
  const stranger = await connect(await cluster.stranger());
  ending.push(() => stranger.close());
  const { uid } = await identify(stranger);
  expect(uid).toMatch(/^server-/);
  const { mirror } = watch(stranger, ["nodes", "pods", "events", "daemonsets"], { slowMs: 1_000 });
  for (const kind of ["nodes", "pods", "events", "daemonsets"] as const) {
    await eventually(() => mirror.status(kind)).toMatchObject({ state: "forbidden", reason: expect.stringContaining(`list and watch ${kind}`) as unknown });
  }
  await cluster.apply(
    JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [
        { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "nodes-only" }, rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] }] },
        { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding", metadata: { name: "nodes-only" }, roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "nodes-only" }, subjects: [{ kind: "ServiceAccount", name: "stranger", namespace: "sandglass" }] },
      ],
    }),
  );
  await eventually(() => mirror.status("nodes")?.state).toBe("watching");
  expect(mirror.keys("nodes")).toHaveLength(NODES);
  expect(mirror.status("pods")?.state).toBe("forbidden");
});

test("a CRD that does not exist is absent, and its objects are told once it does", async () => {
  const { mirror } = watch(account, ["nads"], { slowMs: 1_000 });
  await eventually(() => mirror.status("nads")?.state).toBe("absent");
  const group = "k8s.cni.cncf.io";
  await cluster.apply(
    JSON.stringify({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `network-attachment-definitions.${group}` },
      spec: { group, scope: "Namespaced", names: { plural: "network-attachment-definitions", singular: "network-attachment-definition", kind: "NetworkAttachmentDefinition" }, versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { config: { type: "string" } } } } } } }] },
    }),
  );
  await eventually(() => mirror.status("nads")?.state).toBe("watching");
  await request(admin, { method: "POST", segments: ["apis", group, "v1", "namespaces", "default", "network-attachment-definitions"], body: { apiVersion: `${group}/v1`, kind: "NetworkAttachmentDefinition", metadata: { name: "vlan" }, spec: { config: '{"type":"macvlan"}' } } });
  await eventually(() => mirror.object("nads", "default/vlan")).toMatchObject({ pluginTypes: ["macvlan"] });
});

test("a token that has expired is refused in one sentence at the start, and named in the status of a watch", async () => {
  const token = expired((await cluster.kubectl(["-n", "sandglass", "create", "token", "sandglass", "--duration=600s"])).trim());
  const config = JSON.parse(await cluster.kubectl(["config", "view", "--raw", "-o", "json"])) as { users: { name: string }[] };
  const file = path.join(cluster.dir, "conf", "expired.kubeconfig");
  await writeFile(file, JSON.stringify({ ...config, users: [{ name: config.users[0]?.name, user: { token } }] }), { mode: 0o600 });
  const connection = await connect(file);
  ending.push(() => connection.close());
  const error = await identify(connection).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConnectError);
  expect(error).toMatchObject({ code: "unauthorized", message: expect.stringMatching(/does not accept the credentials .* sign in again or make a new kubeconfig\.$/) as unknown });
  const { mirror } = watch(connection, ["nodes"]);
  await eventually(() => mirror.status("nodes")).toMatchObject({ state: "failing", reason: expect.stringContaining("does not accept our credentials") as unknown });
});

test("an API server that is killed is failing with its age, and all is right again once it is back", async () => {
  const { mirror, source } = watch(account, ["nodes", "pods", "daemonsets"]);
  for (const kind of ["nodes", "pods", "daemonsets"] as const) await eventually(() => mirror.status(kind)?.state).toBe("watching");
  const start = await killApiServer();
  for (const kind of ["nodes", "pods", "daemonsets"] as const) {
    await eventually(() => mirror.status(kind)).toMatchObject({ state: "failing", failingSinceMs: expect.any(Number) as unknown, reason: expect.stringMatching(/No API server answers|broke/) as unknown });
  }
  expect(mirror.keys("nodes")).toHaveLength(NODES);
  // A connection that was kept breaks when it is used; a new one is refused.
  await expect(identify(account)).rejects.toMatchObject({ code: expect.stringMatching(/^(refused|connection-lost)$/) as unknown });
  await start();
  await eventually(async () => (await cluster.kubectl(["get", "--raw", "/readyz"]).catch(() => "")).trim()).toBe("ok");
  await request(admin, { method: "DELETE", segments: ["api", "v1", "nodes", "worker-0005"] });
  await eventually(() => mirror.keys("nodes").length).toBe(NODES - 1);
  for (const kind of ["nodes", "pods", "daemonsets"] as const) await eventually(() => mirror.status(kind)?.state).toBe("watching");
  expect(mirror.status("nodes")).not.toHaveProperty("failingSinceMs");
  expect(source.status().counts.nodes?.unusable).toBe(0);
});

/** The same token as the API server gave, but from two hours ago: signed by the cluster's own key, as time would have made it. */
function expired(token: string): string {
  const [header = "", payload = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as { exp: number; iat: number; nbf: number };
  const past = Buffer.from(JSON.stringify({ ...claims, iat: claims.iat - 7_200, nbf: claims.nbf - 7_200, exp: claims.exp - 7_200 })).toString("base64url");
  const key = createPrivateKey(readFileSync(path.join(cluster.dir, "pki/service-account.key")));
  return `${header}.${past}.${sign("sha256", Buffer.from(`${header}.${past}`), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

/** Ends the cluster's API server by force; the returned function starts it again just as it was. */
async function killApiServer(): Promise<() => Promise<void>> {
  const [pid = ""] = readFileSync(path.join(cluster.dir, "pids/kube-apiserver"), "utf8").split(" ");
  const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter((part) => part !== "");
  const inLib = async (script: string, ...args: readonly string[]) =>
    void (await promisify(execFile)("bash", ["-c", `. "$0"; ${script}`, path.join(SCRIPTS, "lib.sh"), ...args], { env: { ...process.env, ...cluster.env }, timeout: WAIT_MS }));
  await inLib("stop kube-apiserver KILL");
  return () => inLib('launch kube-apiserver "$@"', ...command);
}
