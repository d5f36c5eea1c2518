import type { Evidence } from "../answer";
import { SILENT_SOCKET_SECONDS } from "../thresholds";
import { countWords, durationWords, rangeWords, spanWords } from "../words";
import { groupsOr } from "./by-texts";
import { calledSockets, socketsEvidence, type SocketLook } from "./called-sockets";
import { fresh } from "./cpu-readings";
import { daemonPods, daemonsUnseen, isNeeded, isRunning } from "./daemon-pods";
import { couldNotLook, notSeen, seen } from "./evidence";
import { cannotTell, clear, textEvidence, textsFor } from "./findings";
import { heldUp, SLOW_CALLS_SECONDS } from "./held-up";
import { saysDeadline } from "./outlived";
import { provenByStart } from "./proof";
import { callsOlderThan, liveCalls, SLOW_CALL_MS, type LiveCalls } from "./slow-calls";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

/** So many calls at once that take long are no matter of one pod's own network. */
export const SLOW_CALLS = 3;
/** A daemon's health path takes milliseconds. */
export const SLOW_ANSWER_SECONDS = 5;
const RATE_LIMITED = "delegate-rate-limited";

export const daemonSlow: Cause = {
  code: "daemon-slow",
  title: "The CNI daemon answers too late, or not at all",
  severity: "blocks",
  meaning:
    "The daemon's process runs and accepts calls, and its answers come later than the callers wait for, or never: it hangs on a lock, waits for an API that limits it, or works off a queue. Callers give up after their own time (multus' shim after 60 s) or are killed at the kubelet's deadline.",
  impact: "Starts of pods are slow or fail. A daemon that hangs is silent: no event and no error for minutes, until the first deadline has passed.",
  checks: [
    `The socket that the config in force calls has accepted and not answered for ${SILENT_SOCKET_SECONDS} s, and no sandbox became ready since (agent).`,
    `Calls in flight: ${SLOW_CALLS} or more processes of the plugin are older than ${durationWords(SLOW_CALL_MS / 1_000)}, or one is and no sandbox became ready since it began (agent).`,
    `The daemon's own health path takes ${SLOW_ANSWER_SECONDS} s or more while pods wait (agent).`,
    "Without the agent: texts of waiting pods that a call timed out, outlived the kubelet's deadline or was turned away with 429, which only makes it suspected.",
  ],
  lookAlikes: [
    { code: "daemon-cpu-throttled", tells: "There its CPU limit makes it slow: throttled in most periods. This is then shown under it." },
    { code: "node-cpu-contention", tells: "There it waits for a CPU and no limit is the reason. This is then shown under it." },
    { code: "shim-daemon-skew", tells: "There the daemon answers at once that it does not know what the shim asks for." },
    { code: "runtime-stuck-or-slow", tells: "There the runtime itself does not answer, lists included." },
    { code: "control-plane-not-ready", tells: "There the daemon waits for a controller of the cluster, on every node." },
    { code: "stale-socket", tells: "There the socket refuses at once." },
  ],
  mitigation: [
    "See what it does: `kubectl -n NAMESPACE logs POD --since=10m`, and on the node `curl --unix-socket /run/multus/multus.sock http://d/readyz` for multus.",
    "429 from cilium: its API limits how many endpoints are made at once. It passes by itself as the queue shortens; `--api-rate-limit` raises the limit.",
    "It hangs: keep a dump for its makers (`kill -QUIT` writes the goroutines of a Go program to its log and ends it), then delete its pod.",
    "Its queue is long and it has CPU to spare: give it time, or limit how many calls run at once (multus 4.3.0 and newer: connectionLimit).",
    "Hazard: its successor meets all waiting calls at once; look at its memory limit first.",
  ],
  actions: ["restart-daemon-pod"],
  // A daemon waits for the API server, or for a controller, as its pods say.
  symptom: true,
  explains: ["retry-storm", "sandbox-name-reserved", "teardown-failed"],
  check: (input) => {
    const look = calledSockets(input);
    const calls = liveCalls(input);
    const signs = [...silentSockets(input, look), ...slowAnswers(input, look), ...longCalls(input, look, calls)];
    if (signs.length > 0) return [named(input, look, calls, signs)];
    return [notSlow(input, look, calls)];
  },
};

const isSilent = (input: CauseInput, { state, sinceMs }: { readonly state: string; readonly sinceMs?: number }): boolean =>
  state === "silent" && sinceMs !== undefined && input.nowMs - sinceMs >= SILENT_SOCKET_SECONDS * 1_000 && (input.lastFreshMs === undefined || input.lastFreshMs < sinceMs);

function silentSockets(input: CauseInput, look: SocketLook): readonly string[] {
  if (!look.looked) return [];
  return look.called.flatMap(({ socket }) => (isSilent(input, socket) ? [`Socket ${socket.path}, which the config in force calls, has accepted and not answered for ${spanWords(socket.sinceMs ?? input.nowMs, input.nowMs)}`] : []));
}

function slowAnswers(input: CauseInput, look: SocketLook): readonly string[] {
  if (!look.looked || heldUp(input) === undefined) return [];
  return look.called.flatMap(({ socket: { state, path, latencySeconds } }) => (state === "answers" && latencySeconds !== undefined && latencySeconds >= SLOW_ANSWER_SECONDS ? [`Socket ${path} took ${durationWords(latencySeconds)} to answer its health path`] : []));
}

/** Calls that wait for a daemon which is there: beside a dead socket they only wait for its return. */
function longCalls(input: CauseInput, look: SocketLook, live: LiveCalls): readonly string[] {
  if (!look.looked || !live.looked || !look.called.some(({ socket }) => socket.state === "answers" || socket.state === "silent")) return [];
  const long = callsOlderThan(live.calls, input.nowMs, SLOW_CALL_MS);
  const [oldest] = long;
  if (oldest === undefined) return [];
  const noneSince = input.held.waiting > 0 && (input.lastFreshMs === undefined || input.lastFreshMs < oldest.startedMs);
  if (long.length < SLOW_CALLS && !noneSince) return [];
  return [`${countWords(long.length, "call")} of ${oldest.program} ${long.length === 1 ? "is" : "are"} in flight for ${durationWords(SLOW_CALL_MS / 1_000)} or more, the oldest for ${spanWords(oldest.startedMs, input.nowMs)}`];
}

function named(input: CauseInput, look: SocketLook, calls: LiveCalls, signs: readonly string[]): Finding {
  const texts = textsFor(input, "daemon-slow");
  const limited = texts.filter(({ explanation }) => explanation.detail === RATE_LIMITED);
  const slow = heldUp(input);
  return {
    state: "firing",
    certainty: "named",
    ...(limited.length === 0 ? {} : { detail: RATE_LIMITED }),
    summary: `${signs.join("; ")}${slow === undefined ? "" : `; ${slow.words}`}.${limited.length === 0 ? "" : " Pods were turned away with 429: a limit of its delegate."}`,
    evidence: [...socketsEvidence(input, look), ...callEvidence(input, calls), ...(slow === undefined ? [] : [slow.evidence]), latencyEvidence(input), ...textEvidence(texts)],
    pods: namesOf(waitsForNode(input)),
  };
}

function callEvidence(input: CauseInput, calls: LiveCalls): readonly Evidence[] {
  const what = `Calls in flight for ${durationWords(SLOW_CALL_MS / 1_000)} or more`;
  if (!calls.looked) return [couldNotLook(what, "agent", calls.reason)];
  const long = callsOlderThan(calls.calls, input.nowMs, SLOW_CALL_MS);
  const at = input.report === undefined ? {} : { atMs: input.report.atMs };
  const [oldest] = calls.calls;
  return [
    (long.length > 0 ? seen : notSeen)(what, "agent", { value: long.length, unit: "count", ...at }),
    ...(oldest === undefined ? [] : [seen("Age of the oldest call in flight", "agent", { value: (input.nowMs - oldest.startedMs) / 1_000, unit: "seconds", ...at })]),
  ];
}

function latencyEvidence(input: CauseInput): Evidence {
  const what = "RunPodSandbox latency, 95th percentile of the last 5 min";
  const low = input.signal("cri.run_sandbox.p95.low");
  if (low?.state !== "fresh" || low.value === undefined) return couldNotLook(what, "kubelet", low?.reason ?? "nothing tells it");
  return seen(what, low.source, { value: rangeWords(low.value, fresh(input.signal("cri.run_sandbox.p95.high"))), ...(low.atMs === undefined ? {} : { atMs: low.atMs }) });
}

/**
 * The agent's sockets and calls in flight show that it is not slow now; without them only calls that ended soon, or a start. A text stands
 * beside both: between two tries of a pod there is nothing in flight.
 */
function notSlow(input: CauseInput, look: SocketLook, calls: LiveCalls): Finding {
  const otherwise = measured(input, look, calls);
  // That calls outlive the deadline says that something is slow. Only where nobody looks at the daemon that may be it.
  const outlive = look.looked || otherwise.state === "clear" || isKnownDown(input) ? [] : input.errors.filter(saysDeadline);
  const finding = groupsOr([...textsFor(input, "daemon-slow"), ...outlive], "say that a call took too long or was turned away: the CNI daemon is slow, or what it waits for.", otherwise, "The CNI daemon's socket and calls in flight", "agent");
  if (finding.state !== "firing") return finding;
  const { detail, ...rest } = finding;
  return { ...rest, ...(detail === RATE_LIMITED ? { detail } : {}), evidence: [...finding.evidence, latencyEvidence(input)] };
}

/** The API says of every daemon that is needed that it does not run: then calls wait for it. */
function isKnownDown(input: CauseInput): boolean {
  const needed = daemonsUnseen(input) === undefined ? daemonPods(input).filter(({ daemon }) => isNeeded(input, daemon) !== false) : [];
  return needed.length > 0 && !needed.some(isRunning);
}

function measured(input: CauseInput, look: SocketLook, calls: LiveCalls): Finding {
  if (look.looked) return clear(look.called.length === 0 ? "The config in force calls no daemon." : "No call of the CNI daemon takes long.", [...socketsEvidence(input, look), ...callEvidence(input, calls)]);
  if (heldUp(input) !== undefined) return cannotTell(look.reason);
  const high = fresh(input.signal("cri.run_sandbox.p95.high"));
  if (high !== undefined && high < SLOW_CALLS_SECONDS) return clear(`RunPodSandbox takes ${rangeWords(fresh(input.signal("cri.run_sandbox.p95.low")) ?? 0, high)} in the 95th percentile.`, [latencyEvidence(input)]);
  return provenByStart(input, "Calls of the CNI daemon that take long", look.reason);
}
