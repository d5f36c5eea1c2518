import type { Evidence } from "../answer";
import { RUNTIME_SOCKET } from "../judge-input";
import { SILENT_SOCKET_SECONDS } from "../thresholds";
import { durationWords, lineWords, spanWords } from "../words";
import { agentPart } from "./agent-part";
import { couldNotLook, notSeen, seen } from "./evidence";
import { agentUnseen, cannotTell, clear, countWords, kubeletUnseen, podsOf, textEvidence, textsFor } from "./findings";
import { startedLatelyMs } from "./proof";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type ErrorGroup, type Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

/** A runtime that restarts is away for seconds. */
export const RUNTIME_DOWN_MS = 20_000;
/** The kubelet's page is asked every 15 s and given 10 s: by then three in a row did not come. */
export const PAGE_HANGS_MS = 30_000;
/** ListPodSandbox takes milliseconds; a hundred times that, twice in a row, is slow. */
export const SLOW_LIST_SECONDS = 5;
const MAX_MESSAGE_CHARS = 200;

export const runtimeStuckOrSlow: Cause = {
  code: "runtime-stuck-or-slow",
  title: "The container runtime does not answer, or late",
  severity: "blocks",
  meaning:
    "containerd or CRI-O itself hangs, is down or is slow, usually because its disk is, or because it waits on a lock of its own. The kubelet then cannot list, make or end anything. A frozen runtime is nearly silent: the node stays Ready for a while, and no pod event tells of it.",
  impact: "No pod starts or ends on this node. Containers that run go on, and nobody restarts them.",
  checks: [
    `The agent: the runtime's socket is silent for ${SILENT_SOCKET_SECONDS} s, or refuses or is gone for ${RUNTIME_DOWN_MS / 1_000} s; the runtime says that it is not ready; ListPodSandbox takes ${SLOW_LIST_SECONDS} s or more, twice in a row.`,
    `The kubelet: /metrics, for which it asks the runtime, does not come for ${PAGE_HANGS_MS / 1_000} s while /metrics/cadvisor, for which it does not, answers.`,
    "The node's Ready condition: container runtime is down, or PLEG is not healthy.",
    "Texts of pods about the runtime; that a sandbox's name is reserved counts only where nothing shows that the runtime answers.",
  ],
  lookAlikes: [
    { code: "daemon-slow", tells: "There the runtime answers every list at once and waits for the network plugin alone." },
    { code: "teardown-failed", tells: "There the runtime answers, and the DEL of the network fails." },
    { code: "node-resource-exhausted", tells: "A full disk or no process to be had makes a runtime hang; then that is the root." },
    { code: "cni-config-unnoticed", tells: "There the runtime answers at once, and says that it has no network config." },
    { code: "sandbox-name-reserved", tells: "There the runtime answers, and one name is never given back." },
  ],
  mitigation: [
    "On the node: `crictl --timeout 5s version`, `crictl --timeout 5s pods`. If the first hangs, the runtime is stuck; if only the second is slow, it has too much to list.",
    "Look at its disk before anything else: `iostat -x 1`, `df -h /var/lib/containerd`, `dmesg | grep 'blocked for more than'`.",
    "Keep what it did for its makers: `kill -USR1 $(pidof containerd)` writes its goroutines to its log; CRI-O the same.",
    "Restart it: `systemctl restart containerd` (or crio). Containers go on running. On Talos only the kubelet and extensions can be restarted through the API: reboot the node there.",
    "After the restart every waiting pod is tried at once, which is a burst for the CNI daemon.",
  ],
  actions: [],
  explains: ["daemon-slow", "retry-storm", "sandbox-name-reserved", "teardown-failed"],
  check: (input) => {
    const stuck = [...socketSigns(input), ...conditionSigns(input), ...pageSigns(input)];
    const slow = slowList(input);
    const texts = textsFor(input, "runtime-stuck-or-slow").filter((group) => !(isAboutReservedName(group) && answers(input).length > 0));
    if (stuck.length > 0) return [named(input, stuck, texts, slow)];
    if (slow !== undefined) return [{ state: "firing", certainty: "named", severity: "risks", explains: [], summary: `${slow.words}.`, evidence: [slow.evidence, ...textEvidence(texts)] }];
    if (texts.length > 0) return [byTexts(input, texts)];
    const proof = answers(input);
    if (proof.length > 0) return [clear("The runtime answers.", proof)];
    const startedMs = startedLatelyMs(input);
    if (startedMs !== undefined) return [clear(`A sandbox became ready ${spanWords(startedMs, input.nowMs)} ago.`, [seen("A sandbox that became ready", "api", { atMs: startedMs })])];
    return [cannotTell(kubeletUnseen(input) ?? agentUnseen(input) ?? "Nothing shows whether the runtime answers", blind(input))];
  },
};

interface Sign {
  readonly words: string;
  readonly evidence: Evidence;
  /** Absent: what it brings about is not known to come of it. */
  readonly explains?: "all";
}

function named(input: CauseInput, signs: readonly Sign[], texts: readonly ErrorGroup[], slow: Sign | undefined): Finding {
  const [first] = signs;
  return {
    state: "firing",
    certainty: "named",
    // An overloaded kubelet's PLEG lags in a storm too: that alone explains no storm.
    ...(signs.some(({ explains }) => explains === "all") ? {} : { explains: ["sandbox-name-reserved", "teardown-failed"] }),
    summary: `${first?.words ?? ""}.`,
    evidence: [...signs.map(({ evidence }) => evidence), ...(slow === undefined ? [] : [slow.evidence]), ...gcEvidence(input), ...textEvidence(texts)],
    pods: namesOf(waitsForNode(input)),
  };
}

function socketSigns(input: CauseInput): readonly Sign[] {
  const socket = input.sockets.find(({ name }) => name === RUNTIME_SOCKET);
  if (socket === undefined || socket.state === "answers" || socket.sinceMs === undefined) return [];
  const heldMs = input.nowMs - socket.sinceMs;
  if (heldMs < (socket.state === "silent" ? SILENT_SOCKET_SECONDS * 1_000 : RUNTIME_DOWN_MS)) return [];
  const words = { silent: "has not answered", refuses: "has refused connections", absent: "has been gone" }[socket.state];
  const detail = socket.detail === undefined ? "" : `: ${lineWords(socket.detail, MAX_MESSAGE_CHARS)}`;
  return [{ words: `The container runtime's socket ${socket.path} ${words} for ${durationWords(heldMs / 1_000)}`, evidence: seen(`Socket ${socket.path} of the container runtime`, "agent", { value: `${socket.state}${detail}`, atMs: socket.sinceMs }), explains: "all" }];
}

function conditionSigns(input: CauseInput): readonly Sign[] {
  const signs: Sign[] = [];
  const runtime = agentPart(input, "runtime");
  const notReady = runtime.looked ? runtime.reading.conditions.find(({ type, status }) => type === "RuntimeReady" && !status) : undefined;
  if (notReady !== undefined) {
    const message = lineWords(notReady.message || notReady.reason, MAX_MESSAGE_CHARS);
    signs.push({ words: `The runtime says that it is not ready: ${message}`, evidence: seen("Runtime condition RuntimeReady", "agent", { value: `false: ${message}`, ...(input.report === undefined ? {} : { atMs: input.report.atMs }) }), explains: "all" });
  }
  const ready = input.node.conditions.find(({ type }) => type === "Ready");
  const message = ready?.message ?? "";
  if (ready?.status !== "False" || input.source("api").freshness !== "fresh") return signs;
  const evidence = seen("Node condition Ready", "api", { value: `False: ${lineWords(message, MAX_MESSAGE_CHARS)}`, ...(ready.sinceMs === undefined ? {} : { atMs: ready.sinceMs }) });
  if (message.includes("container runtime is down")) signs.push({ words: "The kubelet says that the container runtime is down", evidence, explains: "all" });
  else if (message.toLowerCase().includes("pleg is not healthy")) signs.push({ words: "The kubelet's look at its containers (PLEG) has not come back for minutes", evidence });
  return signs;
}

/** The kubelet answers, and what it needs the runtime for does not come. */
function pageSigns({ kubeletPages: { metrics, cadvisor }, nowMs }: CauseInput): readonly Sign[] {
  const sinceMs = metrics?.failingSinceMs;
  if (sinceMs === undefined || metrics?.timedOut !== true || nowMs - sinceMs < PAGE_HANGS_MS) return [];
  if (cadvisor?.lastMs === undefined || cadvisor.lastMs < sinceMs) return [];
  return [{ words: `The kubelet's /metrics has not come for ${spanWords(sinceMs, nowMs)} while its /metrics/cadvisor does: what asks the runtime waits`, evidence: seen("Kubelet page /metrics, while /metrics/cadvisor answers", "kubelet", { value: "no answer", atMs: sinceMs }), explains: "all" }];
}

function slowList(input: CauseInput): Sign | undefined {
  const now = input.signal("cri.list_seconds");
  const [before, last] = input.trend("cri.list_seconds").slice(-2);
  if (now?.state !== "fresh" || before === undefined || last === undefined || Math.min(before.value, last.value) < SLOW_LIST_SECONDS) return undefined;
  const words = `The runtime took ${durationWords(before.value)} and ${durationWords(last.value)} to list its sandboxes`;
  return { words, evidence: seen("Time in which the runtime listed its sandboxes", "agent", { value: last.value, unit: "seconds", atMs: last.atMs }) };
}

/** The kubelet says of a garbage collection that outlived its deadline; it is the node's only event of a frozen runtime. */
function gcEvidence({ node, nowMs, eventsAbout }: CauseInput): readonly Evidence[] {
  const events = [...new Set([node.uid, node.name])].flatMap((uid) => [...eventsAbout(uid)]);
  const newest = events.filter(({ reason, lastMs }) => reason === "ContainerGCFailed" && nowMs - lastMs <= GC_RECENT_MS).sort((a, b) => b.lastMs - a.lastMs)[0];
  return newest === undefined ? [] : [seen("Node event ContainerGCFailed", "api", { value: lineWords(newest.message, MAX_MESSAGE_CHARS), atMs: newest.lastMs })];
}
const GC_RECENT_MS = 300_000;

/** What shows that the runtime answers now. */
function answers(input: CauseInput): readonly Evidence[] {
  const socket = input.sockets.find(({ name, state }) => name === RUNTIME_SOCKET && state === "answers");
  const { lastMs, failingSinceMs } = input.kubeletPages.metrics ?? {};
  const listed = agentPart(input, "sandboxes");
  return [
    ...(listed.looked && input.report !== undefined ? [seen("The runtime's list of its sandboxes", "agent", { value: listed.tookSeconds, unit: "seconds", atMs: input.report.atMs })] : []),
    ...(socket === undefined ? [] : [seen(`Socket ${socket.path} of the container runtime`, "agent", { value: "answers", ...(input.report === undefined ? {} : { atMs: input.report.atMs }) })]),
    ...(input.source("kubelet").freshness !== "fresh" || failingSinceMs !== undefined || lastMs === undefined ? [] : [seen("Kubelet page /metrics, for which it asks the runtime", "kubelet", { value: "answers", atMs: lastMs })]),
  ];
}

function byTexts(input: CauseInput, texts: readonly ErrorGroup[]): Finding {
  const most = texts.reduce((count, group) => Math.max(count, group.count), 0);
  const proof = answers(input);
  return {
    state: "firing",
    certainty: "suspected",
    explains: ["sandbox-name-reserved", "teardown-failed"],
    summary: `Texts of ${countWords(most, "pod")} speak of a runtime that does not answer in time.`,
    evidence: [...textEvidence(texts), ...(proof.length > 0 ? [notSeen("A runtime that does not answer", "agent"), ...proof] : blind(input))],
    pods: podsOf(texts).slice(0, MAX_PODS_NAMED),
  };
}

function blind(input: CauseInput): readonly Evidence[] {
  const agent = agentUnseen(input);
  const kubelet = kubeletUnseen(input);
  return [
    ...(agent === undefined ? [] : [couldNotLook("The container runtime's socket", "agent", agent)]),
    ...(kubelet === undefined ? [] : [couldNotLook("Kubelet page /metrics", "kubelet", kubelet)]),
  ];
}

/** The name of a sandbox is also taken while a plugin hangs, so it says nothing of a runtime that answers; CRI-O says at which stage it is. */
const isAboutReservedName = ({ text, explanation }: ErrorGroup): boolean => explanation.facts.reservedFor !== undefined || (text.includes("is reserved") && !text.includes("at stage"));
