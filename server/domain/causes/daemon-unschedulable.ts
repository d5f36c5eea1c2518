import type { Evidence } from "../answer";
import type { CniDaemon } from "../cni-daemons";
import { askedFor, JOINING_MS, untolerated } from "../daemon-gaps";
import type { ContainerResources } from "../model";
import { bytesWords, coresWords, countWords, listWords, spanWords } from "../words";
import { allDaemonPods, daemonPods, daemonsUnseen, isNeeded, type DaemonPod } from "./daemon-pods";
import { couldNotLook, notSeen, seen } from "./evidence";
import { cannotTell, clear, lineWords } from "./findings";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

/** The scheduler tries again within seconds of any change; a pod that is turned down for so long lacks something. */
export const UNSCHEDULED_AFTER_MS = 30_000;
const MAX_MESSAGE_CHARS = 300;

export const daemonUnschedulable: Cause = {
  code: "daemon-unschedulable",
  title: "The CNI daemon's pod cannot be placed on the node",
  severity: "blocks",
  meaning:
    "The DaemonSet wants its pod on this node, and the scheduler cannot place it: what the pod asks for is more than the node has left. Or the node has a taint that the DaemonSet does not bear, so that no pod is even made for it. A memory limit without a request is a usual reason: the request then counts as high as the limit.",
  impact: "This node has no CNI daemon. Pods that are placed here wait for a sandbox, or start without the networks that they ask for.",
  checks: [
    "A pod of a CNI DaemonSet that only this node may run is unscheduled for 30 s or more; what the scheduler says; what the pod asks for against what the node can give and what its other pods ask for.",
    "Whether its memory request was set, or comes from its limit (the template has a limit and no request), or from a LimitRange of the namespace.",
    "A CNI whose plugin the config in force calls has no pod here, and the node bears a taint that its DaemonSet does not tolerate.",
    "Where it fires, every node of the cluster without a pod of that DaemonSet, and what is in its way: room, a taint, the DaemonSet's own choice of nodes.",
  ],
  lookAlikes: [
    { code: "daemon-down", tells: "There the pod is on the node and does not run." },
    { code: "oom-victim-candidate", tells: "There a missing memory limit is the danger; here a limit without a request, or too high a request." },
  ],
  mitigation: [
    "Read the scheduler's own words: `kubectl -n NAMESPACE describe pod POD`.",
    "Memory or CPU: set a small request in the DaemonSet (256Mi, 100m) and keep the limit; the kernel does not reserve a limit. This rolls every node.",
    "Only this node is full: move a pod away. The daemon's priority class (system-node-critical) lets the scheduler do so by itself.",
    "Taint: add a toleration to the DaemonSet (a CNI usually tolerates all: `operator: Exists`), or take the taint away where it is a mistake.",
  ],
  actions: ["set-daemon-resources"],
  explains: ["daemon-down", "retry-storm", "sandbox-name-reserved", "silent-bypass"],
  check: (input) => {
    const unseen = daemonsUnseen(input);
    if (unseen !== undefined) return [cannotTell(unseen)];
    const turnedDown = daemonPods(input).filter((daemonPod) => unscheduledMs(input, daemonPod) >= UNSCHEDULED_AFTER_MS);
    if (turnedDown.length > 0) return [unscheduled(input, turnedDown)];
    const kept = keptAway(input);
    const certain = kept.filter(({ needed }) => needed === true);
    if (certain.length > 0) return [tainted(input, certain, "named")];
    if (kept.length > 0 && input.held.stuck > 0) return [tainted(input, kept, "suspected")];
    return [clear("Every CNI daemon that is meant to run here was placed here.", daemonPods(input).map(({ pod }) => seen(`Pod ${pod.name} has a node`, "api", pod.scheduledMs === undefined ? {} : { atMs: pod.scheduledMs })))];
  },
};

/** For how long the scheduler has turned it down; 0 where it is placed. */
function unscheduledMs({ nowMs }: CauseInput, { pod, detail }: DaemonPod): number {
  if (pod.node !== undefined || detail?.unscheduled === undefined) return 0;
  const sinceMs = detail.unscheduled.sinceMs ?? pod.createdMs;
  return sinceMs === undefined ? 0 : nowMs - sinceMs;
}

function unscheduled(input: CauseInput, pods: readonly DaemonPod[]): Finding {
  const sentences = pods.map((daemonPod) => {
    const message = daemonPod.detail?.unscheduled?.message;
    const asks = asksWords(daemonPod);
    return `Pod ${daemonPod.pod.name} of ${daemonPod.daemon.key}, which only this node may run, has had no node for ${spanWords(input.nowMs - unscheduledMs(input, daemonPod), input.nowMs)}${message === undefined ? "" : `: ${lineWords(message, MAX_MESSAGE_CHARS)}`}${asks === undefined ? "" : ` ${asks}`}`;
  });
  const detail = detailOf(pods[0]?.detail?.unscheduled?.message);
  return { state: "firing", certainty: "named", ...(detail === undefined ? {} : { detail }), summary: sentences.map(ended).join(" "), evidence: pods.flatMap((daemonPod) => podEvidence(input, daemonPod)), pods: namesOf(waitsForNode(input)) };
}

const ended = (sentence: string): string => (sentence.endsWith(".") ? sentence : `${sentence}.`);

/** What the scheduler lacks, by its own words. */
function detailOf(message = ""): string | undefined {
  if (message.includes("Insufficient memory")) return "memory";
  if (message.includes("Insufficient cpu")) return "cpu";
  return message.includes("untolerated taint") || message.includes("that the pod didn't tolerate") ? "taint" : undefined;
}

/** A pod's request: the sum of its containers, or its greatest init container's if that is more. */
function requestOf(containers: readonly ContainerResources[], of: (one: ContainerResources) => number | undefined): number {
  const sum = containers.filter(({ init }) => !init).reduce((total, one) => total + (of(one) ?? 0), 0);
  return Math.max(sum, ...containers.filter(({ init }) => init).map((one) => of(one) ?? 0));
}

/** Containers whose template sets a memory limit and no request, so that the request is as high as the limit. */
const defaulted = ({ daemon }: DaemonPod): readonly string[] => daemon.daemonSet.containers.filter(({ memoryLimitBytes, memoryRequestBytes }) => memoryLimitBytes !== undefined && memoryRequestBytes === undefined).map(({ name }) => name);

/** Containers whose memory request is in no manifest: a LimitRange of the namespace filled it in. */
const fromRange = ({ detail, daemon }: DaemonPod): readonly string[] => {
  const silent = daemon.daemonSet.containers.filter(({ memoryLimitBytes, memoryRequestBytes }) => memoryLimitBytes === undefined && memoryRequestBytes === undefined);
  return (detail?.filledIn ?? []).filter(({ container, requests }) => requests.includes("memory") && silent.some(({ name }) => name === container)).map(({ container }) => container);
};

function asksWords(daemonPod: DaemonPod): string | undefined {
  const containers = daemonPod.detail?.containers ?? [];
  const memory = requestOf(containers, ({ memoryRequestBytes }) => memoryRequestBytes);
  const from = defaulted(daemonPod);
  const range = fromRange(daemonPod);
  if (memory === 0) return undefined;
  return `It asks for ${bytesWords(memory)} and ${coresWords(requestOf(containers, ({ cpuRequestCores }) => cpuRequestCores))}${from.length === 0 ? "" : `; the memory request of ${listWords(from)} is not set and so as high as its limit`}${range.length === 0 ? "" : `; the memory request of ${listWords(range)} was filled in by a LimitRange of its namespace`}.`;
}

function podEvidence(input: CauseInput, daemonPod: DaemonPod): readonly Evidence[] {
  const { pod, detail, daemon } = daemonPod;
  const said = detail?.unscheduled;
  const containers = detail?.containers ?? [];
  const { memoryBytes, cpuCores } = input.node.allocatable;
  const others = askedFor(input.pods.values(), pod);
  return [
    seen(`Condition PodScheduled of pod ${pod.name}`, "api", { value: `False: ${lineWords(said?.message ?? "no reason told", MAX_MESSAGE_CHARS)}`, ...(said?.sinceMs === undefined ? {} : { atMs: said.sinceMs }) }),
    seen(`Memory that pod ${pod.name} asks for`, "api", { value: requestOf(containers, ({ memoryRequestBytes }) => memoryRequestBytes), unit: "bytes" }),
    ...(memoryBytes === undefined ? [] : [seen("Memory that the node can give to all its pods", "api", { value: memoryBytes, unit: "bytes" })]),
    others === undefined ? couldNotLook("Memory that the node's other pods ask for", "api", "requests of some of its pods are not told") : seen("Memory that the node's other pods ask for", "api", { value: others.memoryBytes, unit: "bytes" }),
    seen(`CPU that pod ${pod.name} asks for`, "api", { value: requestOf(containers, ({ cpuRequestCores }) => cpuRequestCores), unit: "cores" }),
    ...(cpuCores === undefined ? [] : [seen("CPU that the node can give to all its pods", "api", { value: cpuCores, unit: "cores" })]),
    ...defaulted(daemonPod).map((container) => notSeen(`A memory request of ${container} in the template of ${daemon.key}, beside its limit`, "api")),
    ...fromRange(daemonPod).map((container) => seen(`A LimitRange of namespace ${pod.namespace} filled in the memory request of ${container}`, "api")),
    ...gapEvidence(input, daemon),
  ];
}

/** The same on every node of the cluster: how many have no pod of the daemon, which, and why. */
function gapEvidence({ gapsOf }: CauseInput, { key }: CniDaemon): readonly Evidence[] {
  const gaps = gapsOf(key);
  if (gaps === undefined) return [];
  return [
    seen(`Nodes of the cluster without a pod of ${key}`, "api", { value: `${gaps.without} of ${gaps.nodes}` }),
    ...gaps.named.map(({ node, why }) => notSeen(`A pod of ${key} on node ${node}: ${why}`, "api")),
    ...(gaps.without > gaps.named.length ? [notSeen(`A pod of ${key} on ${countWords(gaps.without - gaps.named.length, "more node")}`, "api")] : []),
  ];
}

interface KeptAway {
  readonly daemon: CniDaemon;
  readonly taints: readonly string[];
  readonly needed: boolean | undefined;
}

/** CNI daemons that have no pod here because of a taint. A DaemonSet that picks its nodes may not be meant for this one. */
function keptAway(input: CauseInput): readonly KeptAway[] {
  const { node, nowMs } = input;
  if (node.createdMs !== undefined && nowMs - node.createdMs < JOINING_MS) return [];
  const here = new Set(allDaemonPods(input).map(({ daemon }) => daemon.key));
  return input.cniDaemons.flatMap((daemon): readonly KeptAway[] => {
    const needed = isNeeded(input, daemon);
    if (here.has(daemon.key) || daemon.daemonSet.picksNodes || needed === false) return [];
    const taints = untolerated(node, daemon.daemonSet);
    // By the kind alone it cannot be told that this node is meant to run it.
    const known = input.report?.config.looked === true ? needed : undefined;
    return taints.length === 0 ? [] : [{ daemon, taints, needed: known }];
  });
}

function tainted(input: CauseInput, kept: readonly KeptAway[], certainty: "named" | "suspected"): Finding {
  return {
    state: "firing",
    certainty,
    detail: "taint",
    summary: kept.map(({ daemon, taints }) => `${daemon.key} has no pod here: the node bears ${listWords(taints)}, which it does not tolerate${certainty === "named" ? ", and the config in force calls its plugin" : ""}.`).join(" "),
    evidence: kept.flatMap(({ daemon, taints }) => [notSeen(`A pod of ${daemon.key} on this node`, "api"), ...taints.map((taint) => seen(`Taint that ${daemon.key} does not tolerate`, "api", { value: taint })), ...gapEvidence(input, daemon)]),
    pods: namesOf(waitsForNode(input)),
  };
}
