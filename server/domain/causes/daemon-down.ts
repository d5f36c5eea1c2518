import type { Evidence } from "../answer";
import { listWords, spanWords } from "../words";
import { textsOr } from "./by-texts";
import { calledSockets, isDead, serverRuns, socketEvidence, socketsEvidence, STATE_WORDS, type CalledSocket, type SocketLook } from "./called-sockets";
import { allDaemonPods, containerOf, daemonsUnseen, isNeeded, isRunning, lastEnd, lastEndOfDaemon, runningSinceMs, type DaemonPod } from "./daemon-pods";
import { notSeen, seen } from "./evidence";
import { cannotTell, clear, lineWords, textEvidence, textsFor } from "./findings";
import { startedLatelyMs, provenByStart } from "./proof";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

/** A daemon that is down for so long is no restart, where a pod waits. */
export const DOWN_AFTER_MS = 30_000;
/** The same where nothing waits: in a rollout its successor's image may still be pulled. */
export const DOWN_UNNOTICED_MS = 120_000;
/** A node that joined so lately is still getting its daemon; only stuck pods make that a failure. */
export const NODE_JOINS_MS = 300_000;
const MAX_MESSAGE_CHARS = 200;
/** A daemon that was started again listens within a second or two; a dead socket beside one that began later is that of its last life. */
const LISTENS_AFTER_MS = 30_000;

export const daemonDown: Cause = {
  code: "daemon-down",
  title: "The CNI daemon does not run",
  severity: "blocks",
  meaning:
    "The plugin of this node's CNI config asks a daemon for every sandbox, and the daemon does not run: it crashes, cannot start, is not there, or nothing listens on its socket. Each call fails at once, or waits until its own time is up.",
  impact: "No pod that needs the plugin gets a sandbox, and those that end cannot be torn down cleanly. Running pods keep their network.",
  checks: [
    "The container that serves the plugin runs, for every CNI whose plugin the config in force calls.",
    "Down for 30 s or more where a pod waits, for 2 min where none does; a node that joined within 5 min only once pods are stuck.",
    "The socket that the config in force calls (agent): refused or absent in two reports in a row, with no daemon running that should serve it.",
  ],
  lookAlikes: [
    { code: "stale-socket", tells: "There the daemon's process runs and its socket refuses or is gone." },
    { code: "daemon-oom", tells: "There the container ended with OOMKilled; this is then shown under it." },
    { code: "install-deadlock", tells: "There an init container of the daemon's pod fails with Text file busy; this is then shown under it." },
    { code: "daemon-unschedulable", tells: "There the pod was made for this node and the scheduler turned it down; this is then shown under it." },
    { code: "daemon-slow", tells: "There it runs and answers too late or not at all." },
  ],
  mitigation: [
    "See why: `kubectl -n NAMESPACE describe pod POD`, then `kubectl -n NAMESPACE logs POD -c CONTAINER --previous`.",
    "A crash on its own config ends with a message that names the file; mend the ConfigMap and delete the pod.",
    "A hang before it begins: image pull, volume mount, an init container. Events of the pod tell which.",
    "Deleting the pod gives it a fresh start without back-off. Hazard: on exit multus takes its config away, and pods that start meanwhile come up without their extra networks.",
    "Before it comes back with many pods waiting, look at its memory limit: all of them call at once.",
  ],
  actions: ["restart-daemon-pod", "set-daemon-resources"],
  explains: ["cni-config-missing", "daemon-slow", "ipam-leak", "retry-storm", "sandbox-name-reserved", "silent-bypass", "teardown-failed"],
  check: (input) => {
    const unseen = daemonsUnseen(input);
    const look = calledSockets(input);
    const dead = look.looked ? look.called.filter((called) => isDead(input, called.socket) && (unseen !== undefined || !servesAgain(input, called))) : [];
    if (unseen !== undefined) return [withoutApi(input, unseen, look, dead)];
    const [down, restarting] = downDaemons(input);
    const named = down.filter(({ needed }) => needed === true);
    if (named.length > 0 || dead.length > 0) return [firing(input, named, dead, "named", look)];
    const guessed = down.filter(({ needed }) => needed === undefined);
    if (guessed.length > 0 && input.held.stuck > 0) return [firing(input, guessed, [], "suspected", look)];
    return [notDown(input, look, restarting)];
  },
};

/** Its process runs, and not only for the moment between two ends that a loop of crashes leaves it. */
function servesAgain({ nowMs }: CauseInput, called: CalledSocket): boolean {
  const server = serverRuns(called);
  if (server === undefined) return false;
  const sinceMs = runningSinceMs(server);
  return sinceMs === undefined || lastEndOfDaemon(server) === undefined || nowMs - sinceMs >= LISTENS_AFTER_MS;
}

interface Down {
  readonly daemonPod: DaemonPod;
  readonly needed: boolean | undefined;
  readonly sinceMs?: number;
  /** `sinceMs` is when it ended; otherwise its pod's making, and it may have run since. */
  readonly endKnown: boolean;
}

/** Daemons of which no pod runs here: those that are down for longer than a restart takes, and those that are not. */
function downDaemons(input: CauseInput): readonly [lasting: readonly Down[], restarting: readonly Down[]] {
  const byDaemon = Map.groupBy(allDaemonPods(input), ({ daemon }) => daemon.key);
  const down = [...byDaemon.values()].flatMap((pods): readonly Down[] => {
    const successor = pods.find(({ pod }) => !pod.deleting) ?? pods[0];
    if (successor === undefined || pods.some((daemonPod) => isRunning(daemonPod) || daemonPod.detail === undefined)) return [];
    const endedMs = lastEndMs(pods);
    const sinceMs = endedMs ?? firstMadeMs(pods);
    return [{ daemonPod: successor, needed: isNeeded(input, successor.daemon), endKnown: endedMs !== undefined, ...(sinceMs === undefined ? {} : { sinceMs }) }];
  });
  return [down.filter(({ sinceMs }) => lastsLong(input, sinceMs)), down.filter(({ sinceMs }) => !lastsLong(input, sinceMs))];
}

/** When the last process of any of them ended; undefined where none ran, or where the status tells of it no more, as after a node's restart. */
function lastEndMs(pods: readonly DaemonPod[]): number | undefined {
  const ends = pods.flatMap((daemonPod) => lastEndOfDaemon(daemonPod)?.finishedMs ?? []);
  return ends.length > 0 ? Math.max(...ends) : undefined;
}

function firstMadeMs(pods: readonly DaemonPod[]): number | undefined {
  const made = pods.flatMap(({ pod }) => pod.createdMs ?? []);
  return made.length > 0 ? Math.min(...made) : undefined;
}

function lastsLong({ nowMs, node, held }: CauseInput, sinceMs: number | undefined): boolean {
  const joined = node.createdMs !== undefined && nowMs - node.createdMs < NODE_JOINS_MS;
  if (joined && held.stuck === 0) return false;
  return sinceMs === undefined || nowMs - sinceMs >= (held.waiting > 0 ? DOWN_AFTER_MS : DOWN_UNNOTICED_MS);
}

function firing(input: CauseInput, down: readonly Down[], dead: readonly CalledSocket[], certainty: "named" | "suspected", look: SocketLook): Finding {
  const first = down.flatMap(({ sinceMs }) => sinceMs ?? []).sort((a, b) => a - b)[0];
  const startedMs = startedLatelyMs(input);
  const startsAnyway = startedMs !== undefined && first !== undefined && startedMs > first && dead.length === 0;
  const sentences = [...down.map((one) => downWords(input, one)), ...dead.map((called) => deadWords(input, called))];
  return {
    state: "firing",
    certainty,
    ...(startsAnyway ? { severity: "risks" as const } : {}),
    summary: `${sentences.join(" ")}${startsAnyway ? " Pods start all the same, so something else serves them." : ""}`,
    evidence: [...down.flatMap((one) => downEvidence(one)), ...socketsEvidence(input, look), ...textEvidence(textsFor(input, "daemon-down"))],
    pods: namesOf(waitsForNode(input)),
  };
}

function downWords(input: CauseInput, { daemonPod, sinceMs, endKnown }: Down): string {
  const runs = sinceMs === undefined ? "does not run here" : endKnown ? `has not run here for ${spanWords(sinceMs, input.nowMs)}` : `does not run here, where its pod was made ${spanWords(sinceMs, input.nowMs)} ago`;
  return `${containerOf(daemonPod)} of ${daemonPod.daemon.key} ${runs}: ${whyWords(daemonPod)}.`;
}

/** What the pod's status says of it, the most telling thing first. */
function whyWords(daemonPod: DaemonPod): string {
  const { pod, detail } = daemonPod;
  if (pod.deleting) return "its pod is being deleted and none follows";
  if (pod.node === undefined) return "no node took its pod";
  const end = lastEndOfDaemon(daemonPod);
  const init = lastEnd(daemonPod, (one) => one.init && one.exitCode !== undefined && one.exitCode !== 0);
  const waits = detail?.waitingReasons[0];
  if (init !== undefined && (end?.finishedMs === undefined || (init.finishedMs ?? 0) >= end.finishedMs)) return `its init container ${init.container} ended with exit code ${init.exitCode ?? "unknown"}${init.message === undefined ? "" : `, "${lineWords(init.message, MAX_MESSAGE_CHARS)}"`}`;
  if (end !== undefined) return `it ended with ${end.reason ?? "no reason told"}, exit code ${end.exitCode ?? "unknown"}${waits === undefined ? "" : `, and waits (${waits})`}`;
  return waits === undefined ? "its container has not begun" : `its container waits (${waits})`;
}

function deadWords(input: CauseInput, { socket: { path, state, sinceMs }, servers }: CalledSocket): string {
  const who = servers.length === 0 ? "and no pod here is known to serve it" : "and no pod that should serve it runs";
  return `Socket ${path}, which the config in force calls, ${STATE_WORDS[state]}${sinceMs === undefined ? "" : ` (for ${spanWords(sinceMs, input.nowMs)})`}, ${who}.`;
}

function downEvidence({ daemonPod, sinceMs }: Down): readonly Evidence[] {
  const { detail, pod, daemon } = daemonPod;
  const end = lastEndOfDaemon(daemonPod);
  return [
    seen(`State of pod ${pod.name}`, "api", { value: whyWords(daemonPod), ...(sinceMs === undefined ? {} : { atMs: sinceMs }) }),
    notSeen(`A running process of ${daemon.container}`, "api"),
    ...(end === undefined ? [] : [seen(`Last end of ${daemon.container}`, "api", { value: `${end.reason ?? "ended"}, exit code ${end.exitCode ?? "unknown"}`, ...(end.finishedMs === undefined ? {} : { atMs: end.finishedMs }) })]),
    ...(detail === undefined || detail.restarts === 0 ? [] : [seen(`Restarts of pod ${pod.name}`, "api", { value: detail.restarts, unit: "count" })]),
  ];
}

/** Nothing is known of pods: a socket alone does not tell a daemon that is down from one that runs beside a stale socket. */
function withoutApi(input: CauseInput, unseen: string, look: SocketLook, dead: readonly CalledSocket[]): Finding {
  if (dead.length > 0) return firing(input, [], dead, "suspected", look);
  if (look.looked && look.called.length > 0 && look.called.every(({ socket }) => socket.state === "answers")) return clear("Every socket that the config in force calls answers.", socketsEvidence(input, look));
  return orTexts(input, cannotTell(unseen, socketsEvidence(input, look)));
}

/** Clear where a daemon that is needed is known to run, or where sockets were looked at; without either only a start proves anything. */
function notDown(input: CauseInput, look: SocketLook, restarting: readonly Down[]): Finding {
  const [young] = restarting.filter(({ needed }) => needed !== false);
  if (young !== undefined) return clear(`${containerOf(young.daemonPod)} is being started or restarted: ${whyWords(young.daemonPod)}.`, restarting.flatMap(downEvidence));
  const running = allDaemonPods(input).filter(isRunning);
  const evidence = [...running.map(runningEvidence), ...(look.looked ? look.called.map(({ socket }) => socketEvidence(input, socket)) : [])];
  if (running.some(({ daemon }) => isNeeded(input, daemon) === true)) return clear(`${listWords(running.map(containerOf))} ${running.length === 1 ? "runs" : "run"}.`, evidence);
  if (look.looked) return clear(look.called.length === 0 ? "The config in force calls no daemon." : "No daemon that the config in force calls is down.", evidence);
  const proven = provenByStart(input, "A CNI daemon that is down", look.reason);
  return proven.state === "clear" ? proven : orTexts(input, proven);
}

function runningEvidence(daemonPod: DaemonPod): Evidence {
  const sinceMs = runningSinceMs(daemonPod);
  return seen(`${containerOf(daemonPod)} of ${daemonPod.daemon.key} runs`, "api", sinceMs === undefined ? {} : { atMs: sinceMs });
}

const orTexts = (input: CauseInput, otherwise: Finding): Finding => textsOr(input, "daemon-down", "say that nothing answers for the CNI daemon.", otherwise, "The CNI daemon and its socket", "agent");

