import { expect, test } from "../setup/test";
import path from "node:path";
import { clusterMissing, startCluster, type Cluster } from "../setup/cluster";
import { BUNDLE, probePod, until } from "../setup/product";
import type { AgentReport } from "@/server/domain/agent-report";
import type { LaterParts } from "@/server/domain/agent-readings";

/** The later readings of the agent on a real node: a real containerd, kubelet, cgroups and mounts. */
const options = { node: true, runtimeTimeout: "20s" };
const missing = clusterMissing(options);
test.skip(missing !== undefined, missing);
test.describe.configure({ mode: "serial" });

const NODE = path.resolve(import.meta.dirname, "../../node_modules/node/bin/node");
const SOCKET = "/run/multus/multus.sock";

let cluster: Cluster;
test.beforeAll(async () => {
  cluster = await startCluster(options);
});
test.afterAll(async () => {
  await cluster?.stop();
});

const agent = async (...flags: string[]): Promise<AgentReport> => JSON.parse(await cluster.enter([NODE, BUNDLE, "agent", "--once", "--node", "node-1", ...flags])) as AgentReport; // its schema is the listener's, which other tests hold it to
type Part<K extends keyof LaterParts> = Extract<NonNullable<LaterParts[K]>, { looked: true }>;
async function part<K extends Exclude<keyof LaterParts, "configChanges">>(name: K): Promise<Part<K>> {
  const read = (await agent())[name];
  if (read?.looked !== true) throw new Error(`${name}: ${read === undefined ? "not told" : read.reason}`);
  return read as Part<K>;
}
const busybox = (name: string, command: readonly string[], over: object = {}) => ({ name, image: "localhost/busybox:1", imagePullPolicy: "Never", command, ...over });

test("a healthy node: its config is loaded, its programs are whole, its addresses and the kubelet's timeout are told", async () => {
  await cluster.apply(probePod("one"));
  await cluster.kubectl(["wait", "--for=condition=Ready", "--timeout=120s", "pod/one"]);
  const report = await agent();
  expect(report.configFiles).toMatchObject({ looked: true, reading: { dir: "/etc/cni/net.d", loaded: true, files: [{ name: "10-test.conflist", usable: true, networkName: "test", cniVersion: "1.0.0", pluginTypes: ["bridge", "host-local"] }] } });
  const { items } = await part("binaries");
  expect(items.find(({ type }) => type === "bridge")).toMatchObject({ dir: "/opt/cni/bin", sha256: expect.stringMatching(/^[0-9a-f]{64}$/), version: expect.stringMatching(/containernetworking\/plugins /), wantedBy: ["10-test.conflist"] });
  expect(items.filter(({ problem }) => problem !== undefined)).toEqual([]);
  expect((await part("caches")).pools).toMatchObject([{ network: "test", range: "10.244.0.0/24", leases: 1, leaked: 0, size: 253 }]);
  expect(report.kubelet).toEqual({ looked: true, reading: { runtimeRequestTimeoutSeconds: 20, timeoutFrom: "/etc/kubernetes/kubelet.yaml" } });
  expect(await part("processes")).toMatchObject({ items: [] });
  expect(await part("mounts")).toMatchObject({ stale: [], mountsSeen: 0 });
});

test("a config that the runtime did not notice, a program that is gone, a config that is cut short", async () => {
  await cluster.fault("unnoticed-config");
  const unnoticed = await until("the runtime to say that it has no config", 60_000, async () => {
    const { reading } = await part("configFiles");
    return reading.loaded === false ? reading : undefined;
  });
  expect(unnoticed.usableSinceMs).toBeGreaterThan(Date.now() - 180_000);
  await cluster.fault("missing-binary");
  expect((await part("binaries")).items.find(({ type }) => type === "bridge")).toEqual({ type: "bridge", problem: "absent", wantedBy: ["10-test.conflist"] });
  await cluster.fault("bad-config");
  expect((await part("configFiles")).reading.files).toMatchObject([{ usable: false, problem: expect.stringMatching(/^not JSON: .* at line \d+, column \d+$/) }]);
  await cluster.fault("none");
});

test("a config that is moved over the one before: the runtime goes on by the old text, and is not told to have loaded the new one", async () => {
  const { runtime } = await agent();
  test.skip(runtime.looked && /^v?2/.test(runtime.reading.version), "what containerd 2 notices was not measured");
  const told = async () => (await part("configFiles")).reading;
  expect(await told()).toMatchObject({ loaded: true });
  await cluster.enter(["sh", "-c", `cd /etc/cni && sed 's/"name": *"test"/"name": "moved"/' net.d/10-test.conflist > new && grep -q moved new && mv new net.d/10-test.conflist`]);
  const other = await until("the runtime's word after the move", 60_000, async () => {
    const reading = await told();
    return reading.loadedOther === undefined ? undefined : reading;
  });
  expect(other).toMatchObject({ loadedOther: "test", files: [{ name: "10-test.conflist", usable: true, networkName: "moved" }] });
  expect(other).not.toHaveProperty("loaded");
  await cluster.fault("none");
  await until("the file to be loaded, written in place", 60_000, async () => ((await told()).loaded === true ? true : undefined));
});

test("a call that waits for its daemon is told with its pod and age, and its connection beside it", async () => {
  await cluster.fault("daemon-slow");
  await cluster.apply(probePod("waits"));
  const { processes, socketUse } = await until("a shim that waits", 60_000, async () => {
    const report = await agent();
    const calls = report.processes?.looked === true && report.processes.items.some(({ pod, called }) => pod === "waits" && called === true);
    // A shim that has only just begun has no connection yet.
    return calls && report.socketUse?.looked === true && (report.socketUse.items[0]?.connections ?? 0) > 0 ? report : undefined;
  });
  const shims = processes?.looked === true ? processes.items.filter(({ called }) => called === true) : [];
  expect(shims).toMatchObject([{ program: "daemon-shim", path: "/opt/cni/bin/daemon-shim", command: "ADD", namespace: "default", pod: "waits", replaced: false }]);
  expect(Date.now() - (shims[0]?.startedMs ?? 0)).toBeLessThan(60_000);
  expect(socketUse).toMatchObject({ looked: true, items: [{ path: "/run/daemon-shim/daemon.sock", liveShims: 1 }] });
  await cluster.kubectl(["delete", "pod", "waits", "--wait=false"]);
  await cluster.fault("none");
});

test("the cgroup of a daemon's container: throttled by its limit, and a pod is limited only if all of its containers are", async () => {
  const daemonSet = (name: string, init: object[]) => ({
    apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name, namespace: "kube-system" },
    spec: { selector: { matchLabels: { of: name } }, template: { metadata: { labels: { of: name } }, spec: { hostNetwork: true, terminationGracePeriodSeconds: 0, tolerations: [{ operator: "Exists" }], initContainers: init, containers: [busybox("main", ["sh", "-c", "while :; do :; done"], { resources: { limits: { cpu: "20m", memory: "32Mi" } } })] } } },
  });
  await cluster.apply(JSON.stringify(daemonSet("kube-multus-ds", [busybox("install", ["true"])])));
  await cluster.apply(JSON.stringify(daemonSet("kube-other", [])));
  const items = await until("throttled periods", 120_000, async () => {
    const read = await part("cgroups");
    return read.items.length === 2 && read.items.every(({ cpuThrottledPeriods }) => (cpuThrottledPeriods ?? 0) > 5) ? read.items : undefined;
  });
  const [multus, other] = items;
  expect(multus).toMatchObject({ namespace: "kube-system", container: "main", cni: "multus", cgroupVersion: 1, cpuQuotaCores: 0.02, memoryLimitBytes: 32 * 1024 * 1024, podMemoryLimited: false });
  expect(other).toMatchObject({ container: "main", podMemoryLimited: true });
  expect(other).not.toHaveProperty("cni");
  expect(multus?.cpuThrottledPeriods).toBeLessThanOrEqual(multus?.cpuPeriods ?? 0);
  expect(Math.abs((multus?.startedMs ?? 0) - Date.now())).toBeLessThan(300_000);
});

test("without the runtime's socket, which is not even there for it, the agent says so and tells all else, with pods and containers named as the kubelet names their logs", async () => {
  const hidden = `mount -t tmpfs none /run/containerd && ! test -e /run/containerd/containerd.sock && exec ${NODE} ${BUNDLE} agent --once --node node-1 --cri-socket none`;
  const report = JSON.parse(await cluster.enter(["unshare", "--mount", "sh", "-c", hidden])) as AgentReport;
  const without = { looked: false, reason: expect.stringContaining("--cri-socket none") };
  expect([report.runtime, report.sandboxes]).toEqual([without, without]);
  const { sockets, config, cgroups, processes, mounts, socketUse, binaries, configFiles, caches, kubelet, credentials } = report;
  expect(Object.entries({ sockets, config, cgroups, processes, mounts, socketUse, binaries, configFiles, caches, kubelet, credentials }).filter(([, one]) => one?.looked !== true)).toEqual([]);
  expect(sockets.looked ? sockets.items.map(({ name }) => name) : undefined).not.toContain("cri");
  expect(config).toMatchObject({ reading: { dir: "/etc/cni/net.d", effectiveFile: "10-test.conflist", missingBinaries: [] } });
  expect(cgroups?.looked === true ? cgroups.items.map(({ pod, container, cni }) => [pod.replace(/-[a-z0-9]{5}$/, ""), container, cni]) : undefined).toEqual([["kube-multus-ds", "main", "multus"], ["kube-other", "main", undefined]]);
  expect(kubelet).toMatchObject({ reading: { runtimeRequestTimeoutSeconds: 20 } });
  expect(configFiles?.looked === true && "loaded" in configFiles.reading, "whether the runtime has it, only the runtime could say").toBe(false);
  const pools = caches?.looked === true ? caches.pools : [];
  expect(pools.some(({ network, leases }) => network === "test" && leases > 0)).toBe(true);
  expect(pools.filter((pool) => "leaked" in pool), "nor which sandbox a lease belongs to").toEqual([]);
  await cluster.kubectl(["-n", "kube-system", "delete", "daemonset", "kube-multus-ds", "kube-other", "--wait=false"]);
});

/** What a pod that mounts a daemon's socket in one of three ways sees afterwards; docs/decisions/0094 keeps this table. */
const MOUNTS = [
  { pod: "by-file", hostPath: { path: SOCKET, type: "Socket" }, mountPath: "/host/run/multus/multus.sock", socket: "/host/run/multus/multus.sock" },
  { pod: "by-folder", hostPath: { path: "/run/multus", type: "Directory" }, mountPath: "/host/run/multus", socket: "/host/run/multus/multus.sock" },
  { pod: "by-run", hostPath: { path: "/run", type: "Directory" }, mountPath: "/host/run", socket: "/host/run/multus/multus.sock" },
] as const;
const TABLE = {
  "the socket is made anew": { nothing: ["by-file"], "a container's restart": [], "a new pod": [] },
  "its folder is made anew": { nothing: ["by-file", "by-folder"], "a container's restart": [], "a new pod": [] },
} as const;

for (const [event, cured] of Object.entries(TABLE)) {
  test(`where ${event}, mounts of it go stale by the table: seen from inside and by the agent alike`, async () => {
    const listen = async (folder: boolean): Promise<void> => {
      await cluster.enter(["rm", "-rf", folder ? "/run/multus" : SOCKET]);
      cluster.enterAndStay([NODE, "-e", `require("node:fs").mkdirSync("/run/multus", { recursive: true }); require("node:net").createServer().listen(${JSON.stringify(SOCKET)})`]);
      await until("the socket", 60_000, async () => ((await cluster.enter(["sh", "-c", `test -S ${SOCKET} && echo there`], { allowFailure: true })).includes("there") ? true : undefined));
    };
    const start = async (): Promise<void> => {
      for (const { pod, hostPath, mountPath } of MOUNTS) {
        const volumeMounts = [{ name: "s", mountPath, mountPropagation: "HostToContainer" }];
        await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: pod }, spec: { terminationGracePeriodSeconds: 0, nodeName: "node-1", tolerations: [{ operator: "Exists" }], containers: [busybox("main", ["sleep", "3600"], { volumeMounts })], volumes: [{ name: "s", hostPath }] } }));
      }
      await cluster.kubectl(["wait", "--for=condition=Ready", "--timeout=120s", ...MOUNTS.map(({ pod }) => `pod/${pod}`)]);
    };
    const remove = () => cluster.kubectl(["delete", "--wait", ...MOUNTS.map(({ pod }) => `pod/${pod}`)]);
    const inode = async (pod: string, socket: string): Promise<string> => (await cluster.kubectl(["exec", pod, "--", "stat", "-c", "%i", socket], { allowFailure: true })).trim();
    const staleInside = async (): Promise<string[]> => {
      const host = (await cluster.enter(["stat", "-c", "%i", SOCKET])).trim();
      const seen = await Promise.all(MOUNTS.map(async ({ pod, socket }) => ({ pod, stale: (await inode(pod, socket)) !== host })));
      return seen.filter(({ stale }) => stale).map(({ pod }) => pod);
    };
    const mounts = async () => [...(await part("mounts")).stale].sort((a, b) => ((a.pod ?? "") < (b.pod ?? "") ? -1 : 1));
    const both = async () => ({ inside: await staleInside(), agent: (await mounts()).map(({ pod }) => pod) });
    const expectStale = (pods: readonly string[]) => expect.poll(both, { timeout: 60_000 }).toEqual({ inside: [...pods], agent: [...pods] });

    await listen(true);
    await start();
    await expectStale([]);

    await listen(event === "its folder is made anew");
    await expectStale(cured.nothing);
    for (const { podUid, mountedInode, hostInode, kind, container, mountPath, pod } of await mounts()) {
      expect(podUid).toMatch(/^[0-9a-f-]{36}$/);
      expect(mountedInode).not.toBe(hostInode);
      expect({ pod, container, mountPath, kind }).toEqual({ pod, container: "main", mountPath: MOUNTS.find((mount) => mount.pod === pod)?.mountPath, kind: pod === "by-file" ? "file" : "directory" });
    }

    for (const { pid } of await mounts()) await cluster.enter(["kill", "-9", String(pid)]);
    await until("the killed containers to be started anew", 120_000, async () => {
      const { items } = JSON.parse(await cluster.kubectl(["get", "pods", "-o", "json", ...MOUNTS.map(({ pod }) => pod)])) as { items: readonly { metadata: { name: string }; status: { containerStatuses: readonly { ready: boolean; restartCount: number }[] } }[] };
      const fine = items.every(({ metadata, status }) => status.containerStatuses.every(({ ready, restartCount }) => ready && (restartCount > 0 || !(cured.nothing as readonly string[]).includes(metadata.name))));
      return fine ? true : undefined;
    });
    await expectStale(cured["a container's restart"]);

    await remove();
    await start();
    await expectStale(cured["a new pod"]);
    await remove();
  });
}
