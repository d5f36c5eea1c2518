import { describe, expect, it } from "vitest";
import { NO_HELD_PODS } from "../judge-input";
import { daemonSet, namespace, node, objectName } from "../testing/builders";
import { daemonDown } from "./daemon-down";
import { causeCases, checked } from "./testing/cases";
import { daemonPod, daemons, detail, down, ended, multus, multusDaemonSet } from "./testing/daemons";
import { causeInput } from "./testing/input";
import { socket, socketsSeen } from "./testing/sockets";
import { saying, secondsAgo } from "./testing/texts";

const held = { held: { ...NO_HELD_PODS, waiting: 5, stuck: 5, oldestWaitMs: secondsAgo(120), oldestStuckMs: secondsAgo(120) } };
const crashed = (seconds: number) => down(seconds, { restarts: 4, terminations: [ended({ finishedMs: secondsAgo(seconds), exitCode: 2 })], waitingReasons: ["CrashLoopBackOff"] });
const shimConfig = { pluginTypes: ["daemon-shim"], sockets: ["/run/daemon-shim/daemon.sock"] };
const text = saying("daemon-down", "dial unix /run/multus/multus.sock: connect: connection refused");
const whereabouts = daemonSet({ uid: "wb", name: objectName("whereabouts"), containers: [{ name: "whereabouts", init: false }], matchLabels: { app: "whereabouts" } });
const apiStale = { source: (source: "api" | "kubelet" | "agent" | "prometheus") => ({ source, freshness: source === "api" ? ("stale" as const) : ("fresh" as const), reason: "the watch is gone" }) };

causeCases(daemonDown, {
  fires: [
    { name: "where the daemon crashes and pods wait, without an agent", certainty: "named", says: ["kube-multus", "has not run here for 40 s", "exit code 2", "CrashLoopBackOff"], input: causeInput({ ...multus(crashed(40)), ...held, report: null }) },
    { name: "where nothing waits yet, after two minutes", certainty: "named", input: causeInput({ ...multus(crashed(130)), ...socketsSeen([socket({ state: "refuses" })]) }) },
    { name: "where its pod never began", certainty: "named", says: ["does not run here, where its pod was made 3 min 20 s ago", "ContainerCreating"], input: causeInput({ ...multus(down(200, { terminations: [], waitingReasons: ["ContainerCreating"] }), { pod: { createdMs: secondsAgo(200) } }), ...held }) },
    { name: "where its pod was deleted and none follows", certainty: "named", says: ["none follows"], input: causeInput({ ...multus(crashed(200), { pod: { deleting: true } }), ...held }) },
    { name: "where nobody serves the socket that the config calls, and no DaemonSet is known to", certainty: "named", says: ["/run/daemon-shim/daemon.sock", "refuses connections"], input: causeInput({ ...socketsSeen([socket({ name: "daemon-shim", path: "/run/daemon-shim/daemon.sock", state: "refuses", sinceMs: secondsAgo(30) })], shimConfig), ...held }) },
    { name: "where that socket is gone", certainty: "named", says: ["is absent"], input: causeInput(socketsSeen([socket({ name: "daemon-shim", path: "/run/daemon-shim/daemon.sock", state: "absent", sinceMs: secondsAgo(30) })], shimConfig)) },
    { name: "on a node that joined lately, once pods are stuck", certainty: "named", input: causeInput({ ...multus(crashed(100)), ...held, node: node({ createdMs: secondsAgo(200) }) }) },
  ],
  almost: [
    { name: "where it restarts: two seconds are no failure", input: causeInput({ ...multus(crashed(2)), held: { ...NO_HELD_PODS, waiting: 3, oldestWaitMs: secondsAgo(2) } }) },
    { name: "in a rollout, while its successor's image is pulled and nothing waits", input: causeInput({ ...daemons([daemonPod(down(60, { terminations: [], waitingReasons: ["ContainerCreating"] }), { uid: "new", name: objectName("kube-multus-ds-new"), createdMs: secondsAgo(60) })]) }) },
    { name: "while the old pod still serves through its shutdown", input: causeInput({ ...daemons([daemonPod(detail(), { deleting: true }), daemonPod(down(200, { terminations: [] }), { uid: "new", name: objectName("kube-multus-ds-new"), createdMs: secondsAgo(200) })]), ...held }) },
    { name: "on a node that has just joined", input: causeInput({ ...multus(down(150, { terminations: [], waitingReasons: ["PodInitializing"] }), { pod: { createdMs: secondsAgo(150) } }), node: node({ createdMs: secondsAgo(160) }), held: { ...NO_HELD_PODS, waiting: 2, oldestWaitMs: secondsAgo(40) } }) },
    { name: "where the daemon is one that no call needs", input: causeInput({ ...daemons([daemonPod(crashed(600), { owner: "DaemonSet/whereabouts" })], [whereabouts]), ...held, ...socketsSeen([], { pluginTypes: ["bridge"] }) }) },
    { name: "where its process runs beside a socket that refuses", input: causeInput({ ...multus(), ...held, ...socketsSeen([socket({ state: "refuses" })]) }) },
    { name: "where a socket refuses for the first time", input: causeInput(socketsSeen([socket({ name: "daemon-shim", path: "/run/daemon-shim/daemon.sock", state: "refuses", sinceMs: secondsAgo(0) })], shimConfig)) },
    { name: "where multus is down and the config in force no longer calls it", input: causeInput({ ...multus(crashed(600)), ...socketsSeen([], { effectiveFile: "10-bridge.conflist", pluginTypes: ["bridge", "host-local"] }) }) },
  ],
  missing: [
    { name: "only suspects a dead socket while pods cannot be seen: the daemon may run", state: "suspected", says: "refuses", input: causeInput({ ...multus(), ...socketsSeen([socket({ state: "refuses" })]), ...apiStale }) },
    { name: "cannot tell while the API says nothing and no socket is called", state: "unknown", says: "The Kubernetes API tells nothing current", input: causeInput({ ...multus(crashed(600)), ...socketsSeen([], { pluginTypes: ["bridge"] }), ...apiStale }) },
    { name: "cannot tell without an agent where no daemon is known", state: "unknown", says: "no agent on this node", input: causeInput({ report: null }) },
    { name: "suspects by a text there", state: "suspected", says: "1 pod", input: causeInput({ report: null, errors: [text] }) },
    { name: "suspects a daemon of which it is not known whether calls need it", state: "suspected", says: "other-cni", input: causeInput({ ...daemons([daemonPod(crashed(600), { owner: "DaemonSet/other-cni" })], [multusDaemonSet({ name: objectName("other-cni"), namespace: namespace("kube-system"), matchLabels: {} })]), ...held, report: null }) },
  ],
});

describe("a daemon that is down beside pods that start", () => {
  it("is a risk and no blocker, and says that something else serves them", () => {
    const [finding] = checked(daemonDown, causeInput({ ...multus(crashed(200)), lastFreshMs: secondsAgo(20), report: null }));
    expect(finding).toMatchObject({ state: "firing", severity: "risks" });
    expect(finding?.summary).toContain("Pods start all the same");
  });
});

describe("evidence of a daemon that is down", () => {
  it("has its state, its last end and, without an agent, why the socket was not looked at", () => {
    const [finding] = checked(daemonDown, causeInput({ ...multus(crashed(40)), ...held, report: null }));
    expect(finding?.evidence.map(({ look, source }) => `${look} ${source}`)).toEqual(["seen api", "not-seen api", "seen api", "seen api", "could-not-look agent"]);
  });
});
