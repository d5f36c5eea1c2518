import { readFileSync } from "node:fs";
import { expect, test } from "../setup/test";
import { systemClock } from "../../server/clock";
import { parseNodeName } from "../../server/domain/ids";
import { advanceContainers, createContainersState } from "../../server/domain/metrics/containers";
import { deadline } from "../../server/domain/metrics/deadline";
import { advanceOperations, createOperationsState } from "../../server/domain/metrics/operations";
import type { Observation } from "../../server/domain/observation";
import type { Sample, SignalId } from "../../server/domain/signals";
import { createLog } from "../../server/log";
import { makeAuthority } from "../../server/pki";
import { loadConnection } from "../../server/sources/kube-api/connect";
import { pathOf } from "../../server/sources/kube-api/path";
import { errorOf } from "../../server/sources/kube-api/request";
import type { NodeTarget } from "../../server/sources/kubelet/address";
import { createDirectFetch } from "../../server/sources/kubelet/direct";
import { explain } from "../../server/sources/kubelet/failures";
import type { KubeletFetch } from "../../server/sources/kubelet/fetch";
import { createProxyFetch } from "../../server/sources/kubelet/proxy";
import { readConfigz, readKubeletMetrics } from "../../server/sources/kubelet/read-page";
import { startKubeletSource } from "../../server/sources/kubelet/scraper";
import type { NodeDetail, Status } from "../../server/contract/schemas";
import { clusterMissing, startCluster, type Cluster } from "../setup/cluster";
import { clusterArgs, startProduct, until } from "../setup/product";

const options = { node: true, runtimeTimeout: "20s" };
const missing = clusterMissing(options);
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "serial" });

const WAIT_MS = 120_000;
type KubeletObservation = Extract<Observation, { source: "kubelet" }>;

const nodeName = (text: string): NodeTarget["name"] => {
  const name = parseNodeName(text);
  if (name === undefined) throw new Error(`not a node name: ${text}`);
  return name;
};
const node: NodeTarget = { name: nodeName("node-1"), kubeletPort: 10_250, addresses: [{ type: "InternalIP", address: "10.99.0.10" }] };

/** Burns its CPU limit of 100m, so it is throttled in nearly every period. */
const BURNING_POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "burner", namespace: "default" },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [{ name: "burn", image: "localhost/busybox:1", imagePullPolicy: "Never", command: ["busybox", "sh", "-c", "while :; do :; done"], resources: { limits: { cpu: "100m", memory: "64Mi" } } }],
  },
};

let cluster: Cluster;
test.beforeAll(async () => {
  cluster = await startCluster(options);
});
test.afterAll(async () => {
  await cluster?.stop();
});

interface Asking {
  readonly kubeconfig?: string;
  readonly ca?: string;
}

/** The kubelet's own port, as the token of that kubeconfig, with the cluster's authority. */
function direct({ kubeconfig, ca }: Asking = {}): KubeletFetch {
  const token = kubeconfig === undefined ? undefined : /"token":\s*"([^"]+)"/.exec(readFileSync(kubeconfig, "utf8"))?.[1];
  const authorities = ca ?? readFileSync(cluster.caFile, "utf8");
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return createDirectFetch({
    tls: { mode: "verify", authorities: () => authorities, pins: { known: () => undefined, firstSeen: () => {}, shown: () => {}, changed: () => {} } },
    credentials: () => Promise.resolve({ headers }),
    overrides: new Map(["node-1", "node-2"].map((name) => [name, cluster.kubeletUrl ?? "none"])),
  });
}

async function statusOf(fetch: KubeletFetch, page: "metrics" | "cadvisor" | "configz", target = node): Promise<number> {
  const answer = await fetch.get(target, page, AbortSignal.timeout(15_000));
  for await (const _ of answer.body);
  return answer.status;
}

test("the account of deploy/rbac.yaml reads all three pages of a real kubelet, and what they give is what happens on the node", async () => {
  const fetch = direct({ kubeconfig: await cluster.account() });
  const seen: KubeletObservation[] = [];
  const source = startKubeletSource({
    nodes: () => [node],
    fetch,
    clock: systemClock,
    log: createLog("silent", "test"),
    observe: (observation) => void (observation.source === "kubelet" && seen.push(observation)),
    wanted: (namespace) => namespace === "default",
    cadvisorFast: () => true,
    random: () => 0.5,
  });
  try {
    // The base of every increment is a page from before the pod.
    await expect.poll(() => seen.some(({ type }) => type === "metrics"), { timeout: WAIT_MS }).toBe(true);
    await cluster.apply(JSON.stringify(BURNING_POD));
    await cluster.kubectl(["wait", "--for=condition=Ready", "pod/burner", "--timeout=90s"], { timeoutMs: 100_000 });

    const told = (): Partial<Record<SignalId, number>> => Object.fromEntries(samplesOf(seen).map(({ signal, value }) => [signal, value]));
    await expect.poll(told, { timeout: WAIT_MS }).toMatchObject({
      "cri.run_sandbox.calls": 1,
      "cri.run_sandbox.errors": 0,
      "cri.stop_sandbox.errors": 0,
      "cri.run_sandbox.p95.low": expect.any(Number),
      "cri.run_sandbox.p95.high": expect.any(Number),
      "daemon.cpu.throttled_share": expect.any(Number),
      "daemon.memory.working_set": expect.any(Number),
    });
    // Its first page may be from the moment in which the container began, with hardly a period behind it.
    await expect.poll(() => told()["daemon.cpu.throttled_share"], { timeout: WAIT_MS }).toBeGreaterThan(0.5);
    expect(told()["daemon.memory.working_set"]).toBeLessThan(64 * 1024 * 1024);

    const timeouts = seen.flatMap((observation) => (observation.type === "configz" ? [observation.runtimeRequestTimeoutSeconds] : []));
    expect(timeouts).toEqual([20]);
    expect(deadline(timeouts[0])).toEqual({ seconds: 40, assumed: false });
    expect(seen.filter(({ type }) => type === "failed")).toEqual([]);
    expect(source.status()).toMatchObject({ mode: "direct", tls: "verify", scraped: 1, failing: 0, skipped: 0 });
  } finally {
    await source.stop();
  }
});

/** What the pages seen so far give, with the burning pod in the place of a CNI daemon; the newest of each signal last. */
function samplesOf(seen: readonly KubeletObservation[]): Sample[] {
  let operations = createOperationsState();
  let containers = createContainersState();
  return seen.flatMap((observation) => {
    if (observation.type === "metrics") {
      const step = advanceOperations(operations, observation.metrics, observation.atMs);
      operations = step.state;
      return step.samples;
    }
    if (observation.type !== "cadvisor") return [];
    const step = advanceContainers(containers, observation.metrics, observation.atMs, (_namespace, pod) => pod === "burner");
    containers = step.state;
    return step.samples;
  });
}

test("a kubelet refuses who it does not know, and who has no right", async () => {
  expect(await statusOf(direct(), "metrics")).toBe(401);
  const stranger = direct({ kubeconfig: await cluster.stranger() });
  for (const page of ["metrics", "cadvisor", "configz"] as const) expect.soft(await statusOf(stranger, page), page).toBe(403);
});

test("a real kubelet is refused where its certificate does not fit", async () => {
  const account = await cluster.account();
  const day = 86_400_000;
  const other = await makeAuthority("another", { notBeforeMs: Date.now() - day, notAfterMs: Date.now() + day });
  const faultOf = (fetch: KubeletFetch, target: NodeTarget) => statusOf(fetch, "metrics", target).then(() => "accepted", (error: unknown) => explain(error).message);
  expect(await faultOf(direct({ kubeconfig: account, ca: other.certPem }), node)).toContain("certificate not trusted");
  expect(await faultOf(direct({ kubeconfig: account }), { name: nodeName("node-2"), addresses: [{ type: "InternalIP", address: "10.99.0.11" }] })).toContain("certificate names another host");
});

test("the product started with an administrator's kubeconfig and no --kubelet asks kubelets through the API server", async () => {
  const product = await startProduct({ args: ["--kubeconfig", cluster.kubeconfig] });
  try {
    const kubelet = await until("the kubelet read", WAIT_MS, async () => {
      const { kubelet: found } = await product.api<Status>("/api/v1/status");
      return found?.scraped === 1 ? found : undefined;
    });
    expect(kubelet).toMatchObject({ mode: "proxy", failing: 0 });
    const { sources } = await product.api<NodeDetail>("/api/v1/nodes/node-1");
    expect(sources.find(({ source }) => source === "kubelet")).toMatchObject({ freshness: "fresh" });
  } finally {
    await product.stop();
  }
});

test("the product started as the account of deploy/rbac.yaml and no --kubelet asks kubelets directly, since it may not get nodes/proxy", async () => {
  // The node's own address leads nowhere from here: its kubelet is reached by the forwarded port.
  const product = await startProduct({ args: (await clusterArgs(cluster)).filter((arg, index, all) => arg !== "--kubelet" && all[index - 1] !== "--kubelet") });
  try {
    const kubelet = await until("the kubelet read", WAIT_MS, async () => {
      const { kubelet: found } = await product.api<Status>("/api/v1/status");
      return found?.scraped === 1 ? found : undefined;
    });
    expect(kubelet).toMatchObject({ mode: "direct", failing: 0 });
  } finally {
    await product.stop();
  }
});

test("an administrator reads the same pages through the API server", async () => {
  const connection = await loadConnection({ kubeconfig: cluster.kubeconfig, environment: { home: cluster.dir } });
  if (connection === undefined) throw new Error("no connection from the administrator's kubeconfig");
  const fetch = createProxyFetch(async (target, page, { signal, accept }) => {
    const answer = await connection.send({ method: "GET", path: pathOf(["api", "v1", "nodes", target, "proxy", ...page.split("/").filter((part) => part !== "")]), headers: { accept }, signal, headersTimeoutMs: 15_000, bodyTimeoutMs: 15_000 });
    if (answer.status >= 400) throw await errorOf(answer, connection.server);
    return answer.body;
  });
  try {
    const metrics = await readKubeletMetrics(await fetch.get(node, "metrics", AbortSignal.timeout(20_000)));
    expect(metrics.operations["list_podsandbox"]?.buckets.length).toBe(15);
    expect(await readConfigz(await fetch.get(node, "configz", AbortSignal.timeout(20_000)))).toBe(20);
  } finally {
    await connection.close();
  }
});
