import type { Evidence } from "../answer";
import { bytesWords, spanWords } from "../words";
import { agentPart } from "./agent-part";
import { textsOr } from "./by-texts";
import { fresh } from "./cpu-readings";
import { containerOf, daemonPods, daemonsUnseen, instanceOf, isRunning, lastEndOfDaemon, NO_DAEMON, runningSinceMs, signalOf, type DaemonPod } from "./daemon-pods";
import { couldNotLook, notSeen, seen } from "./evidence";
import { cannotTell, clear, textEvidence, textsFor } from "./findings";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

/** Kills within this time belong together: between two of a loop lie up to five minutes of back-off and the daemon's short life. */
export const OOM_WINDOW_MS = 900_000;
/**
 * The pod's status shows its last end alone. Where nobody watched those before it, so many restarts of a pod that is younger than the window
 * make a loop as well, the last of them a kill.
 */
export const OOM_LOOP_RESTARTS = 3;
/** A second kill in the window makes a loop, until it has lived for this long. */
export const OOM_LOOP_OVER_MS = 300_000;
/** A single kill is over once the daemon has lived for this long: it is killed again within seconds of meeting the same burst. */
export const OOM_ONCE_OVER_MS = 120_000;

export const daemonOom: Cause = {
  code: "daemon-oom",
  title: "The CNI daemon is killed for memory",
  severity: "blocks",
  meaning:
    "The calls that run at once need more memory than the CNI daemon's container may use, and the kernel kills the daemon, or a plugin that it runs inside the same limit. All calls in flight are lost, the pods try again together, and the burst comes anew: a loop with a growing back-off between the restarts.",
  impact: "While it is down no call succeeds. Where only a plugin was killed, that pod's call fails and the container goes on, so that no restart tells of it.",
  checks: [
    "The container that serves the plugin ended with OOMKilled: how often in the last 15 min, and whether it runs again since. Three restarts of a pod made in that time count as a loop where the ends before the last were not watched.",
    "Kills inside its control group while it goes on running (agent): those are plugins.",
    "Its memory limit, from the pod itself, against its peak and working set.",
  ],
  lookAlikes: [
    { code: "daemon-down", tells: "There the container ends for another reason, or never begins; shown under this one where both fire." },
    { code: "oom-victim-candidate", tells: "There nothing was killed yet: on Talos a pod without a memory limit is what the node takes first." },
    { code: "node-resource-exhausted", tells: "There the node itself is short, of memory or of something else, and other pods are hurt likewise." },
    { code: "daemon-cpu-throttled", tells: "There it lives and is slow. Taking its CPU limit away can turn that into this." },
  ],
  mitigation: [
    "Raise the memory limit of the running pod in place, where the cluster can (Kubernetes 1.33 and newer), then of the DaemonSet. 4Gi ended loops that 1Gi did not; a plain burst of 60 pods took 124Mi.",
    "Set a memory request too (256Mi): without one it defaults to the limit, and a node without that much room is left without the daemon.",
    "Keep a limit: without one the pod is what Talos' out-of-memory handler takes first.",
    "Restarting it by hand only skips one back-off; the same burst meets it again.",
  ],
  actions: ["set-daemon-resources", "resize-daemon-pod"],
  explains: ["daemon-down", "daemon-slow", "ipam-leak", "node-cpu-contention", "retry-storm", "stale-socket"],
  check: (input) => {
    const unseen = daemonsUnseen(input);
    if (unseen !== undefined) return [orTexts(input, cannotTell(unseen))];
    const pods = daemonPods(input);
    if (pods.length === 0) return [orTexts(input, clear(NO_DAEMON))];
    for (const kind of [killedDaemon, killedPlugin]) {
      const findings = pods.flatMap((daemonPod) => kind(input, daemonPod) ?? []);
      const [worst] = findings;
      if (worst !== undefined) return [{ ...worst, evidence: findings.flatMap(({ evidence }) => evidence) }];
    }
    return [notKilled(input, pods)];
  },
};

/** The daemon itself was killed, and does not run again or only just. */
function killedDaemon(input: CauseInput, daemonPod: DaemonPod): Finding | undefined {
  const { nowMs } = input;
  const kills = daemonPod.view?.oomKillsMs ?? [];
  const recent = kills.filter((ms) => nowMs - ms <= OOM_WINDOW_MS);
  const lastMs = kills.at(-1);
  const lies = !isRunning(daemonPod) && lastEndOfDaemon(daemonPod)?.reason === "OOMKilled";
  // An installer that failed since is what keeps it down; only a loop is worth telling beside that.
  if (lies && recent.length < 2 && installerFailedSince(daemonPod, lastMs ?? 0)) return undefined;
  const restarts = recent.length === 1 ? restartsSinceMade(input, daemonPod) : undefined;
  const isLoop = recent.length > 1 || restarts !== undefined;
  // A life is counted from its beginning: the back-off before it may have been as long as a loop needs to be over.
  const livesMs = lastMs === undefined ? Infinity : nowMs - Math.max(lastMs, runningSinceMs(daemonPod) ?? 0);
  if (!lies && livesMs > (isLoop ? OOM_LOOP_OVER_MS : OOM_ONCE_OVER_MS)) return undefined;
  const container = containerOf(daemonPod);
  const when = lastMs === undefined ? "" : `${isLoop ? ", the last" : ""} ${spanWords(lastMs, nowMs)} ago`;
  const howOften = restarts !== undefined ? `restarted ${restarts} times since its pod was made, and killed for memory` : isLoop ? `killed for memory ${recent.length} times in the last ${spanWords(nowMs - OOM_WINDOW_MS, nowMs)}` : "killed for memory";
  return {
    state: "firing",
    certainty: "named",
    ...(isLoop ? { detail: "loop" } : {}),
    summary: `${container} was ${howOften}${when}${lies ? " and does not run" : ""}; ${roomWords(input, daemonPod)}.`,
    evidence: [
      seen(`Times that ${container} ended with OOMKilled in the last 15 min`, "api", { value: Math.max(recent.length, 1), unit: "count", ...(lastMs === undefined ? {} : { atMs: lastMs }) }),
      ...(restarts === undefined ? [] : [seen(`Restarts of pod ${daemonPod.pod.name}, of whose ends only the last is told`, "api", { value: restarts, unit: "count" })]),
      lies ? notSeen(`A running process of ${container}`, "api") : seen(`${container} runs again`, "api", at(runningSinceMs(daemonPod))),
      ...roomEvidence(input, daemonPod),
      ...killEvidence(input, daemonPod),
      ...textEvidence(textsFor(input, "daemon-oom")),
    ],
    pods: namesOf(waitsForNode(input)),
  };
}

const installerFailedSince = ({ detail }: DaemonPod, sinceMs: number): boolean => detail?.terminations.some(({ init, exitCode, finishedMs = 0 }) => init && exitCode !== 0 && finishedMs > sinceMs) ?? false;

/** How often its containers restarted, where that makes a loop: all of it within the window, and no installer among them that failed. */
function restartsSinceMade({ nowMs }: CauseInput, { pod, detail }: DaemonPod): number | undefined {
  if (detail === undefined || detail.restarts < OOM_LOOP_RESTARTS || pod.createdMs === undefined || nowMs - pod.createdMs > OOM_WINDOW_MS) return undefined;
  return detail.terminations.some(({ init, exitCode }) => init && exitCode !== 0) ? undefined : detail.restarts;
}

/** Something in its control group was killed, and it goes on: a plugin that it ran. */
function killedPlugin(input: CauseInput, daemonPod: DaemonPod): Finding | undefined {
  const risenMs = input.cgroupKills.get(instanceOf(daemonPod))?.risenMs;
  const sinceMs = runningSinceMs(daemonPod);
  if (risenMs === undefined || input.nowMs - risenMs > OOM_LOOP_OVER_MS || (sinceMs !== undefined && sinceMs >= risenMs) || !isRunning(daemonPod)) return undefined;
  const container = containerOf(daemonPod);
  return {
    state: "firing",
    certainty: "named",
    detail: "plugin-killed",
    severity: "risks",
    summary: `The kernel killed a process inside the memory limit of ${container} ${spanWords(risenMs, input.nowMs)} ago, and ${container} itself goes on: a plugin that it ran; ${roomWords(input, daemonPod)}.`,
    evidence: [...killEvidence(input, daemonPod), seen(`${container} runs`, "api", at(sinceMs)), notSeen(`An end of ${container} for memory`, "api"), ...roomEvidence(input, daemonPod), ...textEvidence(textsFor(input, "daemon-oom"))],
    pods: namesOf(waitsForNode(input)),
  };
}

/** Highest use that is told: the agent's counter, cAdvisor's, else what it uses now. */
function peakOf(input: CauseInput, daemonPod: DaemonPod): { readonly bytes: number; readonly what: string; readonly source: "agent" | "kubelet" } | undefined {
  const cgroups = agentPart(input, "cgroups");
  const own = cgroups.looked ? cgroups.items.find(({ podUid, container }) => podUid === daemonPod.pod.uid && container === daemonPod.daemon.container) : undefined;
  if (own?.memoryPeakBytes !== undefined) return { bytes: own.memoryPeakBytes, what: "peak since it began", source: "agent" };
  const peak = fresh(signalOf(input, daemonPod, "daemon.memory.peak"));
  if (peak !== undefined) return { bytes: peak, what: "peak since it began", source: "kubelet" };
  const now = fresh(signalOf(input, daemonPod, "daemon.memory.working_set"));
  return now === undefined ? undefined : { bytes: now, what: "use now", source: "kubelet" };
}

function roomWords(input: CauseInput, daemonPod: DaemonPod): string {
  const limit = daemonPod.view?.memoryLimitBytes;
  const peak = peakOf(input, daemonPod);
  const used = peak === undefined ? "" : `, its ${peak.what} ${bytesWords(peak.bytes)}`;
  return limit === undefined ? `it has no memory limit of its own, so the node ran out or its handler took it${used}` : `its limit is ${bytesWords(limit)}${used}`;
}

function roomEvidence(input: CauseInput, daemonPod: DaemonPod): readonly Evidence[] {
  const container = containerOf(daemonPod);
  const limit = daemonPod.view?.memoryLimitBytes;
  const peak = peakOf(input, daemonPod);
  return [
    limit === undefined ? notSeen(`Memory limit of ${container}`, "api") : seen(`Memory limit of ${container}`, "api", { value: limit, unit: "bytes" }),
    peak === undefined
      ? couldNotLook(`Memory peak of ${container}`, "kubelet", signalOf(input, daemonPod, "daemon.memory.peak")?.reason ?? "nothing tells it")
      : seen(`Memory of ${container}: ${peak.what}`, peak.source, { value: peak.bytes, unit: "bytes", ...(peak.source === "agent" ? at(input.report?.atMs) : {}) }),
  ];
}

function killEvidence(input: CauseInput, daemonPod: DaemonPod): readonly Evidence[] {
  const what = `Processes killed inside the control group of ${containerOf(daemonPod)} since it began`;
  const known = input.cgroupKills.get(instanceOf(daemonPod));
  if (known !== undefined) return [(known.kills > 0 ? seen : notSeen)(what, "agent", { value: known.kills, unit: "count", ...at(known.risenMs ?? input.report?.atMs) })];
  const cgroups = agentPart(input, "cgroups");
  return [couldNotLook(what, "agent", cgroups.looked ? "the agent does not tell it of this container" : cgroups.reason)];
}

/** A plugin's end is seen by the agent alone. Where there has never been one its absence is evidence; where it fell silent nothing is cleared. */
function notKilled(input: CauseInput, pods: readonly DaemonPod[]): Finding {
  const evidence = pods.flatMap((daemonPod) => [notSeen(`An end of ${containerOf(daemonPod)} for memory in the last ${spanWords(input.nowMs - OOM_WINDOW_MS, input.nowMs)}`, "api"), ...killEvidence(input, daemonPod)]);
  const cgroups = agentPart(input, "cgroups");
  if (!cgroups.looked && input.source("agent").freshness !== "absent") return orTexts(input, cannotTell(cgroups.reason, evidence));
  if (cgroups.looked) return clear(lastKillWords(input, pods), evidence);
  return orTexts(input, clear(lastKillWords(input, pods), evidence));
}

function lastKillWords(input: CauseInput, pods: readonly DaemonPod[]): string {
  const [killed] = pods.flatMap(({ view }) => view?.oomKillsMs.at(-1) ?? []).sort((a, b) => b - a);
  return killed === undefined ? "No CNI daemon here was killed for memory." : `The last kill for memory was ${spanWords(killed, input.nowMs)} ago, and the daemon has run since.`;
}

const at = (atMs: number | undefined): { atMs?: number } => (atMs === undefined ? {} : { atMs });
const orTexts = (input: CauseInput, otherwise: Finding): Finding => textsOr(input, "daemon-oom", "speak of a CNI daemon that ended in the middle of a call.", otherwise, "Ends of the CNI daemon for memory", "api");

