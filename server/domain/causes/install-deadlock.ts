import type { PluginProcess } from "../agent-readings";
import type { Evidence } from "../answer";
import type { ContainerTermination } from "../model";
import { countWords, listWords, spanWords } from "../words";
import { agentPart } from "./agent-part";
import { textsOr } from "./by-texts";
import { containerOf, daemonPods, daemonsUnseen, isRunning, lastEnd, NO_DAEMON, type DaemonPod } from "./daemon-pods";
import { couldNotLook, notSeen, seen } from "./evidence";
import { cannotTell, clear, lineWords, textEvidence, textsFor } from "./findings";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

const BUSY = "text file busy";
const MAX_MESSAGE_CHARS = 200;
const MAX_HOLDERS_SHOWN = 5;

export const installDeadlock: Cause = {
  code: "install-deadlock",
  title: "The CNI daemon's installer cannot overwrite a program that waits for the daemon",
  severity: "blocks",
  meaning:
    "Calls of waiting pods sit in the plugin's shim, which waits for the daemon. The daemon's init container wants to copy a new shim over the same file, and the kernel refuses that while a process runs it. So the daemon never starts, the shims never end for good, and each try of a pod starts another: a circle.",
  impact: "No pod gets a sandbox, and nothing ends the circle by itself as long as many pods wait. Typical after a hard reboot of a full node.",
  checks: [
    "An init container of the CNI daemon's pod ended with an error and the message Text file busy, and the daemon does not run.",
    "Processes that run the very file that cannot be replaced (agent).",
    "Without a message: an init container that fails while such processes are there, which only makes it suspected.",
  ],
  lookAlikes: [
    { code: "daemon-down", tells: "There the init container fails for another reason, or the daemon itself ends; what the pods say is the same." },
    { code: "plugin-binary-missing", tells: "There the program is not there, or broken; here it is there, whole and busy." },
    { code: "retry-storm", tells: "There the daemon runs and is buried in calls; the events of the pods are the same in both." },
    { code: "node-resource-exhausted", tells: "There the installer fails for want of space: no space left on device." },
  ],
  mitigation: [
    "Rename the busy file aside on the node, then delete the daemon's pod: `mv /opt/cni/bin/multus-shim /opt/cni/bin/.multus-shim.old`. Everything was ready 4 s later. Without deleting the pod its next try comes only after the back-off, up to 5 min.",
    "For good: let the installer replace the file instead of writing into it, with `cp -f`, `install_multus` (multus 4.2.3 and newer), or a copy beside it and a rename. This changes the DaemonSet and rolls every node.",
    "Before that raise the daemon's memory limit: cured of the deadlock, all waiting calls reach it at once, and at 50Mi it went on in a loop of out-of-memory kills.",
    "Killing the shims helps only where few pods wait: with 25, new ones held the file again within 4 s.",
    "Hazard: between the rename and the installer's copy, calls find no plugin and fail.",
  ],
  actions: ["move-busy-shim-aside", "restart-daemon-pod", "set-daemon-resources"],
  explains: ["daemon-down", "daemon-slow", "retry-storm", "sandbox-name-reserved", "teardown-failed"],
  check: (input) => {
    const unseen = daemonsUnseen(input);
    if (unseen !== undefined) return [orTexts(input, cannotTell(unseen))];
    const pods = daemonPods(input);
    if (pods.length === 0) return [orTexts(input, clear(NO_DAEMON))];
    const failing = pods.flatMap((daemonPod) => failedInstaller(daemonPod) ?? []);
    const [busy] = failing.filter(({ end }) => end.message?.toLowerCase().includes(BUSY));
    if (busy !== undefined) return [named(input, busy)];
    const [silent] = failing.filter(({ end }) => end.message === undefined);
    if (silent !== undefined) return [withoutMessage(input, silent)];
    return [clear(failing.length === 0 ? "No init container of a CNI daemon here fails." : "An init container of a CNI daemon fails, and not on a busy file.", failing.map(endEvidence))];
  },
};

interface Failed {
  readonly daemonPod: DaemonPod;
  readonly end: ContainerTermination;
}

/** The init container that failed last, while the daemon does not run: a container that ended well since is not it. */
function failedInstaller(daemonPod: DaemonPod): Failed | undefined {
  if (isRunning(daemonPod)) return undefined;
  const end = lastEnd(daemonPod, ({ init, exitCode }) => init && exitCode !== undefined);
  return end === undefined || end.exitCode === 0 ? undefined : { daemonPod, end };
}

function named(input: CauseInput, { daemonPod, end }: Failed): Finding {
  const path = quotedPath(end.message ?? "");
  const holders = holdersOf(input, path);
  const held = holders.looked && holders.items.length > 0 ? ` ${countWords(holders.items.length, "process", "processes")} of waiting calls ${holders.items.length === 1 ? "runs" : "run"} that file.` : "";
  return {
    state: "firing",
    certainty: "named",
    summary: `Init container ${end.container} of ${daemonPod.daemon.key} cannot write ${path === undefined ? "its program" : baseName(path)}: Text file busy (exit code ${end.exitCode ?? "unknown"}${daemonPod.detail === undefined ? "" : `, ${countWords(daemonPod.detail.restarts, "restart")}`}), so ${containerOf(daemonPod)} does not start.${held}`,
    evidence: [endEvidence({ daemonPod, end }), notSeen(`A running process of ${containerOf(daemonPod)}`, "api"), ...holderEvidence(input, holders), ...textEvidence(textsFor(input, "install-deadlock"))],
    pods: namesOf(waitsForNode(input)),
  };
}

/** It fails and does not say why. Callers that run a plugin's file are the usual reason, and no proof. */
function withoutMessage(input: CauseInput, failed: Failed): Finding {
  const holders = holdersOf(input, undefined);
  const why = `Init container ${failed.end.container} of ${failed.daemonPod.daemon.key} fails and leaves no message`;
  if (!holders.looked) return orTexts(input, cannotTell(`${why}. ${holders.reason}`, [endEvidence(failed)]));
  if (holders.items.length === 0) return clear(`${why}, and no process runs a plugin's file.`, [endEvidence(failed), ...holderEvidence(input, holders)]);
  return {
    state: "firing",
    certainty: "suspected",
    summary: `${why}, while ${countWords(holders.items.length, "process", "processes")} of waiting calls ${holders.items.length === 1 ? "runs" : "run"} a plugin's file.`,
    evidence: [endEvidence(failed), ...holderEvidence(input, holders)],
    pods: namesOf(waitsForNode(input)),
  };
}

function endEvidence({ daemonPod, end }: Failed): Evidence {
  const message = end.message === undefined ? "no message" : lineWords(end.message, MAX_MESSAGE_CHARS);
  return seen(`Last end of init container ${end.container} of pod ${daemonPod.pod.name}`, "api", { value: `exit code ${end.exitCode ?? "unknown"}: ${message}`, ...(end.finishedMs === undefined ? {} : { atMs: end.finishedMs }) });
}

type Holders = { readonly looked: true; readonly items: readonly PluginProcess[] } | { readonly looked: false; readonly reason: string };

/** Processes that run the file as it stands at the path now: those of a file that was replaced no longer hold it. */
function holdersOf(input: CauseInput, path: string | undefined): Holders {
  const processes = agentPart(input, "processes");
  if (!processes.looked) return processes;
  return { looked: true, items: processes.items.filter(({ program, replaced }) => !replaced && (path === undefined || program === baseName(path))) };
}

function holderEvidence(input: CauseInput, holders: Holders): readonly Evidence[] {
  const what = "Processes that run the file";
  if (!holders.looked) return [couldNotLook(what, "agent", holders.reason)];
  const atMs = input.report?.atMs;
  const at = atMs === undefined ? {} : { atMs };
  if (holders.items.length === 0) return [notSeen(what, "agent", { value: 0, unit: "count", ...at })];
  const oldestMs = holders.items.flatMap(({ startedMs }) => startedMs ?? []).sort((a, b) => a - b)[0];
  const pids = listWords(holders.items.map(({ pid, pod }) => `${pid}${pod === undefined ? "" : ` for pod ${pod}`}`), MAX_HOLDERS_SHOWN);
  return [seen(what, "agent", { value: `${holders.items.length} (${pids})${oldestMs === undefined ? "" : `, the oldest ${spanWords(oldestMs, input.nowMs)} old`}`, ...at })];
}

/** "cp: cannot create regular file '/host/opt/cni/bin/multus-shim': Text file busy" → the path; undefined for a text without one. Installers quote it differently or not at all. */
export const busyPath = (message: string): string | undefined => (message.toLowerCase().includes(BUSY) ? quotedPath(message) : undefined);

function quotedPath(message: string): string | undefined {
  const words = message.slice(0, Math.max(0, message.search(/text file busy/i))).split(/[\s'"`‘’:]+/);
  return words.findLast((word) => word.startsWith("/") && !word.endsWith("/"));
}
const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const orTexts = (input: CauseInput, otherwise: Finding): Finding => textsOr(input, "install-deadlock", "speak of a busy program that cannot be replaced.", otherwise, "Init containers of the CNI daemon", "api");
