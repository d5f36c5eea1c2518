import type { KnownDaemonSets } from "../../server/domain/cluster-changes";
import type { Observation } from "../../server/domain/observation";
import type { PodObject } from "../../server/domain/model";
import { systemClock } from "../../server/clock";
import { createLog } from "../../server/log";
import { loadConnection } from "../../server/sources/kube-api/connect";
import { startKubeApiSource } from "../../server/sources/kube-api/source";
import { clusterMissing, startCluster, type Cluster } from "../setup/cluster";
import { expect, test } from "../setup/test";

/** What the API server and its controllers make of a DaemonSet: revisions of its template, and pods into which a LimitRange was written. */
const missing = clusterMissing();
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "serial" });

const WAIT_MS = 120_000;
const MI = 2 ** 20;
const SECRET = "hunter2-do-not-show";
let cluster: Cluster;

interface Seen {
  readonly all: readonly Observation[];
  stop(): Promise<void>;
}

test.beforeAll(async () => {
  cluster = await startCluster();
});
test.afterAll(() => cluster?.stop());

/** Watches as Sandglass does, with the account of this kubeconfig. */
async function watch(kubeconfig: string, knownDaemonSets?: KnownDaemonSets): Promise<Seen> {
  const connection = await loadConnection({ kubeconfig, environment: { home: "/nonexistent" } });
  if (connection === undefined) throw new Error(`no connection from ${kubeconfig}`);
  const all: Observation[] = [];
  const source = startKubeApiSource({ connection, observe: (one) => void all.push(one), clock: systemClock, log: createLog("silent", "test"), ...(knownDaemonSets === undefined ? {} : { knownDaemonSets }), isDaemonPod: (_, daemonSet) => daemonSet !== undefined });
  return {
    all,
    stop: async () => {
      await source.stop();
      await connection.close();
    },
  };
}
const eventually = (look: () => unknown) => expect.poll(look, { timeout: WAIT_MS, intervals: [100] });
const listed = (seen: Seen) => seen.all.some((one) => one.type === "daemonset" && one.object.name === "cni-of-test" && one.object.observedGeneration === one.object.generation);
const revisionsOf = (seen: Seen) => seen.all.filter((one) => one.type === "revisions");

const daemonSet = (main: object, more: object = {}) =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "cni-of-test", namespace: "kube-system" },
    spec: {
      selector: { matchLabels: { app: "cni-of-test" } },
      template: { metadata: { labels: { app: "cni-of-test" } }, spec: { initContainers: [{ name: "install", image: "localhost/installer:1" }], containers: [{ name: "main", image: "localhost/cni:1", args: ["--v=2"], ...main }], tolerations: [{ operator: "Exists" }], ...more } },
    },
  });

test("a change of a DaemonSet is told once with what differs between its revisions, and without its secrets", async () => {
  await cluster.apply(daemonSet({ env: [{ name: "ETCD_PASSWORD", value: `${SECRET}-1` }] }));
  const account = await watch(await cluster.account());
  try {
    await eventually(() => listed(account)).toBe(true);
    expect(revisionsOf(account), "what is there at the start is no rollout").toEqual([]);
    await cluster.apply(daemonSet({ image: "localhost/cni:2", args: ["--v=4"], env: [{ name: "ETCD_PASSWORD", value: `${SECRET}-2` }], resources: { limits: { cpu: "2" } } }, { hostPID: true }));
    await eventually(() => revisionsOf(account).length).toBe(1);
    const [told] = revisionsOf(account);
    expect(told).toMatchObject({
      generation: 2,
      reading: {
        looked: true,
        from: 1,
        to: 2,
        lines: [
          "- main: image localhost/cni:1",
          "- main: argument --v=2",
          "- main: env ETCD_PASSWORD = (removed)",
          "- main: CPU limit none, request none; memory limit none, request none",
          "+ main: image localhost/cni:2",
          "+ main: argument --v=4",
          "+ main: env ETCD_PASSWORD = (removed), another value",
          "+ main: CPU limit 2 CPU, request none; memory limit none, request none",
        ],
        others: ["spec.hostPID"],
      },
    });
    expect(JSON.stringify(account.all)).not.toContain(SECRET);
  } finally {
    await account.stop();
  }
  // Nobody looks while it is changed once more; the next start knows what was there before.
  const items = account.all.flatMap((one) => (one.type === "daemonset" && one.object.name === "cni-of-test" && one.object.generation === 2 ? [one.object] : [])).slice(-1);
  const pause = { items, lastMs: Date.now() };
  await new Promise((resolve) => setTimeout(resolve, 1_100)); // the API server's times are whole seconds
  await cluster.apply(daemonSet({ image: "localhost/cni:2", args: ["--v=5"], env: [{ name: "ETCD_PASSWORD", value: `${SECRET}-2` }], resources: { limits: { cpu: "2" } } }, { hostPID: true }));
  const next = await watch(await cluster.account(), pause);
  try {
    await eventually(() => revisionsOf(next).map(({ generation, reading }) => ({ generation, ...reading, madeMs: undefined }))).toEqual([{ generation: 3, looked: true, from: 2, to: 3, madeMs: undefined, lines: ["- main: argument --v=4", "+ main: argument --v=5"], others: [] }]);
    expect(revisionsOf(next)[0]?.reading).toMatchObject({ madeMs: expect.any(Number) });
  } finally {
    await next.stop();
  }
});

test("an account that may not list revisions is told so, and the rollout is told all the same", async () => {
  const stranger = await cluster.stranger();
  await cluster.apply(
    JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [
        { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "daemonsets-only" }, rules: [{ apiGroups: ["apps"], resources: ["daemonsets"], verbs: ["list", "watch"] }] },
        { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding", metadata: { name: "daemonsets-only" }, roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "daemonsets-only" }, subjects: [{ kind: "ServiceAccount", name: "stranger", namespace: "sandglass" }] },
      ],
    }),
  );
  const seen = await watch(stranger);
  try {
    await eventually(() => listed(seen)).toBe(true);
    await cluster.apply(daemonSet({ image: "localhost/cni:3" }));
    await eventually(() => revisionsOf(seen).map((one) => one.reading)).toEqual([{ looked: false, reason: "the right to list controllerrevisions.apps is missing" }]);
  } finally {
    await seen.stop();
  }
});

test("what a LimitRange filled in stands in the pod, with the API server's note of it, container by container", async () => {
  await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "LimitRange", metadata: { name: "defaults", namespace: "kube-system" }, spec: { limits: [{ type: "Container", default: { memory: "256Mi" }, defaultRequest: { memory: "64Mi" } }] } }));
  await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "worker-1" } }));
  await cluster.apply(daemonSet({ image: "localhost/cni:4", resources: { limits: { memory: "128Mi" } } }));
  const account = await watch(await cluster.account());
  const pods = (): readonly PodObject[] => account.all.flatMap((one) => (one.type === "pod" && one.object.owner === "DaemonSet/cni-of-test" ? [one.object] : []));
  try {
    await eventually(() => pods().some(({ daemon }) => daemon?.images?.["main"] === "localhost/cni:4")).toBe(true);
    const pod = pods().find(({ daemon }) => daemon?.images?.["main"] === "localhost/cni:4");
    expect(pod?.daemon?.containers).toEqual([
      { name: "install", init: true, memoryLimitBytes: 256 * MI, memoryRequestBytes: 64 * MI },
      { name: "main", init: false, memoryLimitBytes: 128 * MI, memoryRequestBytes: 128 * MI },
    ]);
    expect(pod?.daemon?.filledIn).toEqual([{ container: "install", init: true, limits: ["memory"], requests: ["memory"] }]);
    expect(pod?.requests).toEqual({ cpuCores: 0, memoryBytes: 128 * MI });
  } finally {
    await account.stop();
  }
});
