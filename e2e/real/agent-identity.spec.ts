import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { randomUUID } from "node:crypto";
import { expect, test } from "../setup/test";
import { clusterMissing, startCluster, type Cluster } from "../setup/cluster";
import { AGENT_IMAGE, importAgentImage } from "../setup/agent-image";
import { BUNDLE, NODE, clusterArgs, startProduct, until, type Product } from "../setup/product";
import { freePort } from "../../server/dev/free-port";
import { packed, post, sampleReport, type Answer } from "../../server/sources/agent/testing";
import { AGENT_AUDIENCE, type AgentReport } from "@/server/domain/agent-report";
import type { ActionOffers, ActionRunDetail, DryRun, NodeDetail, Status, Visibility } from "@/server/contract/schemas";

/** Agents whose identity is a service-account token: a real API server issues and reviews them, and a real kubelet runs deploy/agent.yaml. */
const options = { node: true };
const missing = clusterMissing(options);
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "serial" });

const MANIFEST = path.resolve(import.meta.dirname, "../../deploy/agent.yaml");
const NAMESPACE = "sandglass-agent";
const ACCOUNT = "sandglass-agent";

let cluster: Cluster;
let product: Product;
let agentPort: number;
let metricsPort: number;
let dataDir: string | undefined;
let args: readonly string[];
let ca: string;
test.beforeAll(async () => {
  cluster = await startCluster(options);
  await cluster.kubectl(["create", "namespace", NAMESPACE]);
  await cluster.kubectl(["-n", NAMESPACE, "create", "serviceaccount", ACCOUNT]);
  agentPort = await freePort();
  metricsPort = await freePort();
  dataDir = mkdtempSync(path.join(os.tmpdir(), "sandglass-data-"));
  args = [...(await clusterArgs(cluster)), "--allow-actions", "--agent-port", String(agentPort), "--metrics-port", String(metricsPort)];
  product = await startProduct({ args, dataDir });
  ca = readFileSync(path.join(product.dataDir, "agents/ca.crt"), "utf8");
});
test.afterAll(async () => {
  await product?.stop();
  await cluster?.stop();
  if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

const issue = async (flags: readonly string[], account = ACCOUNT, namespace = NAMESPACE): Promise<string> => (await cluster.kubectl(["-n", namespace, "create", "token", account, "--duration=1h", ...flags])).trim();
const boundTo = (node: string): readonly string[] => [`--audience=${AGENT_AUDIENCE}`, "--bound-object-kind=Node", `--bound-object-name=${node}`];
const send = (token: string, over: Partial<AgentReport> = {}): Promise<Answer> => post({ port: agentPort, ca, token, ...packed(sampleReport({ startId: randomUUID(), atMs: Date.now(), ...over })) });
const agents = async () => (await product.api<Status>("/api/v1/status")).agents;

test("a token bound to a node speaks for that node and for no other", async () => {
  const token = await issue(boundTo("node-1"));
  expect(await send(token)).toMatchObject({ status: 200, body: { version: 1 } });
  expect(await send(token, { node: "node-2" })).toMatchObject({ status: 403, body: { reason: "other-node" } });
  await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "node-2" } }));
  const joined = await issue(boundTo("node-2"));
  const startId = randomUUID();
  await until("a report of the new node", 60_000, async () => ((await send(joined, { node: "node-2", startId })).status === 200 ? true : undefined));
  expect(await send(joined)).toMatchObject({ status: 403, body: { reason: "other-node" } });
  await cluster.kubectl(["delete", "node", "node-2"]);
  const gone = await until("the refusal of a node that left", 60_000, async () => {
    const answer = await send(joined, { node: "node-2", startId, sequence: 2 });
    return answer.status === 404 ? answer : undefined;
  });
  expect(gone).toMatchObject({ headers: { "content-type": "application/problem+json", "retry-after": expect.any(String) }, body: { reason: "unlisted-node" } });
  await expect.poll(async () => (await agents())?.dropped["unlisted-node"], { timeout: 60_000 }).toBeGreaterThanOrEqual(1);
  await expect.poll(async () => (await agents())?.dropped["other-node"], { timeout: 60_000 }).toBe(2);
});

test("a report that comes twice is taken once", async () => {
  const token = await issue(boundTo("node-1"));
  const startId = randomUUID();
  expect((await send(token, { startId, sequence: 5 })).status).toBe(200);
  expect(await send(token, { startId, sequence: 5 })).toMatchObject({ status: 409, body: { reason: "replayed" } });
});

test("what an agent says that it gave up is on the node's page, in the answers and in the metrics; of one that does not tell it is not known", async ({ page }) => {
  const token = await issue(boundTo("node-1"));
  const startId = randomUUID();
  expect((await send(token, { startId, sequence: 1 })).status).toBe(200);
  const known = async () => (await product.api<NodeDetail>("/api/v1/nodes/node-1"));
  const fresh = (detail: NodeDetail): boolean => detail.sources.find(({ source }) => source === "agent")?.freshness === "fresh";
  await until("the older agent", 15_000, async () => (fresh(await known()) ? true : undefined));
  expect(await known()).not.toHaveProperty("lostReports");
  const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`)).text();
  await expect.poll(metrics, { timeout: 20_000 }).toContain('sandglass_agents_telling_losses{tells="no"} 1');
  expect(await metrics()).not.toContain("sandglass_agent_reports_lost{");
  const toMs = Date.now() - 60_000;
  expect((await send(token, { startId, sequence: 2, lostReports: { thinned: 30, tooOld: 7, fromMs: toMs - 600_000, toMs } })).status).toBe(200);
  const detail = await until("the loss", 15_000, async () => ((await known()).lostReports === undefined ? undefined : known()));
  expect(detail.lostReports).toMatchObject({ thinned: 30, tooOld: 7, to: expect.stringContaining("T") });
  expect(detail.blind.map(({ reason }) => reason).join()).toContain("it gave up 37 reports");
  expect((await product.api<Visibility>("/api/v1/visibility")).nodes).toMatchObject([{ name: "node-1", lostReports: { thinned: 30, tooOld: 7 } }]);
  await expect.poll(metrics, { timeout: 20_000 }).toContain('sandglass_agent_reports_lost{reason="thinned"} 30');
  await page.goto(`${product.url}/nodes/node-1`);
  await expect(page.getByRole("region", { name: /What Sandglass cannot see here/ })).toContainText("it gave up 37 reports");
  await expect(page.getByLabel("Causes, proof and sources")).toContainText("It gave up 37 reports that it could not send, made from");
  await page.goto(`${product.url}/visibility`);
  await expect(page.getByRole("region", { name: /What agents send/ })).toContainText("node-1: 37");
});

test("a token bound to a pod speaks for the node that the pod runs on", async () => {
  await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "carrier", namespace: NAMESPACE }, spec: { serviceAccountName: ACCOUNT, nodeName: "node-1", hostNetwork: true, tolerations: [{ operator: "Exists" }], terminationGracePeriodSeconds: 0, containers: [{ name: "c", image: "localhost/busybox:1", imagePullPolicy: "Never", command: ["sleep", "3600"] }] } }));
  const token = await issue([`--audience=${AGENT_AUDIENCE}`, "--bound-object-kind=Pod", "--bound-object-name=carrier"]);
  expect((await send(token)).status).toBe(200);
  expect(await send(token, { node: "node-2" })).toMatchObject({ status: 403, body: { reason: "other-node" } });
  await cluster.kubectl(["-n", NAMESPACE, "delete", "pod", "carrier", "--wait=false"]);
});

test("an agent whose token is refused, since its pod was made anew, keeps its reports and goes on once the file holds a fresh one", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-agent-"));
  const file = path.join(folder, "token");
  const remake = async (): Promise<void> => {
    await cluster.kubectl(["-n", NAMESPACE, "delete", "pod", "rotating", "--ignore-not-found", "--grace-period=0", "--force"]);
    await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "rotating", namespace: NAMESPACE }, spec: { serviceAccountName: ACCOUNT, nodeName: "node-1", hostNetwork: true, tolerations: [{ operator: "Exists" }], terminationGracePeriodSeconds: 0, containers: [{ name: "c", image: "localhost/busybox:1", imagePullPolicy: "Never", command: ["sleep", "3600"] }] } }));
  };
  /** In one step, as the kubelet does. */
  const exchange = async (): Promise<void> => {
    writeFileSync(`${file}.new`, await issue([`--audience=${AGENT_AUDIENCE}`, "--bound-object-kind=Pod", "--bound-object-name=rotating"]));
    renameSync(`${file}.new`, file);
  };
  const isGood = async (token: string): Promise<boolean> =>
    (JSON.parse(await cluster.kubectl(["create", "-f", "-", "-o", "json"], { input: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token, audiences: [AGENT_AUDIENCE] } }) })) as { status: { authenticated?: boolean } }).status.authenticated === true;
  const taken = async (): Promise<number> => (await agents())?.accepted ?? 0;
  await remake();
  await exchange();
  const before = await taken();
  mkdirSync(path.join(folder, "root"));
  const agent = spawn(NODE, [BUNDLE, "agent", "--node", "node-1", "--period", "1s", "--push", `https://127.0.0.1:${String(agentPort)}`, "--token-file", file, "--ca-file", path.join(product.dataDir, "agents/ca.crt"), "--host-root", path.join(folder, "root"), "--cri-socket", "none"], { stdio: "ignore" });
  const ended = once(agent, "exit");
  try {
    await until("reports by the first token", 60_000, async () => ((await taken()) >= before + 2 ? true : undefined));
    await remake();
    // What the API server said of the first token holds for minutes; a server that starts anew has to ask.
    await product.stop();
    await until("the API server to have forgotten it too, which takes 10 s", 30_000, async () => ((await isGood(readFileSync(file, "utf8"))) ? undefined : true));
    product = await startProduct({ args, port: product.port, ...(dataDir === undefined ? {} : { dataDir }) });
    await until("the refusal of the first token", 60_000, async () => (((await agents())?.dropped["unknown-token"] ?? 0) >= 1 ? true : undefined));
    expect(await taken()).toBe(0);
    await exchange();
    await until("reports by the second token", 90_000, async () => ((await taken()) >= 3 ? true : undefined));
    const detail = await until("the agent to be heard", 30_000, async () => {
      const one = await product.api<NodeDetail>("/api/v1/nodes/node-1");
      return one.sources.find(({ source }) => source === "agent")?.freshness === "fresh" && one.lostReports !== undefined ? one : undefined;
    });
    expect(detail.lostReports, "what was made meanwhile has arrived").toEqual({ thinned: 0, tooOld: 0 });
  } finally {
    agent.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
    await cluster.kubectl(["-n", NAMESPACE, "delete", "pod", "rotating", "--ignore-not-found", "--wait=false"]);
  }
});

test("another audience, another account, and a token bound to nothing are refused, each with its reason", async () => {
  expect(await send(await issue(["--bound-object-kind=Node", "--bound-object-name=node-1"]))).toMatchObject({ status: 401, body: { reason: "unknown-token" } });
  expect(await send(await issue(["--audience=another", "--bound-object-kind=Node", "--bound-object-name=node-1"]))).toMatchObject({ status: 401, body: { reason: "unknown-token" } });
  await cluster.kubectl(["-n", "default", "create", "serviceaccount", ACCOUNT]);
  for (const [account, namespace] of [["default", NAMESPACE], [ACCOUNT, "default"]] as const) {
    expect(await send(await issue(boundTo("node-1"), account, namespace))).toMatchObject({ status: 401, body: { reason: "other-account" } });
  }
  expect(await send(await issue([`--audience=${AGENT_AUDIENCE}`]))).toMatchObject({ status: 401, body: { reason: "unbound-token" } });
});

test("a token that says what a good one says, but that the API server did not sign, is refused", async () => {
  const [header, claims, signature] = (await issue(boundTo("node-1"))).split(".");
  const forged = JSON.parse(Buffer.from(claims ?? "", "base64url").toString("utf8")) as Record<string, unknown>;
  const changed = Buffer.from(JSON.stringify({ ...forged, jti: "forged" })).toString("base64url");
  expect(await send(`${header}.${changed}.${signature}`)).toMatchObject({ status: 401, body: { reason: "unknown-token" } });
});

test("the agents' token is useless at the API server", async () => {
  const { cluster: { server } } = (JSON.parse(await cluster.kubectl(["config", "view", "--raw", "-o", "json"])) as { clusters: [{ cluster: { server: string } }] }).clusters[0];
  const failed = await cluster.kubectl(["--kubeconfig=/dev/null", `--server=${server}`, `--certificate-authority=${cluster.caFile}`, `--token=${await issue(boundTo("node-1"))}`, "get", "--raw", "/api"]).then(String, (error: unknown) => String(error));
  expect(failed).toMatch(/Unauthorized|must be logged in/);
});

test("without the right to review tokens, agents are told to come back, and the status says which right is missing", async () => {
  await cluster.kubectl(["get", "clusterrole", "sandglass", "-o", "json"]).then(async (text) => {
    const role = JSON.parse(text) as { rules: { resources: string[] }[] };
    await cluster.apply(JSON.stringify({ ...role, rules: role.rules.filter(({ resources }) => !resources.includes("tokenreviews")) }));
  });
  const token = await issue(boundTo("node-1"));
  const refused = await until("a refusal", 60_000, async () => {
    const answer = await send(await issue(boundTo("node-1")));
    return answer.status === 503 ? answer : undefined;
  });
  expect(refused).toMatchObject({ headers: { "content-type": "application/problem+json" }, body: { reason: "cannot-check", detail: expect.stringContaining('"create" on tokenreviews') } });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  await expect.poll(async () => (await agents())?.identityTrouble?.reason, { timeout: 60_000 }).toContain("tokenreviews");
  await cluster.account(); // the whole role again
  await until("tokens are checked again", 60_000, async () => ((await send(token)).status === 200 ? true : undefined));
  await expect.poll(async () => (await agents())?.identityTrouble, { timeout: 60_000 }).toBeUndefined();
});

test.describe("deploy/agent.yaml", () => {
  const node = () => product.api<NodeDetail>("/api/v1/nodes/node-1");
  const agentSource = async () => (await node()).sources.find(({ source }) => source === "agent");

  test("the API server takes it whole", async () => {
    expect(await cluster.kubectl(["apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "-f", MANIFEST])).toContain("daemonset.apps/sandglass-agent serverside-applied");
  });

  test("its pod runs on the node and its report arrives: nothing but its own token says which node it is", async () => {
    await importAgentImage(cluster);
    const address = await cluster.reverse(agentPort, 7443);
    await cluster.kubectl(["-n", NAMESPACE, "create", "configmap", "sandglass-agent", `--from-literal=server=https://${address}`, `--from-file=ca.crt=${path.join(product.dataDir, "agents/ca.crt")}`]);
    await cluster.apply(imageOfTest(readFileSync(MANIFEST, "utf8")));
    await until("the agent's pod", 120_000, async () => ((await cluster.kubectl(["-n", NAMESPACE, "get", "pods", "-o", "jsonpath={.items[*].status.phase}"])).includes("Running") ? true : undefined));
    const detail = await until("a report of the pod", 90_000, async () => {
      const one = await node();
      return one.sources.find(({ source }) => source === "agent")?.freshness === "fresh" && one.sockets.some(({ name }) => name === "cri") ? one : undefined;
    });
    expect(detail.config).toMatchObject({ dir: "/etc/cni/net.d", effectiveFile: "10-test.conflist", missingBinaries: [] });
    expect(detail.signals.find(({ signal, state }) => signal === "sandbox.ready" && state === "fresh")?.value).toBeGreaterThanOrEqual(1);
  });

  test("with its two capabilities and its read-only mounts every part of the report is looked at", async () => {
    const pod = (await cluster.kubectl(["-n", NAMESPACE, "get", "pods", "-l", "app.kubernetes.io/name=sandglass-agent", "-o", "jsonpath={.items[0].metadata.name}"])).trim();
    const report = JSON.parse(await cluster.kubectl(["-n", NAMESPACE, "exec", pod, "--", "node", "/app/dist/main.mjs", "agent", "--once", "--node", "node-1", "--host-root", "/host"])) as AgentReport;
    const parts = { runtime: report.runtime, sandboxes: report.sandboxes, sockets: report.sockets, config: report.config, cgroups: report.cgroups, processes: report.processes, mounts: report.mounts, socketUse: report.socketUse, binaries: report.binaries, configFiles: report.configFiles, caches: report.caches, kubelet: report.kubelet, credentials: report.credentials };
    expect(Object.entries(parts).flatMap(([name, part]) => (part?.looked === true ? [] : [`${name}: ${part?.looked === false ? part.reason : "not told"}`]))).toEqual([]);
    expect(report.mounts).toMatchObject({ stale: [] });
    expect(report.kubelet).toMatchObject({ reading: { timeoutFrom: "/etc/kubernetes/kubelet.yaml" } });
    const status = await cluster.kubectl(["-n", NAMESPACE, "exec", pod, "--", "node", "-p", "require('fs').readFileSync('/proc/self/status', 'utf8').match(/CapEff:\\s*(\\w+)/)[1]"]);
    expect(BigInt(`0x${status.trim()}`)).toBe((1n << 19n) | (1n << 2n)); // CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH
  });

  const act = async (route: "dry-run" | "run", body: object): Promise<Response> => fetch(`${product.url}/api/v1/nodes/node-1/actions/${route}`, { method: "POST", headers: { "content-type": "application/json", origin: product.url }, body: JSON.stringify(body) });
  const offers = async () => (await product.api<ActionOffers>("/api/v1/nodes/node-1/actions")).nodeOffers;
  const dry = async (wanted: object): Promise<DryRun> => {
    const answer = await act("dry-run", wanted);
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    return (await answer.json()) as DryRun; // the route's own schema
  };
  /** From the agent's list to its last word. A changed answer of the node makes a plan void: then once more. */
  const carriedOut = async (wanted: object): Promise<{ readonly list: DryRun; readonly run: ActionRunDetail }> => {
    const { list, requestId } = await until("a run of what the agent lists", 60_000, async () => {
      const made = { list: await dry(wanted), requestId: randomUUID() };
      const answer = await act("run", { ...wanted, requestId: made.requestId, version: made.list.version, confirm: "" });
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
      return made;
    });
    const run = await until("the agent's last word", 60_000, async () => {
      const one = await product.api<ActionRunDetail>(`/api/v1/actions/${requestId}`);
      return one.work?.state === "ended" ? one : undefined;
    });
    return { list, run };
  };

  test("as it is its agent takes no orders, and says by which argument it would", async () => {
    expect((await offers()).map(({ action, allowed, reason }) => [action, allowed, reason])).toEqual(["purge-dead-sandboxes", "move-busy-shim-aside", "remove-broken-cache-entry"].map((action) => [action, false, "The node's agent takes no orders. Start it with --enable-actions to let it."]));
  });

  test("with the argument and the mounts that its comments tell, an order reaches the pod and a broken cache entry is moved on the node", async () => {
    await cluster.kubectl(["create", "clusterrole", "node-patcher", "--verb=patch", "--resource=nodes"]);
    await cluster.kubectl(["create", "clusterrolebinding", "node-patcher", "--clusterrole=node-patcher", "--serviceaccount=sandglass:sandglass"]);
    const entry = "/var/lib/cni/results/test-of-nobody-eth0";
    await cluster.enter(["sh", "-c", `mkdir -p /var/lib/cni/results && : > ${entry} && touch -d '10 minutes ago' ${entry}`]);
    await cluster.apply(imageOfTest(withOrders(readFileSync(MANIFEST, "utf8"))));
    await until("an agent that takes orders", 120_000, async () => ((await offers()).every(({ allowed }) => allowed) ? true : undefined));
    // The kubelet may have taken away the sandbox of the agent's pod of before by now: then there is nothing to plan for.
    const purge = await act("dry-run", { action: "purge-dead-sandboxes", params: { parallel: 1 } });
    if (purge.status === 422) expect(await purge.json()).toMatchObject({ detail: "The runtime lists no dead sandbox." });
    else expect(((await purge.json()) as DryRun).touches?.every(({ outcome, reason }) => outcome === "left" && reason !== undefined), "nothing here is dead for ten minutes").toBe(true);
    const { list, run } = await carriedOut({ action: "remove-broken-cache-entry", params: {} });
    expect(list.touches).toEqual([{ id: entry, name: entry, outcome: "would", reason: "it is empty" }]);
    expect(run.work?.objects).toEqual([{ id: entry, name: entry, outcome: "done", reason: expect.stringMatching(/^it is empty; it is now \/var\/lib\/cni\/sandglass-quarantine\/\S+Z results test-of-nobody-eth0$/) }]);
    expect(await cluster.enter(["sh", "-c", `ls /var/lib/cni/results /var/lib/cni/sandglass-quarantine; test ! -e ${entry}`])).toContain("test-of-nobody-eth0");
  });

  test("it goes on while the CNI is broken, and says so", async () => {
    await cluster.fault("missing-config");
    await until("the agent's word on the missing config", 90_000, async () => {
      const { config } = await node();
      return config !== undefined && config.effectiveFile === undefined ? true : undefined;
    });
    expect(await agentSource()).toMatchObject({ freshness: "fresh" });
    expect((await cluster.kubectl(["-n", NAMESPACE, "get", "pods", "-o", "jsonpath={.items[*].status.containerStatuses[*].restartCount}"])).trim()).toBe("0");
    await cluster.fault("none");
  });

  /** The move itself: on a real program server/agent/actions/move-busy-shim-aside.test.ts, to its verdict e2e/actions.spec.ts. A node is left alone for a minute after a run. */
  test("a shim that a real installer cannot write is told through the pod with who runs it, in a folder that the pod may write to", async () => {
    const shim = "/opt/cni/bin/multus-shim";
    await cluster.enter(["cp", "/bin/sleep", shim]);
    const holder = cluster.enterAndStay([shim, "600"]);
    try {
      await cluster.apply(JSON.stringify(INSTALLER(shim)));
      const list = await until("the file that the installer cannot write", 120_000, () => dry({ action: "move-busy-shim-aside", params: { waitSeconds: 330 } }));
      expect(list.touches).toEqual([{ id: shim, name: shim, outcome: "would", reason: expect.stringMatching(/^process(es)? \d+.* runs? it$/) }]);
    } finally {
      holder.kill("SIGKILL");
      await cluster.kubectl(["-n", "kube-system", "delete", "daemonset", "kube-multus-ds", "--wait=false"]);
    }
  });
});

/** What the manifest's comments tell to change for all three actions; each change has to be one. */
function withOrders(manifest: string): string {
  const changes = [
    ["# - --enable-actions=purge-dead-sandboxes", "- --enable-actions=purge-dead-sandboxes,move-busy-shim-aside,remove-broken-cache-entry"],
    ["# - {name: state, mountPath", "- {name: state, mountPath"],
    ["# - {name: state, hostPath", "- {name: state, hostPath"],
    ["{name: var-lib-cni, mountPath: /host/var/lib/cni, readOnly: true}", "{name: var-lib-cni, mountPath: /host/var/lib/cni}"],
    ["{name: opt-cni, mountPath: /host/opt/cni, readOnly: true}", "{name: opt-cni, mountPath: /host/opt/cni}"],
  ] as const;
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`deploy/agent.yaml has no "${from}"`);
    return text.replace(from, to);
  }, manifest);
}

const imageOfTest = (manifest: string): string => manifest.replace("image: sandglass:0.1.0", `image: ${AGENT_IMAGE}`).replace("imagePullPolicy: IfNotPresent", "imagePullPolicy: Never");

/** A CNI daemon whose init container copies over its shim, as multus' manifest did. */
const INSTALLER = (shim: string): object => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "kube-multus-ds", namespace: "kube-system", labels: { app: "multus" } },
  spec: {
    selector: { matchLabels: { app: "multus" } },
    template: {
      metadata: { labels: { app: "multus" } },
      spec: {
        hostNetwork: true,
        automountServiceAccountToken: false,
        tolerations: [{ operator: "Exists" }],
        terminationGracePeriodSeconds: 0,
        initContainers: [{ name: "install-multus-binary", image: "localhost/busybox:1", imagePullPolicy: "Never", terminationMessagePolicy: "FallbackToLogsOnError", command: ["cp", "/bin/busybox", `/host${shim}`], volumeMounts: [{ name: "bin", mountPath: "/host/opt/cni/bin" }] }],
        containers: [{ name: "kube-multus", image: "localhost/busybox:1", imagePullPolicy: "Never", command: ["sleep", "3600"] }],
        volumes: [{ name: "bin", hostPath: { path: "/opt/cni/bin" } }],
      },
    },
  },
});
