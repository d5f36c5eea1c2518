import { describe, expect, it } from "vitest";
import type { AgentReport, ConfigReading, LostReports, SocketReading } from "./agent-report";
import { buildView } from "./build-view";
import { FAMILY_GONE } from "./kubelet-versions";
import { cniDaemonOf, type CniDaemon } from "./cni-daemons";
import type { ContainerTermination, DaemonPodDetail, EventObject, PodObject } from "./model";
import { MAX_WAITING_PODS_KEPT, type NodeView } from "./node-view";
import { seriesKey, type LatestSample, type NodeWindow } from "./node-window";
import type { SignalId } from "./signals";
import type { Source } from "./sources";
import { DEFAULT_THRESHOLDS } from "./thresholds";
import { NOW_MS, agentReport, daemonSet, event, namespace, node, nodeWindow, objectName, pod, secondsAgo, startedPod, waitingSince, watching } from "./testing/builders";

const view = (over: Partial<NodeWindow> = {}): NodeView => buildView(nodeWindow(over), NOW_MS, DEFAULT_THRESHOLDS);
const podsOf = (...pods: PodObject[]): ReadonlyMap<string, PodObject> => new Map(pods.map((one) => [one.uid, one]));
const agentWith = (report: Partial<AgentReport>, lastMs = NOW_MS): NodeWindow["agent"] => ({ configured: true, freshForMs: 45_000, lastMs, report: agentReport(report) });
const scraped: NodeWindow["kubelet"] = { configured: true, freshForMs: 45_000, lastMs: NOW_MS };
const kubelet = (over: Partial<NodeWindow["kubelet"]> = {}): NodeWindow["kubelet"] => ({ ...scraped, runtimeRequestTimeoutSeconds: 15, hasPressure: true, ...over });
const config: ConfigReading = { dir: "/etc/cni/net.d", effectiveFile: "00-multus.conf", pluginTypes: ["multus-shim"], sockets: ["/run/multus/multus.sock"], missingBinaries: [], binDirs: ["/opt/cni/bin"] };

function daemonOf(): CniDaemon {
  const daemon = cniDaemonOf(daemonSet(), []);
  if (daemon === undefined) throw new Error("the table knows kube-multus-ds");
  return daemon;
}
const multus = daemonOf();
const daemonPod = (detail: Partial<DaemonPodDetail> = {}, over: Partial<PodObject> = {}): PodObject =>
  startedPod(secondsAgo(4_000), {
    uid: "daemon",
    namespace: namespace("kube-system"),
    name: objectName("kube-multus-ds-abc"),
    owner: "DaemonSet/kube-multus-ds",
    hostNetwork: true,
    daemon: { containers: [{ name: "kube-multus", init: false, cpuLimitCores: 0.1, memoryLimitBytes: 52_428_800 }], restarts: 4, ready: true, running: [], waitingReasons: [], terminations: [], ...detail },
    ...over,
  });
const latest = (...samples: readonly (readonly [SignalId, number, { readonly instance?: string; readonly atMs?: number; readonly source?: Source }?])[]): ReadonlyMap<string, LatestSample> =>
  new Map(
    samples.map(([id, value, { instance, atMs, source } = {}]): [string, LatestSample] => {
      const sample = { signal: id, instance: instance ?? "", atMs: atMs ?? NOW_MS, value };
      return [seriesKey(id, sample.instance), { source: source ?? "kubelet", sample }];
    }),
  );
const signal = (from: NodeView, id: SignalId, instance = "") => from.signals.find((one) => one.signal === id && one.instance === instance);
const daemonSignal = (from: NodeView, id: SignalId) => signal(from, id, "kube-multus-ds-abc/kube-multus");

describe("the pods of a view", () => {
  const own = (message: string): EventObject => event("FailedCreatePodSandBox", secondsAgo(20), { message });
  const pods = podsOf(
    waitingSince(secondsAgo(120), { uid: "stuck", system: true }),
    waitingSince(secondsAgo(20), { uid: "young" }),
    waitingSince(secondsAgo(400), { uid: "own" }),
    waitingSince(secondsAgo(300), { uid: "mount" }),
    startedPod(secondsAgo(700), { uid: "running" }),
    waitingSince(secondsAgo(900), { uid: "done", phase: "Succeeded" }),
  );
  const eventsAbout = (uid: string): EventObject[] => (uid === "own" ? [own('cannot find a network-attachment-definition (a) in namespace (b): "a" not found')] : uid === "mount" ? [event("FailedMount", secondsAgo(5))] : []);

  it("are counted each way apart, and those without a sandbox are listed oldest first", () => {
    const { counts, waitingPods } = view({ pods, eventsAbout });
    expect(counts).toEqual({ pods: 5, waiting: 2, waitingSystem: 1, stuck: 1, ownRequest: 1, other: 1, oldestWaitMs: secondsAgo(120) });
    expect(waitingPods.map(({ uid, hold }) => `${uid} ${hold.kind}`)).toEqual(["own own-request", "mount other", "stuck waiting", "young waiting"]);
  });

  it("are listed up to the bound, and counted beyond it", () => {
    const many = podsOf(...Array.from({ length: MAX_WAITING_PODS_KEPT + 50 }, (_, index) => waitingSince(secondsAgo(100 + index), { uid: `u${index}` })));
    const { counts, waitingPods } = view({ pods: many });
    expect([counts.waiting, waitingPods.length]).toEqual([MAX_WAITING_PODS_KEPT + 50, MAX_WAITING_PODS_KEPT]);
    expect(waitingPods[0]?.uid).toBe(`u${MAX_WAITING_PODS_KEPT + 49}`);
  });

  it("have their events read only where a sandbox is missing", () => {
    const asked = new Set<string>();
    view({ pods, eventsAbout: (uid) => (asked.add(uid), []) });
    expect([...asked].sort()).toEqual(["mount", "own", "stuck", "young"]);
  });

  it("use the agent's list while it is fresh, and not once it is stale", () => {
    const withVolume = podsOf(waitingSince(secondsAgo(300), { uid: "v", hasAttachableVolumes: true }));
    const sandboxes = { looked: true, items: [{ id: "1", uid: "v", namespace: "default", name: "v", attempt: 0, ready: false }], tookSeconds: 0, truncated: false } as const;
    expect(view({ pods: withVolume, agent: agentWith({ sandboxes }) }).counts).toMatchObject({ stuck: 1, other: 0 });
    expect(view({ pods: withVolume, agent: agentWith({ sandboxes }, secondsAgo(46)) }).counts).toMatchObject({ stuck: 0, other: 1 });
  });

  it("whose last attempt failed leave an idle node unknown", () => {
    const one = podsOf(waitingSince(secondsAgo(30)));
    expect(view({ pods: one }).answer).toMatchObject({ state: "yes", idle: true });
    expect(view({ pods: one, eventsAbout: () => [own("context deadline exceeded")] }).answer).toMatchObject({ state: "unknown", row: 6 });
    expect(view({ lastFailureMs: secondsAgo(30) }).answer, "of a pod that is gone").toMatchObject({ state: "unknown" });
  });
});

describe("the newest fresh sandbox of a view", () => {
  it("is what the collector remembers or what the node's pods show now, whichever is newer", () => {
    expect(view({ pods: podsOf(startedPod(secondsAgo(50))) }).lastFreshMs).toBe(secondsAgo(50));
    expect(view({ pods: podsOf(startedPod(secondsAgo(50))), lastFreshMs: secondsAgo(10) }).lastFreshMs).toBe(secondsAgo(10));
    expect(view({ pods: podsOf(startedPod(secondsAgo(50))), lastFreshMs: secondsAgo(90) }).lastFreshMs).toBe(secondsAgo(50));
    expect(view({ pods: podsOf(startedPod(NOW_MS + 60_000)) }).lastFreshMs, "a node's clock that is ahead").toBe(NOW_MS);
    expect(view({ pods: podsOf(startedPod(secondsAgo(50), { hostNetwork: true })) })).not.toHaveProperty("lastFreshMs");
  });

  it("before 1.29, is not moved by containers that start again", () => {
    const old = podsOf(pod({ hasIp: true, containerStartedMs: secondsAgo(5) }));
    expect(view({ pods: old }).lastFreshMs, "at first sight").toBe(secondsAgo(5));
    expect(view({ pods: old, lastFreshMs: secondsAgo(700) }).lastFreshMs).toBe(secondsAgo(700));
  });
});

describe("the answer of a view", () => {
  it("keeps since when from the answer before", () => {
    const before = view({ lastFreshMs: secondsAgo(20) }).answer;
    const after = buildView(nodeWindow({ lastFreshMs: secondsAgo(20), previous: before }), NOW_MS + 60_000, DEFAULT_THRESHOLDS);
    expect([before.sinceMs, after.answer.sinceMs]).toEqual([NOW_MS, NOW_MS]);
  });

  it("is unknown on stale sources only, though pods, daemon and last sandbox look well", () => {
    const stale = view({ kinds: watching(secondsAgo(151)), lastFreshMs: secondsAgo(10), pods: podsOf(daemonPod()), daemons: [multus], agent: agentWith({ config: { looked: true, reading: config } }, secondsAgo(60)) });
    expect(stale.answer).toMatchObject({ state: "unknown", row: 1 });
  });

  it("is unknown for a node whose kubelet stopped reporting", () => {
    const gone = node({ conditions: [{ type: "Ready", status: "Unknown", message: "Kubelet stopped posting node status." }] });
    expect(view({ node: gone, lastFreshMs: secondsAgo(10) })).toMatchObject({ ready: "Unknown", answer: { state: "unknown", row: 1 } });
  });

  it("shows cordoned, tainted and not ready beside it, and is not decided by them", () => {
    const cordoned = node({ unschedulable: true, taints: ["node.kubernetes.io/unschedulable:NoSchedule"], conditions: [{ type: "Ready", status: "False", message: "PLEG is not healthy" }] });
    expect(view({ node: cordoned, lastFreshMs: secondsAgo(10) })).toMatchObject({ schedulable: false, ready: "False", readyMessage: "PLEG is not healthy", taints: ["node.kubernetes.io/unschedulable:NoSchedule"], answer: { state: "yes", row: 5 } });
  });

  it("of a node of which nothing but its name is told is unknown", () => {
    expect(view({ node: node({ conditions: [] }) })).toMatchObject({ ready: "Unknown", pool: "default", answer: { state: "unknown", row: 6 } });
  });
});

describe("the sockets of a view", () => {
  const sockets = (...items: SocketReading[]): AgentReport["sockets"] => ({ looked: true, items });
  const multusSocket: SocketReading = { name: "multus", path: "/var/run/multus/multus.sock", state: "silent" };

  it("are effective where the conflist names them or its plugins are known to call them", () => {
    const effective = (reading: ConfigReading) => view({ agent: agentWith({ sockets: sockets(multusSocket, { name: "cilium", path: "/run/cilium/cilium.sock", state: "refuses" }), config: { looked: true, reading } }) }).sockets.map((one) => `${one.name} ${String(one.effective)}`);
    expect(effective(config)).toEqual(["multus true", "cilium false"]);
    expect(effective({ ...config, sockets: [] }), "by the plugin's type").toEqual(["multus true", "cilium false"]);
    expect(effective({ ...config, sockets: ["/run/other.sock"] }), "the conflist moved it").toEqual(["multus false", "cilium false"]);
    expect(effective({ ...config, pluginTypes: ["bridge"], sockets: [] })).toEqual(["multus false", "cilium false"]);
  });

  it("make a no once one that is effective was silent for 30 s by what the collector remembers", () => {
    const agent = agentWith({ sockets: sockets(multusSocket), config: { looked: true, reading: config } });
    const at = (silentSinceMs: number) => view({ agent, lastFreshMs: secondsAgo(300), sockets: new Map([["/run/multus/multus.sock", { state: "silent", sinceMs: silentSinceMs }]]) });
    expect(at(secondsAgo(31)).answer).toMatchObject({ state: "no", row: 2 });
    expect(at(secondsAgo(15)).answer).toMatchObject({ state: "yes", row: 5 });
    expect(at(secondsAgo(31)).sockets[0]).not.toHaveProperty("sinceMs");
  });
});

describe("the daemons of a view", () => {
  const ended = (over: Partial<ContainerTermination>): ContainerTermination => ({ container: "kube-multus", init: false, reason: "OOMKilled", exitCode: 137, finishedMs: secondsAgo(50), ...over });

  it("are the pods of CNI DaemonSets with limits, restarts, the last end, and every OOM kill that was seen", () => {
    const { daemons } = view({ daemons: [multus], pods: podsOf(daemonPod({ terminations: [ended({})] }), startedPod(NOW_MS, { uid: "x", owner: "DaemonSet/kube-multus-ds" })), oomKills: new Map([["kube-multus-ds-abc/kube-multus", [secondsAgo(500), secondsAgo(50)]]]) });
    expect(daemons).toEqual([
      {
        daemonSet: "kube-system/kube-multus-ds", pod: "kube-multus-ds-abc", container: "kube-multus", ready: true, restarts: 4, cpuLimitCores: 0.1, memoryLimitBytes: 52_428_800,
        lastTermination: { reason: "OOMKilled", exitCode: 137, atMs: secondsAgo(50) },
        oomKillsMs: [secondsAgo(500), secondsAgo(50)],
      },
    ]);
  });

  it("show a failed installer as the last end, and no installer that ended well", () => {
    const failed = ended({ container: "install-multus-binary", init: true, reason: "Error", exitCode: 1, finishedMs: secondsAgo(5) });
    const last = (...terminations: ContainerTermination[]) => view({ daemons: [multus], pods: podsOf(daemonPod({ terminations })) }).daemons[0]?.lastTermination;
    expect(last(ended({}), failed)).toEqual({ reason: "Error in install-multus-binary", exitCode: 1, atMs: secondsAgo(5) });
    expect(last(ended({ container: "install-multus-binary", init: true, reason: "Completed", exitCode: 0 }))).toBeUndefined();
  });

  it("show the pod's own limits, which a resize changes, before the template's", () => {
    const resized = view({ daemons: [multus], pods: podsOf(daemonPod({ containers: [{ name: "kube-multus", init: false, memoryLimitBytes: 4_294_967_296 }] })) }).daemons[0];
    expect(resized).toMatchObject({ memoryLimitBytes: 4_294_967_296 });
    expect(resized).not.toHaveProperty("cpuLimitCores");
  });

  it("leave an idle node unknown while one is not ready", () => {
    expect(view({ daemons: [multus], pods: podsOf(daemonPod()) }).answer).toMatchObject({ state: "yes", idle: true });
    expect(view({ daemons: [multus], pods: podsOf(daemonPod({ ready: false })) }).answer).toMatchObject({ state: "unknown", row: 6 });
  });
});

describe("the signals of a view", () => {
  const daemonWindow = (detail: Partial<DaemonPodDetail> = {}, over: Partial<NodeWindow> = {}) => view({ daemons: [multus], pods: podsOf(daemonPod(detail)), kubelet: kubelet(), ...over });

  it("are fresh with their value, stale marked so, or unknown with a reason; never a value without a time", () => {
    const seen = view({ kubelet: kubelet(), latest: latest(["cri.run_sandbox.calls", 12], ["cri.run_sandbox.errors", 3, { atMs: secondsAgo(46) }]) });
    expect(signal(seen, "cri.run_sandbox.calls")).toEqual({ signal: "cri.run_sandbox.calls", instance: "", source: "kubelet", state: "fresh", value: 12, atMs: NOW_MS });
    expect(signal(seen, "cri.run_sandbox.errors")).toMatchObject({ state: "stale", value: 3, reason: "last told 46 s ago" });
    expect(signal(seen, "cri.stop_sandbox.errors")).toEqual({ signal: "cri.stop_sandbox.errors", instance: "", source: "kubelet", state: "unknown", reason: "a second reading is needed first" });
    for (const one of seen.signals) expect(one.state === "unknown" ? [one.value, typeof one.reason] : [typeof one.value, typeof one.atMs]).toEqual(one.state === "unknown" ? [undefined, "string"] : ["number", "number"]);
  });

  it("say that a metric is not on the page that was read, also beside an older value, and on the list of what is not seen", () => {
    const seen = view({ kubelet: { ...kubelet(), hasNoOperations: true }, latest: latest(["cri.run_sandbox.calls", 12, { atMs: secondsAgo(90) }]) });
    expect(signal(seen, "cri.run_sandbox.calls")).toMatchObject({ state: "stale", value: 12, reason: FAMILY_GONE });
    expect(signal(seen, "cri.stop_sandbox.errors")).toMatchObject({ state: "unknown", reason: FAMILY_GONE });
    expect(seen.blind).toContainEqual(expect.objectContaining({ what: "CRI latency and errors", reason: FAMILY_GONE, fix: expect.stringContaining("v1.28") as string }));
  });

  it("are stale with a stale source, although the answer stands on another", () => {
    const seen = view({ lastFreshMs: secondsAgo(10), kubelet: kubelet({ lastMs: secondsAgo(60), reason: "connection refused" }), latest: latest(["cri.run_sandbox.calls", 12]) });
    expect(seen.answer.state).toBe("yes");
    expect(signal(seen, "cri.run_sandbox.calls")).toMatchObject({ state: "stale", value: 12, reason: "nothing for 1 min: connection refused" });
  });

  it("say that there is no agent, and what an agent could not look at", () => {
    expect(signal(view(), "sandbox.backlog")).toMatchObject({ state: "unknown", source: "agent", reason: "no agent on this node" });
    expect(signal(view({ agent: agentWith({ sandboxes: { looked: false, reason: "permission denied" } }) }), "sandbox.backlog")).toMatchObject({ reason: "permission denied" });
    expect(signal(view({ agent: agentWith({ sandboxes: { looked: true, items: [], tookSeconds: 0, truncated: true } }) }), "sandbox.dead")).toMatchObject({ reason: "the runtime's list was cut, so it gives no count" });
  });

  it("decide no limit from the pod's resources, whatever series were told", () => {
    const unlimited = daemonWindow({ containers: [{ name: "kube-multus", init: false }] }, { latest: latest(["daemon.cpu.throttled_share", 1, { instance: "kube-multus-ds-abc/kube-multus" }]) });
    for (const id of ["daemon.cpu.limit", "daemon.memory.limit", "daemon.cpu.throttled_share"] as const) expect(daemonSignal(unlimited, id), id).toMatchObject({ state: "unknown", reason: "no limit" });
    expect(daemonSignal(daemonWindow(), "daemon.cpu.throttled_share"), "limited, and no series").toMatchObject({ state: "unknown", reason: "cAdvisor does not tell it for this container" });
    expect(daemonSignal(daemonWindow(), "daemon.cpu.limit")).toMatchObject({ state: "fresh", value: 0.1 });
  });

  it("say that there is no PSI on cgroup v1", () => {
    const psi = (over: Partial<NodeWindow["kubelet"]>) => daemonSignal(daemonWindow({}, { kubelet: kubelet(over) }), "daemon.cpu.psi_share")?.reason;
    expect(psi({ hasPressure: false, cgroupVersion: 1 })).toBe("no PSI on cgroup v1");
    expect(psi({ hasPressure: false })).toBe("no PSI from this kubelet (there is none on cgroup v1)");
    expect(psi({ hasPressure: false, cgroupVersion: 2 })).toBe("no PSI from this kubelet");
  });

  it("say that no call finished, which is neither zero nor unseen", () => {
    const quiet = view({ kubelet: kubelet(), latest: latest(["cri.run_sandbox.calls", 0], ["cri.run_sandbox.p95.low", 119, { atMs: secondsAgo(15) }]) });
    expect(signal(quiet, "cri.run_sandbox.p95.low")).toMatchObject({ state: "unknown", reason: "no call finished" });
    expect(signal(quiet, "cri.run_sandbox.calls")).toMatchObject({ state: "fresh", value: 0 });
  });

  it("say that a percentile lies above the last bucket, and not what its upper edge was before", () => {
    const over = view({ kubelet: kubelet(), latest: latest(["cri.run_sandbox.calls", 5], ["cri.run_sandbox.p95.low", 745], ["cri.run_sandbox.p95.high", 745, { atMs: secondsAgo(15) }]) });
    expect(signal(over, "cri.run_sandbox.p95.low")).toMatchObject({ state: "fresh", value: 745 });
    expect(signal(over, "cri.run_sandbox.p95.high")).toMatchObject({ state: "unknown", reason: "above the last bucket: > 745 s" });
  });

  it("do not call an assumed deadline measured", () => {
    const assumed = view({ kubelet: { ...scraped, failures: { configz: "403 on nodes/configz" } } });
    expect(assumed.deadline).toEqual({ seconds: 240, assumed: true });
    expect(signal(assumed, "cri.deadline")).toMatchObject({ state: "unknown", reason: "assumed, since /configz could not be read: 403 on nodes/configz" });
    const read = view({ kubelet: kubelet(), latest: latest(["cri.deadline", 30, { atMs: secondsAgo(4_000) }]) });
    expect(read.deadline).toEqual({ seconds: 30, assumed: false });
    expect(signal(read, "cri.deadline"), "a setting, read once").toMatchObject({ state: "fresh", value: 30 });
  });

  it("have none of a daemon's pod that is gone", () => {
    const seen = daemonWindow({}, { latest: latest(["daemon.memory.working_set", 7, { instance: "kube-multus-ds-old/kube-multus" }], ["socket.state", 0, { instance: "/run/multus/multus.sock", source: "agent" }]) });
    expect(seen.signals.filter((one) => one.signal.startsWith("daemon.") && one.instance.includes("-old"))).toEqual([]);
    expect(signal(seen, "socket.state", "/run/multus/multus.sock")).toMatchObject({ state: "stale", value: 0 });
  });

  it("say why the API's own are unknown", () => {
    expect(signal(view(), "pods.oldest_dwell")).toMatchObject({ state: "unknown", reason: "no pod waits" });
    expect(signal(view({ kinds: watching(secondsAgo(200)) }), "pods.waiting")).toMatchObject({ state: "unknown", reason: "nothing for 3 min 20 s" });
  });
});

describe("what a view cannot see", () => {
  it("is listed with the reason and a way on", () => {
    const forbidden = watching().map((one) => (one.kind === "events" ? { ...one, state: "forbidden" as const, reason: "events is forbidden" } : one));
    expect(view({ kinds: forbidden }).blind).toEqual([
      { what: "Events", reason: "events is forbidden", fix: "Grant get, list and watch on events to Sandglass's account" },
      { what: "CRI latency, the kubelet's deadline, and CPU and memory of the CNI daemon", reason: "not configured", fix: expect.any(String) as string },
      { what: "Sandboxes, sockets, CNI config and plugins on the node itself", reason: "no agent on this node", fix: "Run the Sandglass agent on this node" },
    ]);
  });

  it.each([
    ["certificate not trusted: self-signed (the kubelet's certificate is self-signed: --kubelet-tls=pin, or give --kubelet-ca)", ["--kubelet-ca FILE", "--kubelet-tls=pin"]],
    ["certificate expired (renew the kubelet's serving certificate (serverTLSBootstrap and its approval), or --kubelet-tls=pin)", ["--kubelet-tls=pin"]],
    ["certificate names another host: DNS:b; expected one of a (give the kubelet a certificate with its node's name or address (serverTLSBootstrap), or --kubelet-tls=pin)", ["--kubelet-tls=pin"]],
    ["the kubelet's key changed: 01… was seen first, now it shows 02… (accept the new key)", ["Visibility, Changed kubelet keys"]],
    ["connection refused", ["port", "--kubelet=proxy"]],
  ])("names the mode that would work: %s", (reason, options) => {
    const [spot] = view({ kubelet: { configured: true, freshForMs: 45_000, reason } }).blind.filter(({ what }) => what.startsWith("CRI latency"));
    expect(spot?.reason).toBe(reason);
    for (const option of options) expect(spot?.fix).toContain(option);
    expect(spot?.fix, "the reader is on that page").not.toContain("visibility page");
  });

  it("is nothing where all is seen, a cluster without network attachments included", () => {
    const kinds = watching().map((one) => (one.kind === "nads" ? { ...one, state: "absent" as const } : one));
    const agent = agentWith({ runtime: { looked: true, reading: { name: "containerd", version: "2", conditions: [] } }, sandboxes: { looked: true, items: [], tookSeconds: 0, truncated: false }, sockets: { looked: true, items: [] }, config: { looked: true, reading: config } });
    expect(view({ kinds, kubelet: kubelet(), agent }).blind).toEqual([]);
  });

  it("has the reports that the agent gave up, with their number, reasons and span, for a day; none where there were none or none was told of", () => {
    const lost = (lostReports: LostReports) => agentWith({ lostReports });
    const told = { thinned: 30, tooOld: 7, fromMs: NOW_MS - 3_600_000, toMs: NOW_MS - 60_000 };
    const whatOf = (agent: ReturnType<typeof agentWith>) => view({ agent }).blind.filter(({ what }) => what.includes("could not send"));
    expect(whatOf(lost(told))).toEqual([{ what: "All that the agent saw while it could not send", reason: expect.stringMatching(/^it gave up 37 reports, made from .*UTC to .*UTC: 30 to make room, 7 too old to be kept$/) }]);
    expect(view({ agent: lost(told) }).lostReports).toEqual(told);
    expect(whatOf(lost({ ...told, fromMs: NOW_MS - 2 * 86_400_001, toMs: NOW_MS - 86_400_001 }))).toEqual([]);
    expect(whatOf(lost({ thinned: 0, tooOld: 0 }))).toEqual([]);
    expect(view({ agent: lost({ thinned: 0, tooOld: 0 }) }).lostReports).toEqual({ thinned: 0, tooOld: 0 });
    expect(whatOf(agentWith({}))).toEqual([]);
    expect(view({ agent: agentWith({}) })).not.toHaveProperty("lostReports");
  });

  it("names each part that the kubelet or the agent could not give", () => {
    const spots = view({ kubelet: kubelet({ hasPressure: false, cgroupVersion: 1, failures: { cadvisor: "timed out after 5 s" } }), agent: agentWith({ sockets: { looked: true, items: [], unseen: [{ name: "x", path: "/run/x.sock", reason: "EACCES" }] } }) }).blind;
    expect(spots.map(({ what, reason }) => `${what}: ${reason}`)).toEqual([
      "CPU throttling, pressure and memory of the CNI daemon: timed out after 5 s",
      "CPU pressure (PSI) of the CNI daemon: no PSI on cgroup v1",
      "The runtime's own conditions: not asked in this test",
      "The runtime's sandboxes: not asked in this test",
      "CNI config and plugins: not asked in this test",
      "Socket /run/x.sock: EACCES",
    ]);
  });

  it("is the same plain data after a journey as JSON, as a store keeps it", () => {
    const whole = view({ daemons: [multus], pods: podsOf(daemonPod(), pod({ uid: "p" })), kubelet: kubelet(), lastFreshMs: secondsAgo(10) });
    expect(JSON.parse(JSON.stringify(whole))).toEqual(whole);
  });
});
