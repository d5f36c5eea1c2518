import type { Evidence } from "../answer";
import { canonicalSocketPath, knownSocketFor } from "../known-sockets";
import type { PodObject } from "../model";
import { countWords, listWords, spanWords } from "../words";
import { agentPart } from "./agent-part";
import { agentHeardMs } from "./called-sockets";
import { allDaemonPods, containerOf, daemonsUnseen, isRunning, lastEndOfDaemon, runningSinceMs, type DaemonPod } from "./daemon-pods";
import { couldNotLook, notSeen, seen } from "./evidence";
import { cannotTell, clear, lineWords } from "./findings";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type Finding } from "./types";
import { podKey } from "./waiting-pods";

/** The annotation comes with the sandbox; a watch may bring it a little later. */
export const STATUS_COMES_MS = 30_000;
/** A pod that became ready so shortly before or after the daemon began met the gap of its restart, seconds of clocks and events included. */
export const GAP_BEFORE_MS = 15_000;
export const GAP_AFTER_MS = 5_000;
/** A daemon that has run for so long has written its config, or never will. */
export const WRITES_AFTER_MS = 30_000;
const MULTUS = "multus";
const MAX_MESSAGE_CHARS = 200;
/** What multus ends with where it cannot use its own config. */
const REFUSALS = ["failed to load the CNI server configuration", "failed to unmarshall the daemon configuration", "failed to access the primary CNI configuration", "failed to create the configuration manager"] as const;

export const silentBypass: Cause = {
  code: "silent-bypass",
  title: "Pods came up without the networks that they ask for",
  severity: "risks",
  meaning:
    "Pods ask for extra networks and run without them, and nobody said a word: multus was not asked. While its config (00-multus.conf) is not there, the runtime takes the next one by name, and a pod gets its plain network only. It stays so until the pod is made anew.",
  impact: "The pod is Running and Ready and lacks its second interface. What depends on it fails inside the application, perhaps much later.",
  checks: [
    "Pods that ask for networks (k8s.v1.cni.cncf.io/networks), have a sandbox for 30 s or more, and have neither the annotation network-status nor an event AddedInterface.",
    "Why: 00-multus.conf is gone while multus' daemon runs; with the socket gone as well two daemons overlapped; the daemon refuses its own config; or the pod became ready in the gap of a restart of the daemon.",
    "The first two are looked for on the node (agent) before any pod is hit.",
  ],
  lookAlikes: [
    { code: "nad-missing", tells: "There multus was asked and said no: the pod waits, with an event." },
    { code: "wrong-master-cni", tells: "There multus is asked and hands pods to the wrong default network; or it ends because the file is not there, and this is shown under it." },
    { code: "daemon-down", tells: "Where 00-multus.conf is still there, pods wait for a daemon that is down and are not passed by." },
    { code: "stale-socket", tells: "There the config is there and the socket is dead: pods wait." },
  ],
  mitigation: [
    "Mend the lasting reason first, or the next pods come up the same way. Config gone or daemons overlapped: delete multus' pod on this node, in the ordinary way, and wait until it is gone before anything is applied. Its successor writes both anew.",
    "A refused config: mend the ConfigMap, then delete the pod; the daemon reads its config at its start only.",
    "Then delete the pods that are listed; their successors are attached. Mind disruption budgets and what they serve.",
    "The gap: 1 to 2 s at every ordinary restart of the daemon. Cordon the node for that moment if its pods need their networks.",
    "Never delete and apply the DaemonSet in one go, nor force the deletion of a pod of multus that is already ending: the old daemon then takes away the new one's socket and config.",
  ],
  actions: ["restart-daemon-pod"],
  explains: [],
  check: (input) => {
    const unseen = daemonsUnseen(input);
    if (unseen !== undefined) return [cannotTell(unseen)];
    const pods = bypassed(input);
    const lasting = lastingReason(input);
    if (pods.length === 0) return [lasting === undefined || !lasting.measured ? nobody(input) : withoutPods(input, lasting)];
    const inGap = pods.filter((pod) => metRestart(input, pod) !== undefined);
    const others = pods.filter((pod) => metRestart(input, pod) === undefined);
    return [...(inGap.length === 0 ? [] : [gap(input, inGap)]), ...(others.length === 0 ? (lasting?.measured === true ? [withoutPods(input, lasting)] : []) : [withPods(input, others, lasting)])];
  },
};

/** Pods that have a sandbox and not the networks that they ask for, those that became ready first, first. */
function bypassed(input: CauseInput): readonly PodObject[] {
  if (!multusIsHere(input)) return [];
  const found: PodObject[] = [];
  for (const pod of input.pods.values()) {
    if (pod.hasNetworkStatus !== false || !asksForNetworks(pod) || pod.hostNetwork || pod.deleting || pod.node === undefined || pod.phase === "Succeeded" || pod.phase === "Failed") continue;
    const sinceMs = sandboxSinceMs(pod);
    if (sinceMs === undefined || input.nowMs - sinceMs < STATUS_COMES_MS || wasAttached(input, pod)) continue;
    found.push(pod);
  }
  return found.sort((a, b) => (sandboxSinceMs(a) ?? 0) - (sandboxSinceMs(b) ?? 0) || (podKey(a) < podKey(b) ? -1 : 1));
}

/** Without multus nobody acts on the annotation. */
const multusIsHere = (input: CauseInput): boolean => input.cniDaemons.some(({ cni }) => cni === MULTUS) || [...input.pods.values()].some(({ hasNetworkStatus }) => hasNetworkStatus === true);

const asksForNetworks = ({ networks }: PodObject): boolean => networks !== undefined && !["", "[]", "{}"].includes(networks.trim());

function sandboxSinceMs({ readyToStart, hasIp, containerStartedMs }: PodObject): number | undefined {
  if (readyToStart !== undefined) return readyToStart.status ? readyToStart.sinceMs : undefined;
  return hasIp ? containerStartedMs : undefined;
}

function wasAttached({ eventsAbout }: CauseInput, { uid }: PodObject): boolean {
  for (const { reason } of eventsAbout(uid)) if (reason === "AddedInterface") return true;
  return false;
}

/** The daemon of multus in whose restart the pod became ready. */
function metRestart(input: CauseInput, pod: PodObject): DaemonPod | undefined {
  const readyMs = sandboxSinceMs(pod);
  return multusPods(input).find((daemonPod) => {
    const sinceMs = runningSinceMs(daemonPod);
    return readyMs !== undefined && sinceMs !== undefined && readyMs >= sinceMs - GAP_BEFORE_MS && readyMs <= sinceMs + GAP_AFTER_MS;
  });
}

const multusPods = (input: CauseInput): readonly DaemonPod[] => allDaemonPods(input).filter(({ daemon }) => daemon.cni === MULTUS);

interface Lasting {
  readonly detail?: string;
  readonly words: string;
  readonly evidence: readonly Evidence[];
  /** Seen on the node itself: it will hit the next pod. */
  readonly measured: boolean;
}

/** Why the next pod will be passed by as well; `undefined` where nothing shows that it will. */
function lastingReason(input: CauseInput): Lasting | undefined {
  const pods = multusPods(input);
  const running = pods.filter(isRunning);
  const refusal = pods.map((daemonPod) => ({ daemonPod, end: lastEndOfDaemon(daemonPod) })).find(({ daemonPod, end }) => !isRunning(daemonPod) && REFUSALS.some((words) => end?.message?.includes(words)));
  if (running.length > 1) return { detail: "overlapping-daemons", words: `${running.length} daemons of multus run here at once`, evidence: running.map((daemonPod) => seen(`${containerOf(daemonPod)} of pod ${daemonPod.pod.name} runs${daemonPod.pod.deleting ? ", and is being deleted" : ""}`, "api", at(runningSinceMs(daemonPod)))), measured: false };
  if (refusal?.end?.message !== undefined) {
    const { daemonPod, end } = refusal;
    return { detail: "refused-config", words: `multus refuses its own config: ${lineWords(newestLine(end.message ?? ""), MAX_MESSAGE_CHARS)}`, evidence: [seen(`Last end of ${containerOf(daemonPod)}`, "api", { value: `exit code ${end.exitCode ?? "unknown"}: ${lineWords(newestLine(end.message ?? ""), MAX_MESSAGE_CHARS)}`, ...at(end.finishedMs) })], measured: false };
  }
  const config = agentPart(input, "configFiles");
  if (!config.looked || config.reading.multus === undefined || config.reading.multus.generated) return undefined;
  // Where no other config is in force either no pod comes up at all.
  const inForce = agentPart(input, "config");
  if (inForce.looked && inForce.reading.effectiveFile === undefined) return undefined;
  const gone = notSeen(`00-multus.conf in ${config.reading.dir}`, "agent", at(input.report?.atMs));
  const staying = pods.filter(({ pod }) => !pod.deleting);
  const daemonPod = staying.find(isRunning);
  // Without a pod of multus the node is not meant to run it. One that ends takes the config away, and its successor writes it again.
  const turnedMs = daemonPod === undefined ? Math.max(...staying.map((one) => lastEndOfDaemon(one)?.finishedMs ?? one.pod.createdMs ?? 0)) : runningSinceMs(daemonPod);
  if (staying.length === 0 || (turnedMs !== undefined && agentHeardMs(input) - turnedMs < WRITES_AFTER_MS)) return undefined;
  if (daemonPod === undefined) return { words: "00-multus.conf is gone and its daemon does not run", evidence: [gone], measured: true };
  const sinceMs = turnedMs;
  const runs = seen(`${containerOf(daemonPod)} of pod ${daemonPod.pod.name} runs`, "api", at(sinceMs));
  const socket = socketState(input);
  if (socket === "absent") return { detail: "overlapping-daemons", words: "00-multus.conf and the daemon's socket are both gone, though it runs: an earlier daemon that ended late took them away", evidence: [gone, notSeen("The daemon's socket", "agent", at(input.report?.atMs)), runs], measured: true };
  return { detail: "config-gone", words: "00-multus.conf is gone, though its daemon runs, and it does not write it again by itself", evidence: [gone, runs, ...(socket === undefined ? [] : [seen("The daemon's socket", "agent", { value: socket })])], measured: true };
}

const newestLine = (message: string): string => message.split("\n").findLast((line) => REFUSALS.some((words) => line.includes(words))) ?? message;

function socketState(input: CauseInput): string | undefined {
  const path = knownSocketFor("multus-shim")?.path;
  return path === undefined ? undefined : input.sockets.find((one) => canonicalSocketPath(one.path) === canonicalSocketPath(path))?.state;
}

function gap(input: CauseInput, pods: readonly PodObject[]): Finding {
  const [first] = pods;
  const daemonPod = first === undefined ? undefined : metRestart(input, first);
  const sinceMs = daemonPod === undefined ? undefined : runningSinceMs(daemonPod);
  return {
    ...base(input, pods),
    detail: "daemon-restart",
    severity: "notice", // the gap is over: the next pod gets its networks
    summary: `${hitWords(pods)} ${pods.length === 1 ? "It" : "They"} became ready in the gap of a restart of multus' daemon${sinceMs === undefined ? "" : `, ${spanWords(sinceMs, input.nowMs)} ago`}.`,
    evidence: [...podEvidence(input, pods), ...(daemonPod === undefined ? [] : [seen(`${containerOf(daemonPod)} of pod ${daemonPod.pod.name} began`, "api", at(sinceMs))])],
  };
}

function withPods(input: CauseInput, pods: readonly PodObject[], lasting: Lasting | undefined): Finding {
  const config = agentPart(input, "configFiles");
  const inPlace = config.looked && config.reading.multus?.generated === true;
  const why = lasting?.words ?? (inPlace ? "nothing shows the reason any more: 00-multus.conf is there now" : "the reason cannot be told");
  return {
    ...base(input, pods),
    ...(lasting?.detail === undefined ? {} : { detail: lasting.detail }),
    summary: `${hitWords(pods)} ${upperFirst(why)}.`,
    evidence: [...podEvidence(input, pods), ...(lasting?.evidence ?? (config.looked ? [(inPlace ? seen : notSeen)(`00-multus.conf in ${config.reading.dir}`, "agent", at(input.report?.atMs))] : [couldNotLook("00-multus.conf on the node", "agent", config.reason)]))],
  };
}

function withoutPods(input: CauseInput, lasting: Lasting): Finding {
  return {
    state: "firing",
    certainty: "named",
    ...(lasting.detail === undefined ? {} : { detail: lasting.detail }),
    summary: `Pods that ask for networks will come up without them: ${lasting.words}. None has been hit yet.`,
    evidence: [...lasting.evidence, notSeen("Pods that came up without the networks that they ask for", "api", { atMs: input.nowMs })],
    pods: [],
  };
}

/** Where events are not seen one of the two signs is missing, so that it is only suspected. */
function base(input: CauseInput, pods: readonly PodObject[]): { readonly state: "firing"; readonly certainty: "named" | "suspected"; readonly pods: readonly string[] } {
  return { state: "firing", certainty: input.kind("events").seen ? "named" : "suspected", pods: pods.slice(0, MAX_PODS_NAMED).map(podKey) };
}

const hitWords = (pods: readonly PodObject[]): string => `${countWords(pods.length, "pod")} ${pods.length === 1 ? "asks" : "ask"} for networks and came up without: ${listWords(pods.map(podKey))}.`;
const upperFirst = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function podEvidence(input: CauseInput, pods: readonly PodObject[]): readonly Evidence[] {
  const events = input.kind("events");
  const newestMs = Math.max(...pods.map((pod) => sandboxSinceMs(pod) ?? 0));
  return [
    seen("Pods that ask for networks and have a sandbox", "api", { value: pods.length, unit: "count", atMs: newestMs }),
    notSeen("Their annotation network-status", "api"),
    events.seen ? notSeen("An event AddedInterface about any of them", "api") : couldNotLook("Events AddedInterface about them", "api", events.reason),
  ];
}

/** Nobody is hit. Whether the next pod would be is known by the agent alone, and not cleared where an agent fell silent. */
function nobody(input: CauseInput): Finding {
  const config = agentPart(input, "configFiles");
  const hit = notSeen("Pods that came up without the networks that they ask for", "api");
  if (!multusIsHere(input)) return clear("Multus does not run in this cluster.", [hit]);
  if (!config.looked && input.source("agent").freshness !== "absent") return cannotTell(config.reason, [hit, couldNotLook("00-multus.conf on the node", "agent", config.reason)]);
  return clear("Every pod here that asks for networks has them.", [hit, ...(config.looked ? [] : [couldNotLook("00-multus.conf on the node", "agent", config.reason)])]);
}

const at = (atMs: number | undefined): { atMs?: number } => (atMs === undefined ? {} : { atMs });
