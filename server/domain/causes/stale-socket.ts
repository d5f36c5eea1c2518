import type { StaleMount } from "../agent-readings";
import type { Evidence } from "../answer";
import { CNI_ROWS } from "../cni-daemons";
import { canonicalSocketPath, KNOWN_SOCKETS } from "../known-sockets";
import type { PodObject, SocketMount } from "../model";
import { listWords, spanWords } from "../words";
import { agentPart } from "./agent-part";
import { groupsOr } from "./by-texts";
import { agentHeardMs, calledSockets, isDead, serverRuns, socketsEvidence, STATE_WORDS, type CalledSocket, type SocketLook } from "./called-sockets";
import { containerOf, daemonPods, daemonsUnseen, isNeeded, isRunning, runningSinceMs, type DaemonPod } from "./daemon-pods";
import { couldNotLook, seen } from "./evidence";
import { cannotTell, clear, textEvidence, textsFor } from "./findings";
import { provenByStart } from "./proof";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type Finding } from "./types";
import { namesOf, podKey, waitsForNode } from "./waiting-pods";

/** A daemon that has run for so long listens, or never will. */
export const LISTENS_AFTER_MS = 30_000;
/** Multus makes its socket only once it has found a config to hand pods to, for which it waits up to 120 s. */
export const APPEARS_AFTER_MS = 150_000;
/** Most stale mounts that one finding names. */
const MAX_MOUNTS_SHOWN = 6;

export const staleSocket: Cause = {
  code: "stale-socket",
  title: "A socket of the CNI daemon is stale",
  severity: "blocks",
  meaning:
    "Host: the daemon's process runs, and nobody answers on the socket that plugins call, because the file is left over from an earlier life or was removed under the living daemon. Consumer: a pod mounted the socket, or its folder, before the daemon made it anew; its mount still shows the old one, which nobody listens on.",
  impact: "Host: no pod gets a sandbox, while daemon and node look ready. Consumer: that pod cannot reach the daemon until it is restarted; other pods start as before.",
  checks: [
    "Host: the socket that the config in force calls refuses or is absent in two reports in a row (agent), and the container that serves it has run for 30 s (refuses) or 150 s (absent).",
    "Consumer: a mount of a known socket or its folder, in any container, whose inode is not what the host has at that path, or which mountinfo marks as deleted (agent). Both inodes are shown.",
    "Without the agent texts of pods can suggest the host's, and a container that mounts the socket, or multus' folder, and has run since before the daemon began the consumer's (API).",
  ],
  lookAlikes: [
    { code: "daemon-down", tells: "There the daemon's process does not run." },
    { code: "daemon-slow", tells: "There the socket accepts and the answer is late." },
    { code: "silent-bypass", tells: "There multus' socket and its config are both gone, the next config is in force, and pods start without their extra networks." },
    { code: "cni-config-conflict", tells: "There the socket belongs to a CNI that is not meant to run here: the wrong config calls it." },
  ],
  mitigation: [
    "Host: delete the daemon's pod on this node, in the ordinary way; its successor makes the socket anew. Wait until the old pod is gone before anything is applied again.",
    "Consumer: restart the consumer's container: the runtime mounts the path anew, which was enough for every way of mounting that was measured. Delete its pod where a container cannot be restarted alone.",
    "Consumer, for good: mount /run, not the socket and not its folder. Multus removes and makes the whole folder /run/multus at each start, and mountPropagation does not help.",
    "Hazard: a restart of the daemon makes every other consumer that mounts file or folder stale.",
  ],
  actions: ["restart-daemon-pod", "delete-consumer-pod"],
  explains: ["daemon-down", "daemon-slow", "ipam-leak", "retry-storm", "sandbox-name-reserved", "teardown-failed"],
  check: (input) => [ofDetail("host", onHost(input)), ofDetail("consumer", atConsumers(input))],
};

/** What cannot be told of one says nothing of the other. */
const ofDetail = (detail: string, finding: Finding): Finding => (finding.state === "clear" ? finding : { detail, ...finding });

function onHost(input: CauseInput): Finding {
  const unseen = daemonsUnseen(input);
  const look = calledSockets(input);
  if (!look.looked) return unseen === undefined ? byTexts(input, look.reason) : suspected(input, cannotTell(unseen));
  const dead = look.called.filter(({ socket }) => isDead(input, socket));
  if (dead.length > 0 && unseen !== undefined) return cannotTell(unseen, socketsEvidence(input, look));
  const stale = dead.flatMap((called) => {
    const server = staleServer(input, called);
    return server === undefined ? [] : [{ called, server }];
  });
  if (stale.length === 0) return clear(look.called.length === 0 ? "The config in force calls no socket." : "No socket that the config in force calls is dead beside a daemon that runs.", socketsEvidence(input, look));
  return {
    state: "firing",
    certainty: "named",
    detail: "host",
    summary: stale.map(({ called, server }) => hostWords(input, called, server)).join(" "),
    evidence: [...socketsEvidence(input, look), ...stale.map(({ server }) => seen(`${containerOf(server)} of pod ${server.pod.name} runs`, "api", at(runningSinceMs(server)))), ...inodeEvidence(input, look), ...textEvidence(textsFor(input, "stale-socket"))],
    pods: namesOf(waitsForNode(input)),
  };
}

/** A daemon that runs for long enough to have made the socket, and did not or no longer has it. */
function staleServer(input: CauseInput, called: CalledSocket): DaemonPod | undefined {
  const server = serverRuns(called);
  if (server === undefined) return undefined;
  const sinceMs = runningSinceMs(server);
  const needs = called.socket.state === "absent" ? APPEARS_AFTER_MS : LISTENS_AFTER_MS;
  return sinceMs === undefined || agentHeardMs(input) - sinceMs >= needs ? server : undefined;
}

function hostWords(input: CauseInput, { socket: { path, state, sinceMs } }: CalledSocket, server: DaemonPod): string {
  const runs = runningSinceMs(server);
  const how = state === "absent" ? "the file vanished under it" : "the file is left over and nobody listens on it";
  return `Socket ${path} ${STATE_WORDS[state]}${sinceMs === undefined ? "" : ` (for ${spanWords(sinceMs, input.nowMs)})`}, though ${containerOf(server)}, which should serve it, has run for ${runs === undefined ? "long" : spanWords(runs, input.nowMs)}: ${how}.`;
}

const inodeEvidence = (input: CauseInput, look: SocketLook): readonly Evidence[] =>
  look.looked ? look.called.flatMap(({ socket: { path, inode, kind } }) => (inode === undefined ? [] : [seen(`What stands at ${path}`, "agent", { value: `${kind ?? "file"}, device and inode ${inode}`, ...at(input.report?.atMs) })])) : [];

/** No socket was looked at. A text fits only where a daemon is there and runs; where it is down, that is what the text says. */
function byTexts(input: CauseInput, reason: string): Finding {
  const needed = daemonPods(input).filter(({ daemon }) => isNeeded(input, daemon) !== false);
  const proven = provenByStart(input, "A dead socket beside a daemon that runs", reason);
  if (proven.state === "clear") return proven;
  if (needed.length > 0 && !needed.some(isRunning)) return clear(`${listWords(needed.map(containerOf))} does not run, so that its socket cannot be stale.`);
  return suspected(input, proven);
}

/**
 * Texts that speak of it, and those of a daemon that is down where the API says that it runs: a socket that refuses beside a living daemon
 * is what this cause is.
 */
function suspected(input: CauseInput, otherwise: Finding): Finding {
  const running = daemonsUnseen(input) === undefined ? daemonPods(input).filter((daemonPod) => isRunning(daemonPod) && isNeeded(input, daemonPod.daemon) === true) : [];
  const runsSinceMs = running.flatMap((daemonPod) => runningSinceMs(daemonPod) ?? []).sort((a, b) => b - a)[0];
  const refused = runsSinceMs === undefined ? [] : textsFor(input, "daemon-down").filter(({ explanation, lastMs }) => explanation.facts.socketPath !== undefined && lastMs - runsSinceMs >= LISTENS_AFTER_MS);
  const finding = groupsOr([...textsFor(input, "stale-socket"), ...refused], "say that nobody answers on the CNI daemon's socket.", otherwise, "The socket that the config in force calls", "agent");
  return finding.state === "firing" ? { ...finding, detail: "host", evidence: [...finding.evidence, ...running.map((daemonPod) => seen(`${containerOf(daemonPod)} of pod ${daemonPod.pod.name} runs`, "api", at(runningSinceMs(daemonPod))))] } : finding;
}

function atConsumers(input: CauseInput): Finding {
  const mounts = agentPart(input, "mounts");
  if (!mounts.looked) return olderConsumers(input, mounts.reason);
  const leaving = new Set([...input.pods.values()].filter(({ deleting }) => deleting).map(({ uid }) => uid));
  const stale = mounts.stale.filter(({ podUid }) => podUid === undefined || !leaving.has(podUid));
  if (stale.length > 0) return consumers(input, stale);
  if (mounts.unread !== undefined && mounts.unread > 0) return cannotTell("The node's agent could not read every container's mounts");
  return clear(mounts.mountsSeen === 0 ? "No container mounts a socket of a CNI daemon, or its folder." : "Every mount of a CNI daemon's socket shows what the host has.", [seen("Mounts of known sockets and their folders", "agent", { value: mounts.mountsSeen, unit: "count", ...at(input.report?.atMs) })]);
}

/** A container that mounts a socket and runs for longer than the daemon that makes it anew at each start. */
interface OlderConsumer {
  readonly pod: PodObject;
  readonly mount: SocketMount;
  readonly server: DaemonPod;
  readonly serverSinceMs: number;
}

/** Nobody looked into the mounts. By the API alone those are suspected that are older than the socket must be. */
function olderConsumers(input: CauseInput, reason: string): Finding {
  if (daemonsUnseen(input) !== undefined) return cannotTell(reason);
  const servers = daemonPods(input).filter(isRunning);
  const own = new Set(daemonPods(input).map(({ pod }) => pod.uid));
  const found = [...input.pods.values()].flatMap((pod): readonly OlderConsumer[] => (pod.deleting || own.has(pod.uid) ? [] : (pod.socketMounts ?? []).flatMap((mount) => olderThanSocket(pod, mount, servers) ?? [])));
  const [first] = found;
  if (first === undefined) return cannotTell(reason);
  const whose = ({ pod, mount }: OlderConsumer): string => `${mount.container} of pod ${podKey(pod)}`;
  const more = found.length > 1 ? ` ${found.length} mounts in all.` : "";
  return {
    state: "firing",
    certainty: "suspected",
    detail: "consumer",
    severity: "risks",
    explains: [],
    summary: `${whose(first)} mounts ${first.mount.path} and has run since before ${containerOf(first.server)} began ${spanWords(first.serverSinceMs, input.nowMs)} ago, which makes it anew at each start: it most likely still sees the old one.${more}`,
    evidence: [
      ...found.slice(0, MAX_MOUNTS_SHOWN).map((one) => seen(`Mount of ${one.mount.path} in ${whose(one)}, from the container's start on`, "api", { atMs: one.mount.sinceMs })),
      seen(`${containerOf(first.server)} of pod ${first.server.pod.name} began`, "api", { atMs: first.serverSinceMs }),
      couldNotLook("What these mounts show", "agent", reason),
    ],
    pods: [...new Set(found.map(({ pod }) => podKey(pod)))].slice(0, MAX_PODS_NAMED),
  };
}

function olderThanSocket(pod: PodObject, mount: SocketMount, servers: readonly DaemonPod[]): OlderConsumer | undefined {
  const known = KNOWN_SOCKETS.find(({ path, makesFolder }) => mount.path === canonicalSocketPath(path) || (makesFolder === true && canonicalSocketPath(path).startsWith(`${mount.path}/`)));
  const server = servers.find(({ daemon }) => CNI_ROWS.find(({ cni }) => cni === daemon.cni)?.pluginTypes.some((type) => known?.pluginTypes.includes(type)));
  const serverSinceMs = server === undefined ? undefined : runningSinceMs(server);
  return server === undefined || serverSinceMs === undefined || mount.sinceMs >= serverSinceMs ? undefined : { pod, mount, server, serverSinceMs };
}

function consumers(input: CauseInput, stale: readonly StaleMount[]): Finding {
  const names = [...new Set(stale.flatMap(({ namespace, pod }) => (namespace === undefined || pod === undefined ? [] : [`${namespace}/${pod}`])))];
  const [first] = stale;
  const more = stale.length > 1 ? ` ${stale.length} mounts in all.` : "";
  return {
    state: "firing",
    certainty: "named",
    detail: "consumer",
    severity: "risks",
    explains: [],
    summary: first === undefined ? "" : `${whoseWords(first)} mounts the ${first.kind === "file" ? "socket" : "folder"} of ${first.socketPath} at ${first.mountPath} and still sees an old one: ${inodeWords(first)}.${more}`,
    evidence: stale.slice(0, MAX_MOUNTS_SHOWN).map((mount) => seen(`Mount of ${mount.socketPath} in ${whoseWords(mount)}, at ${mount.mountPath}`, "agent", { value: inodeWords(mount), ...at(input.report?.atMs) })),
    pods: names.slice(0, MAX_PODS_NAMED),
  };
}

function whoseWords({ namespace, pod, container, pid }: StaleMount): string {
  if (namespace === undefined || pod === undefined) return `process ${pid}`;
  return `${container === undefined ? "a container" : container} of pod ${namespace}/${pod}`;
}

const BECAUSE: Readonly<Record<StaleMount["because"], string>> = { deleted: "mountinfo marks it as deleted", "no-links": "no path leads to it any more", "other-inode": "the inodes differ" };

function inodeWords({ mountedInode, hostInode, because }: StaleMount): string {
  const mounted = mountedInode === undefined ? "mounted: not told" : `mounted ${mountedInode}`;
  return `${mounted}, on the host ${hostInode ?? "nothing"} (${BECAUSE[because]})`;
}

const at = (atMs: number | undefined): { atMs?: number } => (atMs === undefined ? {} : { atMs });
