import { AGENT_REPORT_VERSION, type AgentReport } from "../agent-report";
import { parseNamespace, parseNodeName, parseObjectName, type Namespace, type NodeName, type ObjectName } from "../ids";
import type { JudgeInput } from "../judge-input";
import { NO_HELD_PODS } from "../judge-input";
import type { DaemonSetObject, EventObject, NodeObject, PodObject } from "../model";
import type { NodeWindow } from "../node-window";
import type { KindStatus } from "../observation";
import { DEFAULT_THRESHOLDS } from "../thresholds";

/** Plain objects for tests of judging: each with the least that such an object says, and what the test adds. */
export const NOW_MS = Date.parse("2026-03-17T03:12:40Z");
export const secondsAgo = (seconds: number): number => NOW_MS - seconds * 1_000;

function named<T>(parse: (text: string) => T | undefined, text: string): T {
  const name = parse(text);
  if (name === undefined) throw new Error(`${text} is no possible name`);
  return name;
}
export const nodeName = (text: string): NodeName => named(parseNodeName, text);
export const namespace = (text: string): Namespace => named(parseNamespace, text);
export const objectName = (text: string): ObjectName => named(parseObjectName, text);

/** A pod that is bound to node-07 and has no sandbox yet. */
export function pod(over: Partial<PodObject> & { readonly uid?: string } = {}): PodObject {
  const uid = over.uid ?? "uid-1";
  return { uid, namespace: namespace("default"), name: objectName(`pod-${uid}`), node: nodeName("node-07"), hostNetwork: false, phase: "Pending", deleting: false, hasIp: false, hasAttachableVolumes: false, hasResourceClaims: false, system: false, ...over };
}

/** The same with a sandbox that turned ready then. */
export const startedPod = (readyMs: number, over: Partial<PodObject> = {}): PodObject => pod({ phase: "Running", hasIp: true, readyToStart: { status: true, sinceMs: readyMs }, containerStartedMs: readyMs, ...over });

/** The same without one since then. */
export const waitingSince = (sinceMs: number, over: Partial<PodObject> = {}): PodObject => pod({ scheduledMs: sinceMs, readyToStart: { status: false, sinceMs }, ...over });

let events = 0;
export function event(reason: string, lastMs: number, over: Partial<EventObject> = {}): EventObject {
  events += 1;
  return { uid: `event-${events}`, namespace: "default", reason, type: reason.startsWith("Failed") ? "Warning" : "Normal", message: `${reason} happened`, count: 1, firstMs: lastMs, lastMs, about: { kind: "Pod", namespace: "default", name: "pod-uid-1", uid: "uid-1" }, ...over };
}

export function node(over: Partial<NodeObject> = {}): NodeObject {
  return { name: nodeName("node-07"), uid: "node-uid", unschedulable: false, taints: [], conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }], addresses: [], versions: {}, allocatable: {}, ...over };
}

export function daemonSet(over: Partial<DaemonSetObject> = {}): DaemonSetObject {
  return { uid: "ds-uid", namespace: namespace("kube-system"), name: objectName("kube-multus-ds"), resourceVersion: "1", generation: 1, containers: [{ name: "install-multus-binary", init: true }, { name: "kube-multus", init: false, cpuLimitCores: 0.1, memoryLimitBytes: 52_428_800 }], images: [], matchLabels: { name: "multus" }, tolerations: [{ effect: "NoSchedule" }, { effect: "NoExecute" }], picksNodes: false, hostPaths: ["/etc/cni/net.d", "/opt/cni/bin"], updateStrategy: "RollingUpdate", desired: 1, ready: 1, updated: 1, ...over };
}

export function agentReport(over: Partial<AgentReport> = {}): AgentReport {
  const notLooked = { looked: false, reason: "not asked in this test" } as const;
  return { version: AGENT_REPORT_VERSION, node: "node-07", startId: "start", sequence: 1, atMs: NOW_MS, agentVersion: "test", runtime: notLooked, sandboxes: notLooked, sockets: notLooked, config: notLooked, ...over };
}

export const watching = (lastMs = NOW_MS): readonly KindStatus[] => (["nodes", "pods", "events", "daemonsets", "nads"] as const).map((kind) => ({ kind, state: "watching", lastMs, objects: 1 }));

/** A judgement's input in which every source of the API is fresh, and nothing waits. */
export function judgeInput(over: Partial<JudgeInput> = {}): JudgeInput {
  return {
    nowMs: NOW_MS,
    thresholds: DEFAULT_THRESHOLDS,
    api: { source: "api", freshness: "fresh", lastMs: NOW_MS },
    pods: { seen: true },
    events: { seen: true },
    held: NO_HELD_PODS,
    daemons: [],
    agentStatus: { source: "agent", freshness: "absent", reason: "no agent on this node" },
    ...over,
  };
}

export function nodeWindow(over: Partial<NodeWindow> = {}): NodeWindow {
  return {
    node: node(),
    pods: new Map(),
    eventsAbout: () => [],
    kinds: watching(),
    daemons: [],
    daemonSets: [],
    nads: new Map(),
    nadPluginTypes: new Set(),
    trends: new Map(),
    agent: { configured: false, freshForMs: 45_000 },
    kubelet: { configured: false, freshForMs: 45_000 },
    latest: new Map(),
    sockets: new Map(),
    cgroupKills: new Map(),
    oomKills: new Map(),
    ...over,
  };
}
