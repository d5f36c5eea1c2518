import { describe, expect, it } from "vitest";
import type { NodeView } from "../domain/node-view";
import { committedCapture } from "./testing/captures/capture";
import { captureLog } from "./testing/captures/capture-log";
import { changed, without, type Change } from "./testing/captures/changed";
import { added, edited, isDaemon, listing, pods, saying, type EditedStatus } from "./testing/captures/edits";
import { replayed } from "./testing/captures/replayed";

/**
 * Failures of real multus of which what was seen is told and no capture lies here: a capture of it at work, changed to what
 * was seen.
 */
interface Trial {
  readonly of: "healthy" | "install-deadlock-cp-f";
  readonly what: string;
  readonly changes: readonly Change[];
  /** Roots with their details, each with what is folded under it. */
  readonly named: readonly (readonly [cause: string, ...consequences: string[]])[];
}

/** When the capture of multus at work was taken, and a minute before. */
const NOW = "2026-11-30T10:51:44Z";
const BEFORE = "2026-11-30T10:50:44Z";
const BASE = { chrootDir: "/hostroot", cniVersion: "0.3.1", multusConfigFile: "auto" };
const OTHER = "20-other.conflist";

const noGenerated = listing((text) => text.replace(/^.* 00-multus.conf\n/m, "").replace(/## \/etc\/cni\/net.d\/00-multus.conf\n.*\n/, ""));
const noSocket = listing((text) => text.replace(/^.* multus.sock\n/m, "").replace(/(## unix sockets.*\n)[\s\S]*$/, "$1"));
const noMaster = listing((text) => text.replace(/^.* 10-bridge.conflist\n/m, "").replace(/## \/etc\/cni\/net.d\/10-bridge.conflist\n[\s\S]*?(?=## )/, ""));
const master = (name: string): Change => listing((text) => text.replace("/host/etc/cni/net.d/10-bridge.conflist", `/host/etc/cni/net.d/${name}`));
const beside = (name: string): Change => listing((text) => text.replace(/^(.*)10-bridge.conflist$/m, `$&\n$1${name}`).replace("## /run/netns", `## /etc/cni/net.d/${name}\n{"cniVersion":"1.0.0","name":"other","plugins":[{"type":"bridge"}]}\n\n## /run/netns`));
const daemonConfig = (text: string): Change => added("configmaps.json", JSON.stringify({ items: [{ metadata: { name: "multus-daemon-config", namespace: "kube-system" }, data: { "daemon-config.json": text } }] }));

const ended = (exitCode: number, message: string): Change =>
  pods((pod) => {
    if (!isDaemon(pod)) return;
    for (const status of pod.status.containerStatuses ?? []) Object.assign(status, { restartCount: 2, ready: false, state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated: { exitCode, reason: "Error", message, startedAt: NOW, finishedAt: NOW } } } satisfies Partial<EditedStatus>);
    for (const condition of pod.status.conditions) if (condition.type.endsWith("Ready")) condition.status = "False";
  });

/** Pods that ask for a second network came up without it long before the daemon's start, and nothing was said. */
const passedBy: readonly Change[] = [
  pods((pod) => {
    if (isDaemon(pod)) return;
    pod.metadata.annotations = { "k8s.v1.cni.cncf.io/networks": "second-bridge" };
    for (const condition of pod.status.conditions) condition.lastTransitionTime = BEFORE;
  }),
  saying(undefined, NOW),
];

const wait = (message: string): readonly Change[] => [
  pods((pod) => {
    if (isDaemon(pod)) return;
    pod.metadata.creationTimestamp = BEFORE;
    pod.status = { phase: "Pending", conditions: [["PodScheduled", "True"], ["PodReadyToStartContainers", "False"], ["Ready", "False"]].map(([type = "", status = ""]) => ({ type, status, lastTransitionTime: BEFORE })) };
  }),
  saying(message, NOW),
];

const NOT_READY = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized";
const notReady = edited("node.json", (text) => {
  const node = JSON.parse(text) as { status: { conditions: { type: string; status: string; reason: string; message: string }[] } }; // our own recording
  for (const condition of node.status.conditions) if (condition.type === "Ready") Object.assign(condition, { status: "False", reason: "KubeletNotReady", message: NOT_READY });
  return JSON.stringify(node);
});

const frame = (inner: string): string => `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "25736f": plugin type="multus-shim" name="multus-cni-network" failed (add): CmdAdd (shim): ${inner}`;
const NO_MASTER = frame(`CNI request failed with status 400: 'ContainerID:"25736f" ERRORED: error configuring pod [default/p] networking: Multus: [default/p/u]: failed to get clusterNetwork/defaultNetworks: GetDefaultNetworks: failed to get clusterNetwork /host/etc/cni/net.d/${OTHER} in namespace kube-system'`);
const NO_SOCKET = frame('failed to send CNI request: Post "http://dummy/cni": dial unix /run/multus/multus.sock: connect: no such file or directory');

const unscheduled: Change = pods((pod) => {
  if (!isDaemon(pod)) return;
  delete pod.spec.nodeName;
  pod.spec.affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["node-1"] }] }] } } };
  for (const container of pod.spec.containers) container.resources = { limits: { memory: "16Gi" }, requests: { memory: "16Gi" } };
  pod.status = { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", lastTransitionTime: BEFORE, message: "0/1 nodes are available: 1 Insufficient memory. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling." }] };
});

/** Between two tries of the installer, which another cp wrote its text for. */
const betweenTries: Change = pods((pod) => {
  const last = { terminated: { exitCode: 1, reason: "Error", message: "cp: cannot create regular file '/host/opt/cni/bin/multus-shim': Text file busy\n", startedAt: "2026-11-30T11:01:14Z", finishedAt: "2026-11-30T11:01:14Z" } };
  if (isDaemon(pod)) for (const status of pod.status.initContainerStatuses ?? []) Object.assign(status, { state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: last } satisfies Partial<EditedStatus>);
});
/** The daemon's own container had been killed for memory before the node lost its sandboxes. */
const killedBefore: Change = pods((pod) => {
  if (isDaemon(pod)) for (const status of pod.status.containerStatuses ?? []) Object.assign(status, { ready: false, state: { terminated: { exitCode: 137, reason: "OOMKilled", startedAt: "2026-11-30T11:00:30Z", finishedAt: "2026-11-30T11:00:47Z" } }, lastState: {} } satisfies Partial<EditedStatus>);
});
const shimAside = listing((text) => text.replace(/^(.*) multus-shim$/m, "$1 .multus-shim.old"));

const TRIALS: readonly Trial[] = [
  { of: "healthy", what: "multusMasterCNI names a file that is not there", changes: [ended(2, "[error] failed to access the primary CNI configuration from /host/etc/cni/net.d/05-missing.conflist: open /host/etc/cni/net.d/05-missing.conflist: no such file or directory"), ...passedBy, noGenerated, noSocket, daemonConfig(JSON.stringify({ ...BASE, multusMasterCNI: "05-missing.conflist" }))], named: [["wrong-master-cni/missing", "silent-bypass/refused-config"]] },
  { of: "healthy", what: "multusMasterCNI names another file that is there", changes: [master(OTHER), beside(OTHER), daemonConfig(JSON.stringify({ ...BASE, multusMasterCNI: OTHER }))], named: [] },
  { of: "healthy", what: "the file that it names is removed while the daemon runs", changes: [master(OTHER), ...wait(NO_MASTER), daemonConfig(JSON.stringify({ ...BASE, multusMasterCNI: OTHER }))], named: [["wrong-master-cni/missing", "cni-config-missing"]] },
  { of: "healthy", what: "multusMasterCNI stands below another key", changes: [beside(OTHER), daemonConfig(JSON.stringify({ ...BASE, cni: { multusMasterCNI: OTHER } }))], named: [["wrong-master-cni/nested"]] },
  { of: "healthy", what: "the daemon's config is not JSON", changes: [ended(1, "[panic] startMultusDaemon failed to load the CNI server configuration: failed to unmarshall the daemon configuration: invalid character '\"' after object key:value pair"), ...passedBy, noGenerated, noSocket, daemonConfig('{"a":"b" "c":1}')], named: [["cni-config-invalid/daemon-config", "silent-bypass/refused-config"]] },
  { of: "healthy", what: "the conf dir is empty", changes: [noGenerated, noMaster, noSocket, notReady, ...wait(`network is not ready: ${NOT_READY}`)], named: [["cni-config-missing"]] },
  { of: "healthy", what: "the conf dir is empty, and the node's object was not captured", changes: [noGenerated, noMaster, noSocket, without("node"), ...wait(`network is not ready: ${NOT_READY}`)], named: [["cni-config-missing"]] },
  { of: "healthy", what: "two daemons overlapped", changes: [...passedBy, noGenerated, noSocket], named: [["silent-bypass/overlapping-daemons"]] },
  { of: "healthy", what: "the daemon asks for more memory than the node has", changes: [unscheduled, noSocket, ...wait(NO_SOCKET)], named: [["daemon-unschedulable/memory", "daemon-down"]] },
  { of: "install-deadlock-cp-f", what: "another cp says so, between two tries of the installer", changes: [betweenTries], named: [["install-deadlock", "daemon-down"]] },
  { of: "install-deadlock-cp-f", what: "the daemon had been killed for memory before", changes: [killedBefore], named: [["install-deadlock", "daemon-down"]] },
  { of: "install-deadlock-cp-f", what: "the busy shim was renamed aside, and the installer's next try is to come", changes: [shimAside], named: [["install-deadlock", "daemon-down"], ["plugin-binary-missing/conflist"]] },
];

const named = ({ causes }: NodeView): readonly (readonly string[])[] => causes.map(({ code, detail, consequences }) => [detail === undefined ? code : `${code}/${detail}`, ...consequences.map((one) => (one.detail === undefined ? one.code : `${one.code}/${one.detail}`))]);

describe("a failure of which was told what it shows", () => {
  it.each(TRIALS)("is named where $what", async ({ of, changes, named: expected }) => {
    const log = await captureLog(changed(committedCapture(`multus/${of}`), ...changes), "");
    const [view] = replayed(log, [log.judgeMs]);
    if (view === undefined) throw new Error("the log is judged once");
    expect(named(view), view.causes.map(({ summary }) => summary).join("\n")).toEqual(expected);
  });
});
