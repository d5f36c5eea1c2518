import { expect, test } from "../setup/test";
import path from "node:path";
import type { ChildProcess } from "node:child_process";
import { clusterMissing, startCluster, type Cluster } from "../setup/cluster";
import { freePort } from "../../server/dev/free-port";
import { childrenOf, signalProcess } from "../setup/processes";
import { BUNDLE, clusterArgs, probePod, startProduct, until, type Product } from "../setup/product";
import type { AgentReport, SandboxReading } from "@/server/domain/agent-report";
import type { NodeDetail, Status, Timeline } from "@/server/contract/schemas";

/** The agent as it runs on a node: a real containerd and kubelet, real pods, the faults of `e2e/cluster/fault`. */
const options = { node: true, runtimeTimeout: "20s" };
const missing = clusterMissing(options);
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "serial" });

const NODE = path.resolve(import.meta.dirname, "../../node_modules/node/bin/node");
const SHIM = "/run/daemon-shim/daemon.sock";

let cluster: Cluster;
test.beforeAll(async () => {
  cluster = await startCluster(options);
});
test.afterAll(async () => {
  await cluster?.stop();
});

const agent = async (...flags: string[]): Promise<AgentReport> => JSON.parse(await cluster.enter([NODE, BUNDLE, "agent", "--once", "--node", "node-1", "--socket", `daemon-shim=${SHIM}`, ...flags])) as AgentReport; // its schema is the listener's, which other tests hold it to
const sandboxes = (report: AgentReport): readonly SandboxReading[] => {
  if (!report.sandboxes.looked) throw new Error(report.sandboxes.reason);
  return report.sandboxes.items;
};
const socket = (report: AgentReport, name: string) => (report.sockets.looked ? report.sockets.items.find((one) => one.name === name) : undefined);
const config = (report: AgentReport) => (report.config.looked ? report.config.reading : undefined);
const networkReady = (report: AgentReport) => (report.runtime.looked ? report.runtime.reading.conditions.find(({ type }) => type === "NetworkReady")?.status : undefined);

test("on a healthy node the agent sees the runtime, each pod's sandbox by uid, and the config that is in force", async () => {
  await cluster.apply(probePod("one"));
  await cluster.apply(probePod("two"));
  await cluster.kubectl(["wait", "--for=condition=Ready", "--timeout=120s", "pod/one", "pod/two"]);
  const report = await agent();
  const uids = (await cluster.kubectl(["get", "pods", "-A", "-o", "jsonpath={.items[*].metadata.uid}"])).split(" ").sort();
  expect(sandboxes(report).filter(({ ready }) => ready).map(({ uid }) => uid).sort()).toEqual(uids);
  for (const { createdMs } of sandboxes(report)) expect(Math.abs(report.atMs - (createdMs ?? 0))).toBeLessThan(600_000);
  expect(report.runtime).toMatchObject({ looked: true, reading: { name: "containerd", version: expect.stringMatching(/^v?\d+\.\d+/) } });
  // The test cluster's kubelet has its read-only port open.
  if (report.kubeletPods?.looked !== true) throw new Error(report.kubeletPods?.reason ?? "the kubelet's list was not looked for");
  expect(report.kubeletPods.items.map(({ uid, phase }) => `${uid} ${phase ?? "?"}`).sort()).toEqual(uids.map((uid) => `${uid} Running`));
  expect(networkReady(report)).toBe(true);
  expect(config(report)).toMatchObject({ dir: "/etc/cni/net.d", effectiveFile: "10-test.conflist", pluginTypes: ["bridge", "host-local"], missingBinaries: [], binDirs: ["/opt/cni/bin"] });
  expect(socket(report, "cri")).toMatchObject({ path: "/run/containerd/containerd.sock", state: "answers" });
  expect(socket(report, "daemon-shim")).toMatchObject({ path: SHIM, state: "absent" });
});

test.describe("each fault, as the agent sees it", () => {
  const faults: Record<string, (report: AgentReport) => void> = {
    daemon: (report) => {
      expect(socket(report, "daemon-shim")).toMatchObject({ state: "answers" });
      expect(config(report)).toMatchObject({ effectiveFile: "00-daemon.conflist", pluginTypes: ["daemon-shim"], delegateTypes: ["bridge", "host-local"], sockets: [SHIM], missingBinaries: [] });
    },
    "daemon-dead": (report) => expect(socket(report, "daemon-shim")).toMatchObject({ state: "refuses", detail: "ECONNREFUSED" }),
    "daemon-gone": (report) => {
      expect(socket(report, "daemon-shim")).toMatchObject({ state: "absent" });
      expect(config(report)).toMatchObject({ sockets: [SHIM] });
    },
    "daemon-slow": (report) => expect(socket(report, "daemon-shim")).toMatchObject({ state: "silent" }),
    "missing-binary": (report) => expect(config(report)).toMatchObject({ effectiveFile: "10-test.conflist", missingBinaries: ["bridge"], binaryProblems: ["bridge: not in /opt/cni/bin"] }),
    "missing-config": (report) => {
      expect(config(report)).toMatchObject({ pluginTypes: [] });
      expect(config(report)).not.toHaveProperty("effectiveFile");
    },
    "bad-config": (report) => {
      expect(config(report)).toMatchObject({ fileProblems: [expect.stringMatching(/^10-test\.conflist: not JSON/)] });
      expect(config(report)).not.toHaveProperty("effectiveFile");
    },
    "runtime-dead": (report) => {
      expect(socket(report, "cri")).toMatchObject({ state: "silent" });
      expect(report.sandboxes).toMatchObject({ looked: false, reason: expect.stringMatching(/no answer to .* in 10 s/) });
      expect(config(report), "a hung runtime hides nothing else").toMatchObject({ effectiveFile: "10-test.conflist" });
    },
    none: (report) => {
      expect(networkReady(report)).toBe(true);
      expect(socket(report, "cri")).toMatchObject({ state: "answers" });
    },
  };
  for (const [fault, check] of Object.entries(faults)) {
    test(fault, async () => {
      await cluster.fault(fault);
      // The runtime takes up a config that was written a moment later.
      await expect(async () => check(await agent())).toPass({ timeout: 60_000 });
    });
  }

  test("a config that the runtime did not notice: the file is right, the runtime is not", async () => {
    await cluster.fault("unnoticed-config");
    await expect.poll(async () => networkReady(await agent()), { timeout: 60_000 }).toBe(false);
    expect(config(await agent())).toMatchObject({ effectiveFile: "10-test.conflist", missingBinaries: [] });
    await cluster.fault("none");
  });

  test("the socket of a hung daemon is found through the config alone, without being named", async () => {
    await cluster.fault("daemon-slow");
    const report = JSON.parse(await cluster.enter([NODE, BUNDLE, "agent", "--once", "--node", "node-1"])) as AgentReport;
    expect(socket(report, "daemon-shim")).toMatchObject({ path: SHIM, state: "silent" });
    await cluster.fault("none");
  });
});

test("a sandbox that died is listed as dead beside its successor, by the same pod and the next attempt", async () => {
  const uid = await cluster.kubectl(["get", "pod", "one", "-o", "jsonpath={.metadata.uid}"]);
  const ofPod = async () => sandboxes(await agent()).filter((one) => one.uid === uid);
  const [first] = await ofPod();
  await cluster.enter(["ctr", "-n", "k8s.io", "task", "kill", "-s", "SIGKILL", first?.id ?? ""]);
  await expect.poll(async () => (await ofPod()).map(({ attempt, ready }) => `${String(attempt)} ${ready ? "ready" : "dead"}`).sort(), { timeout: 60_000 }).toEqual(["0 dead", "1 ready"]);
});

const STUCK_PODS = 100;

test("dead sandboxes that the runtime cannot take down are listed with their pod, each of a hundred pods, and without a nonsense age", async () => {
  const { runtime } = await agent();
  test.skip(runtime.looked && /^v?2/.test(runtime.reading.version), "containerd 2 drops a failed sandbox even where its DEL fails");
  await cluster.fault("daemon-dead", { env: { SANDGLASS_SHIM_STRICT_DEL: "true" } });
  await cluster.apply(Array.from({ length: STUCK_PODS }, (_, index) => probePod(`stuck-${index}`, { labels: { stuck: "yes" } })).join("\n---\n"));
  const pods = (await cluster.kubectl(["get", "pods", "-l", "stuck=yes", "-o", 'jsonpath={range .items[*]}{.metadata.uid} {.metadata.name}{"\\n"}{end}'])).trim().split("\n").sort();
  expect(pods).toHaveLength(STUCK_PODS);
  const dead = await until("a dead sandbox of each pod, and the runtime's own list alike", 180_000, async () => {
    const all = sandboxes(await agent());
    const found = all.filter(({ ready, name }) => !ready && name.startsWith("stuck-"));
    const uids = new Set(found.map(({ uid, name }) => `${uid} ${name}`));
    // containerd's own store, which the agent does not read: the same sandboxes, one by one.
    const stored = (await cluster.enter(["ctr", "-n", "k8s.io", "containers", "ls", "-q", 'labels."io.cri-containerd.kind"==sandbox'])).trim().split("\n").sort();
    return JSON.stringify([...uids].sort()) === JSON.stringify(pods) && JSON.stringify(all.map(({ id }) => id).sort()) === JSON.stringify(stored) ? found : undefined;
  });
  for (const one of dead) {
    expect(one.namespace).toBe("default");
    if (one.createdMs !== undefined) expect(one.createdMs).toBeGreaterThan(Date.UTC(2020));
  }
  await cluster.kubectl(["delete", "pods", "-l", "stuck=yes", "--wait=false"]);
  await cluster.fault("none");
});

test.describe("pushed from the node to the collector outside", () => {
  let product: Product;
  let running: ChildProcess;
  let exited: Promise<number | null>;
  const node = () => product.api<NodeDetail>("/api/v1/nodes/node-1");
  const start = async (port: number): Promise<void> => {
    const address = await cluster.reverse(port, 7443);
    const files = path.join(product.dataDir, "agents");
    running = cluster.enterAndStay([NODE, BUNDLE, "agent", "--node", "node-1", "--period", "1s", "--push", `https://${address}`, "--token-file", path.join(files, "node-1.token"), "--ca-file", path.join(files, "ca.crt"), "--socket", `daemon-shim=${SHIM}`]);
    exited = new Promise((resolve) => running.once("exit", resolve));
  };

  /** What was started is `enter`, which waits outside for the agent inside. */
  const end = (what: ChildProcess = running): void => {
    for (const child of childrenOf(what.pid ?? 0)) signalProcess(child, "SIGTERM");
  };

  test.beforeAll(async () => {
    const agentPort = await freePort();
    product = await startProduct({ args: [...(await clusterArgs(cluster)), "--agent-port", String(agentPort)] });
    await cluster.enter([NODE, BUNDLE, "agent-token", "node-1", "--data", product.dataDir]);
    await start(agentPort);
  });
  test.afterAll(async () => {
    if (running?.exitCode === null && running.signalCode === null) end();
    await product?.stop();
  });

  test("what the agent reads becomes the node's signals, and the visibility says that the agent is fresh", async () => {
    const detail = await until("the agent's signals", 60_000, async () => {
      const one = await node();
      return one.sources.find(({ source }) => source === "agent")?.freshness === "fresh" && one.sockets.some(({ name }) => name === "cri") ? one : undefined;
    });
    const signal = (name: string) => detail.signals.find((one) => one.signal === name && one.state === "fresh");
    expect(signal("sandbox.ready")?.value).toBeGreaterThanOrEqual(2);
    expect(signal("sandbox.dead")).toBeDefined();
    expect(signal("cri.list_seconds")).toMatchObject({ source: "agent", unit: "seconds" });
    expect(detail.config).toMatchObject({ effectiveFile: "10-test.conflist", missingBinaries: [] });
    await expect.poll(async () => (await product.api<Status>("/api/v1/status")).agents, { timeout: 30_000 }).toMatchObject({ listening: true, reporting: 1 });
  });

  test("the node's page shows its config in load order, and its programs, as the agent told of them", async ({ page }) => {
    await cluster.enter(["sh", "-c", "echo '{' > /etc/cni/net.d/20-broken.conflist; : > /opt/cni/bin/half-copied"]);
    await until("the agent's word of both", 60_000, async () => {
      const { host } = await node();
      return host?.configFiles?.length === 2 && host.binaries?.some(({ name }) => name === "half-copied") ? true : undefined;
    });
    await page.goto(`${product.url}/nodes/node-1`);
    const section = (name: string) => page.getByRole("region", { name, exact: false });
    await expect(section("CNI config").getByRole("listitem").nth(0)).toContainText("10-test.conflisteffectivePlugins: bridge, host-local");
    await expect(section("CNI config").getByRole("listitem").nth(1)).toContainText(/20-broken\.conflistunusablenot JSON/);
    const programs = section("Plugin binaries").getByRole("listitem");
    await expect(programs.filter({ hasText: "half-copied" })).toContainText("empty fileNo config names it");
    await expect(programs.filter({ hasText: /^bridge/ })).toContainText("Named by 10-test.conflist");
    await expect(page.locator("#sockets")).toContainText("/run/containerd/containerd.sock");
    await expect(page.getByRole("heading", { name: /What Sandglass cannot see here/ })).toBeVisible();
    await cluster.enter(["rm", "-f", "/etc/cni/net.d/20-broken.conflist", "/opt/cni/bin/half-copied"]);
  });

  test("the node's page shows the socket, and who still holds the one before it, as the agent told of them", async ({ page }) => {
    await cluster.fault("daemon");
    const holder = cluster.enterAndStay(["unshare", "-m", "sh", "-c", `: > /tmp/held && mount --bind ${SHIM} /tmp/held && exec sleep 600`]);
    await until("the mount", 30_000, async () => ((await cluster.enter(["sh", "-c", "grep -l ' /tmp/held ' /proc/[0-9]*/mountinfo"], { allowFailure: true })).trim() === "" ? undefined : true));
    await cluster.fault("daemon"); // its socket is made anew
    const told = await until("the mount to be stale", 60_000, async () => {
      const one = await node();
      return one.host?.staleMounts?.length === 1 && one.sockets.some(({ path: where, state }) => where === SHIM && state === "answers") ? one : undefined;
    });
    const [mount] = told.host?.staleMounts ?? [];
    expect(mount).toMatchObject({ socketPath: SHIM, mountPath: "/tmp/held", because: "deleted" });
    expect(mount?.mountedInode).not.toBe(mount?.hostInode);
    await page.goto(`${product.url}/nodes/node-1`);
    await expect(page.locator("#stale-mounts").getByRole("row").nth(1)).toContainText(`${SHIM}not told/tmp/held${mount?.mountedInode}${mount?.hostInode}its object was removed`);
    await expect(page.locator("#sockets").getByRole("row").filter({ hasText: SHIM })).toContainText("daemon-shimin useanswers");
    end(holder);
    await cluster.fault("none");
    await until("nobody to hold it", 60_000, async () => ((await node()).host?.mountsSeen === 0 ? true : undefined));
  });

  test("a daemon that dies makes an idle node a no by its socket, with that proof; mended it is no longer", async () => {
    await cluster.fault("daemon-dead");
    const broken = await until("a no", 60_000, async () => {
      const one = await node();
      return one.answer.state === "no" && one.sockets.some(({ path: where, state }) => where === SHIM && state === "refuses") ? one : undefined;
    });
    expect(broken.answer.row).toBe(2);
    expect(broken.answer.proof.map(({ what, source }) => `${source}: ${what}`).join("\n")).toContain(`agent: Socket ${SHIM}`);
    expect(broken.sockets.find(({ path: where }) => where === SHIM)).toMatchObject({ state: "refuses", effective: true });
    await cluster.fault("none");
    await until("no longer a no", 60_000, async () => ((await node()).answer.state === "no" ? undefined : true));
    const states = async () => (await product.api<Timeline>("/api/v1/nodes/node-1/timeline?signals=socket.state")).series.filter(({ signal, instance }) => signal === "socket.state" && instance === SHIM).flatMap(({ max }) => max.map(Number));
    await expect.poll(states, { message: "refuses is stored as 2" }).toContain(2); // while the daemon is exchanged its socket is absent for a moment
  });

  test("told to end, the agent ends by itself, its source goes stale rather than fine, and the node's page says what cannot be seen since", async ({ page }) => {
    end();
    expect(await exited).toBe(0);
    const gone = await until("a stale agent", 120_000, async () => {
      const agentSource = (await node()).sources.find(({ source }) => source === "agent");
      return agentSource?.freshness === "stale" ? agentSource : undefined;
    });
    expect(gone.reason).toBeDefined();
    const { blind } = await node();
    expect(blind.length).toBeGreaterThan(0);
    await page.goto(`${product.url}/nodes/node-1`);
    const unseen = page.getByRole("region", { name: "What Sandglass cannot see here" }).getByRole("listitem");
    for (const { what } of blind) await expect(unseen.filter({ hasText: what }).first()).toBeVisible();
  });
});
