import type { Evidence } from "../answer";
import type { SignalNow } from "../node-view";
import { countWords, durationWords, numberWords, spanWords } from "../words";
import { backlogCourse, LEAST_COURSE_MS, stoodStill, type Course } from "./backlog-course";
import type { CauseCode } from "./codes";
import { fresh } from "./cpu-readings";
import { containerOf, daemonPods, daemonsUnseen, isNeeded, isRunning, runningSinceMs } from "./daemon-pods";
import { couldNotLook, notSeen, seen, signalEvidence } from "./evidence";
import { cannotTell, clear, textsUnseen } from "./findings";
import { outlived, type Outlived } from "./outlived";
import { startedLatelyMs } from "./proof";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

/** Fewer pods that try again and again are no storm. */
export const STORM_PODS = 3;
/** A backlog that would take longer than this at its rate does not drain. */
export const DRAINS_WITHIN_SECONDS = 1_800;

export const retryStorm: Cause = {
  code: "retry-storm",
  title: "A storm of retries that does not end by itself",
  severity: "blocks",
  meaning:
    "Calls take longer than the kubelet waits for them, so each is given up and tried again, while the CNI daemon still works on what was given up: abandoned requests are never dropped. The queue does not get shorter, and every pod that waits adds to it with each try.",
  impact: "No pod starts, and waiting does not help. In its second half it is nearly silent: sandboxes that cannot be ended, Normal events, no warning that names the network.",
  checks: [
    "Calls outlive the deadline: the kubelet says DeadlineExceeded of waiting pods; a call in flight is older than it; far more connections on the daemon's socket than live calls (agent); or failed calls took as long as it (then only suspected).",
    `And ${STORM_PODS} or more pods wait, and do not become fewer: measured down from the highest of the last 5 min.`,
    "The daemon runs and has for a minute: without one pods wait for it, not in its queue.",
    "Phase: RunPodSandbox errors first; then StopPodSandbox errors, since each sandbox must be ended before the next try.",
    `While it drains within ${durationWords(DRAINS_WITHIN_SECONDS)} the time to clear is told. A burst that is worked off from the start is no storm.`,
  ],
  lookAlikes: [
    { code: "daemon-slow", tells: "That alone makes starts slow; it becomes a storm once calls outlive the deadline and the backlog stands. Shown above this one." },
    { code: "daemon-cpu-throttled", tells: "The usual root; shown above this one." },
    { code: "install-deadlock", tells: "The pods say the same, while the daemon does not run at all; shown above this one." },
    { code: "teardown-failed", tells: "There sandboxes cannot be ended because each DEL fails at once, not because it comes too late." },
    { code: "sandbox-name-reserved", tells: "There single pods are stuck on one name each, long after calls are quick again." },
  ],
  mitigation: [
    "Give the daemon room, first on this node: raise CPU and memory limits of its running pod in place (`--subresource resize`). A storm of 100 pods was gone 94 s later, without a restart.",
    "Then in the DaemonSet: 2 CPU and 4Gi cleared 600 dead sandboxes and 220 waiting pods in about three minutes.",
    "Take load off: scale down or move what waits, cordon the node so that no more comes. A cordoned node shows no recovery.",
    "Do not purge dead sandboxes while the daemon cannot keep up: each removal asks it for one more DEL.",
    "Restarting the daemon drops the abandoned requests; with the same limits the storm begins anew.",
  ],
  actions: ["resize-daemon-pod", "set-daemon-resources", "cordon-node"],
  explains: ["daemon-slow", "netns-gone", "sandbox-name-reserved", "teardown-failed"],
  check: (input) => {
    const unseen = podsUnseen(input);
    if (unseen !== undefined) return [cannotTell(unseen)];
    const { waiting } = input.held;
    if (waiting < STORM_PODS) return [clear(waiting === 0 ? "No pod waits." : `Only ${countWords(waiting, "pod")} ${waiting === 1 ? "waits" : "wait"}.`)];
    const absent = daemonAway(input);
    if (absent !== undefined) return [clear(absent)];
    const found = withSilentPhase(input, outlived(input));
    if (found.signs.length === 0) return [noneOutlived(input, found)];
    const course = backlogCourse(input);
    if (course === undefined) return [cannotTell("How the backlog moves cannot be told yet: waiting pods have been watched for less than a minute", found.evidence)];
    const drains = course.clearInSeconds !== undefined && course.clearInSeconds <= DRAINS_WITHIN_SECONDS;
    if (drains && !stoodStill(input.trend("pods.waiting"), STORM_PODS)) return [clear(`${countWords(waiting, "pod")} ${waiting === 1 ? "waits" : "wait"} and become fewer by ${perMinute(course)}: clear in about ${durationWords(course.clearInSeconds ?? 0)}.`, [...found.evidence, courseEvidence(course)])];
    return [storm(input, found, course, drains)];
  },
};

/** Without its daemon, or with one that has just begun, there is no queue of abandoned requests: pods then wait for the daemon. */
function daemonAway(input: CauseInput): string | undefined {
  if (daemonsUnseen(input) !== undefined) return undefined;
  const needed = daemonPods(input).filter(({ daemon }) => isNeeded(input, daemon) === true);
  const running = needed.filter(isRunning);
  const [first] = needed;
  if (first !== undefined && running.length === 0) return `${containerOf(first)} does not run, so that pods wait for it and not in its queue.`;
  const young = running.find((daemonPod) => input.nowMs - (runningSinceMs(daemonPod) ?? 0) < LEAST_COURSE_MS);
  return young === undefined ? undefined : `${containerOf(young)} has only just begun, with an empty queue.`;
}

/** Pods and DaemonSets need not both be seen for this; pods must. */
function podsUnseen(input: CauseInput): string | undefined {
  if (input.source("api").freshness !== "fresh") return textsUnseen(input);
  const pods = input.kind("pods");
  return pods.seen ? undefined : `Pods cannot be seen: ${pods.reason}`;
}

/**
 * The second half of a storm leaves no text behind, once the first half's events are gone: sandboxes cannot be ended, as often as pods wait,
 * and nothing says why. That only suggests it.
 */
function withSilentPhase(input: CauseInput, found: Outlived): Outlived {
  const stops = fresh(input.signal("cri.stop_sandbox.errors"));
  const decided = input.errors.some(({ explanation }) => !STORM_TEXTS.has(explanation.cause));
  if (found.signs.length > 0 || decided || stops === undefined || stops < input.held.waiting || startedLatelyMs(input) !== undefined) return found;
  return { ...found, signs: [{ words: `${countWords(stops, "StopPodSandbox call")} failed in the last 5 min, and nothing says why`, certain: false }] };
}

/** What texts of a storm are taken for: the others say at once why a call fails. */
const STORM_TEXTS: ReadonlySet<CauseCode> = new Set<CauseCode>(["daemon-slow", "runtime-stuck-or-slow", "teardown-failed", "unknown"]);

function noneOutlived(input: CauseInput, { evidence, unseen }: Outlived): Finding {
  // Events decide it alone where they are read, unless an agent that told of calls and connections fell silent.
  const decided = input.kind("events").seen && input.source("agent").freshness !== "stale";
  const [reason] = decided ? [] : unseen;
  return reason === undefined ? clear(`${countWords(input.held.waiting, "pod")} wait; no call is known to have outlived its deadline.`, evidence) : cannotTell(reason, evidence);
}

function storm(input: CauseInput, found: Outlived, course: Course, drains: boolean): Finding {
  const outcome = drains
    ? `It drains: ${perMinute(course)} fewer, clear in about ${durationWords(course.clearInSeconds ?? 0)} at this rate.`
    : `${movesWords(course, input.nowMs)} It will not recover alone: ${arithmetic(input, course)}.`;
  return {
    state: "firing",
    certainty: found.signs.some(({ certain }) => certain) ? "named" : "suspected",
    ...(drains ? { severity: "risks" as const } : {}),
    summary: `${countWords(input.held.waiting, "pod")} wait and calls outlive the kubelet's ${deadlineWords(input)}: ${found.signs.map(({ words }) => words).join("; ")}. ${outcome}`,
    evidence: [deadlineEvidence(input), ...found.evidence, courseEvidence(course), ...counters(input), ...backlogEvidence(input), phaseEvidence(input)],
    pods: namesOf(waitsForNode(input)),
  };
}

const deadlineWords = ({ deadline: { seconds, assumed } }: CauseInput): string => `${durationWords(seconds)}${assumed ? " (assumed)" : ""}`;
const perMinute = ({ fallsPerMinute }: Course): string => `${numberWords(fallsPerMinute, fallsPerMinute < 10 ? 1 : 0)} a minute`;

function movesWords(course: Course, nowMs: number): string {
  const span = `in ${spanWords(course.fromMs, nowMs)} they went from ${course.from} to ${course.to}`;
  return course.clearInSeconds === undefined ? `They do not become fewer: ${span}.` : `They hardly become fewer: ${span}.`;
}

/** Why it does not end: what succeeds a minute against what waits. */
function arithmetic(input: CauseInput, course: Course): string {
  const calls = fresh(input.signal("cri.run_sandbox.calls"));
  const errors = fresh(input.signal("cri.run_sandbox.errors"));
  const stops = fresh(input.signal("cri.stop_sandbox.errors"));
  if (course.clearInSeconds !== undefined) return `at ${perMinute(course)} ${input.held.waiting} pods take ${durationWords(course.clearInSeconds)}, and each try adds another request`;
  const parts = [
    ...(calls === undefined || errors === undefined ? [] : [calls === 0 ? "no RunPodSandbox call finished in the last 5 min" : `${Math.max(0, calls - errors)} of ${countWords(calls, "RunPodSandbox call")} succeeded in the last 5 min`]),
    ...(stops === undefined || stops === 0 ? [] : [`${countWords(stops, "StopPodSandbox call")} failed`]),
  ];
  const sinceWords = input.lastFreshMs === undefined ? "since Sandglass watches" : `for ${spanWords(input.lastFreshMs, input.nowMs)}`;
  const facts = [...parts, ...(startedLatelyMs(input) === undefined ? [`no sandbox has become ready ${sinceWords}`] : [])];
  return `${facts.length === 0 ? "no more start than come" : facts.join(", ")}, and each of ${input.held.waiting} pods tries again`;
}

const deadlineEvidence = ({ deadline: { seconds, assumed } }: CauseInput): Evidence =>
  assumed ? couldNotLook("The kubelet's deadline for RunPodSandbox", "kubelet", `/configz could not be read; ${durationWords(seconds)} is assumed`) : seen("The kubelet's deadline for RunPodSandbox", "kubelet", { value: seconds, unit: "seconds" });

const courseEvidence = (course: Course): Evidence => seen("Waiting pods, from their highest in the last 5 min to now", "api", { value: `${course.from} to ${course.to}`, atMs: course.fromMs });

function counters(input: CauseInput): readonly Evidence[] {
  const told = (what: string, now: SignalNow | undefined): Evidence => signalEvidence(what, now, "nothing tells it");
  return [
    told("RunPodSandbox calls that finished in the last 5 min", input.signal("cri.run_sandbox.calls")),
    told("RunPodSandbox calls that failed in the last 5 min", input.signal("cri.run_sandbox.errors")),
    told("StopPodSandbox calls that failed in the last 5 min", input.signal("cri.stop_sandbox.errors")),
  ];
}

/** Dead sandboxes are about one per waiting pod, plus those of pods that are gone. */
function backlogEvidence(input: CauseInput): readonly Evidence[] {
  const points = input.trend("sandbox.backlog");
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return [signalEvidence("Dead sandboxes that are backlog", input.signal("sandbox.backlog"), "no agent tells it")];
  return [seen(`Dead sandboxes that are backlog, over ${spanWords(first.atMs, last.atMs)}`, "agent", { value: `${first.value} to ${last.value}`, atMs: last.atMs })];
}

function phaseEvidence(input: CauseInput): Evidence {
  const errors = fresh(input.signal("cri.run_sandbox.errors"));
  const stops = fresh(input.signal("cri.stop_sandbox.errors"));
  const what = "Phase";
  if (errors === undefined || stops === undefined) return couldNotLook(what, "kubelet", "errors by operation are not told");
  if (errors === 0 && stops === 0) return notSeen(what, "kubelet", { value: "no call has failed yet" });
  return seen(what, "kubelet", { value: stops > errors ? "second: sandboxes cannot be ended, hardly a warning" : "first: sandboxes cannot be made" });
}
