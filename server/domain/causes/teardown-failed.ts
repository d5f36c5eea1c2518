import type { Evidence, WaitingPod } from "../answer";
import type { PodObject } from "../model";
import { trailOf } from "../pod-trail";
import { countWords } from "../words";
import { textsOr } from "./by-texts";
import { couldNotLook, seen, signalEvidence } from "./evidence";
import { cannotTell, clear, kubeletUnseen, podsOf, textEvidence, textsFor, textsUnseen } from "./findings";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type Finding } from "./types";
import { podKey, stuckPods } from "./waiting-pods";

/** A pod that is being deleted had to be gone when its grace ended; unmounting and the runtime take a little more. */
export const OVERDUE_MS = 120_000;
/** One or two calls fail on a healthy node too, where a sandbox is gone already. */
export const STOP_ERRORS = 3;
/** Most stuck pods whose events are read for signs of a sandbox that cannot be ended. */
const MAX_READ = 50;

const WHAT = "StopPodSandbox calls that failed in the last 5 min";

export const teardownFailed: Cause = {
  code: "teardown-failed",
  title: "Sandboxes cannot be taken down",
  severity: "risks",
  meaning:
    "To end a sandbox the runtime calls the network plugins once more, with DEL. That fails or does not come back, so the sandbox stays, with its name and its address. The kubelet tries again every 10 to 25 s, for ever, and before it makes a new sandbox for a pod it has to end the old one.",
  impact: "Deleted pods stay Terminating. Pods whose sandbox failed half way wait behind it. Kubernetes says little: Normal SandboxChanged events, errors of stop_podsandbox and not of run_podsandbox.",
  checks: [
    `StopPodSandbox calls that failed in the last 5 min, by the kubelet: ${STOP_ERRORS} or more.`,
    "And somebody is hurt: pods 2 min past the end of their grace period, FailedKillPod texts, or stuck pods whose newest word is SandboxChanged.",
    "Without the kubelet's metrics: FailedKillPod texts of the last 10 min.",
  ],
  lookAlikes: [
    { code: "plugin-binary-missing", tells: "There DEL fails because the plugin's program is gone, and so does ADD." },
    { code: "daemon-down", tells: "There DEL fails because nobody serves the plugin." },
    { code: "retry-storm", tells: "There DELs outlive their deadline behind a queue; this is the second, silent half of a storm." },
    { code: "cni-cache-broken", tells: "There DEL fails because the file is broken that says how the network was made." },
    { code: "runtime-stuck-or-slow", tells: "There the runtime itself does not answer, also to calls that have nothing to do with a network." },
  ],
  mitigation: [
    "Read why DEL fails: `kubectl describe pod POD` (FailedKillPod), or on the node `journalctl -u containerd | grep 'failed to destroy network'`. The end of that line names the plugin.",
    "Mend what it names: a missing program, a daemon that is down, a config that changed under running pods.",
    "Sandboxes whose pod is long gone: `crictl pods --state NotReady`, then `crictl rmp ID`, a few at a time: each calls DEL again, and many at once are a load of their own.",
    "Do not force-delete pods: the object goes, the sandbox and its address stay, and a StatefulSet's pod may then run twice.",
  ],
  actions: ["purge-dead-sandboxes"],
  explains: ["ipam-leak", "sandbox-name-reserved"],
  symptom: true,
  check: (input) => {
    const errors = input.signal("cri.stop_sandbox.errors");
    const count = errors?.state === "fresh" ? errors.value : undefined;
    const texts = textsFor(input, "teardown-failed");
    const overdue = overduePods(input);
    const blocked = count === undefined || count < STOP_ERRORS ? [] : behindOldSandbox(input);
    const errorEvidence = signalEvidence(WHAT, errors, "the kubelet does not tell it");
    if (count !== undefined && count >= STOP_ERRORS && (texts.length > 0 || overdue.length > 0 || blocked.length > 0)) return [named(input, count, overdue, blocked, errorEvidence)];
    if (count === undefined) return [byTexts(input, unmeasured(input, overdue))];
    const evidence = [errorEvidence, ...overdueEvidence(overdue)];
    if (overdue.length > 0) return [byTexts(input, clear(`${countWords(overdue.length, "deleted pod")} ${overdue.length === 1 ? "is" : "are"} overdue, and no sandbox fails to end: something else holds ${overdue.length === 1 ? "it" : "them"}.`, evidence))];
    return [byTexts(input, clear(count < STOP_ERRORS ? "Sandboxes end as they should." : "Some calls to end a sandbox fail, and no pod is held by it.", evidence))];
  },
};

function named(input: CauseInput, count: number, overdue: readonly PodObject[], blocked: readonly WaitingPod[], errorEvidence: Evidence): Finding {
  const texts = textsFor(input, "teardown-failed");
  const hurt = [
    ...(overdue.length === 0 ? [] : [`${countWords(overdue.length, "deleted pod")} should be gone`]),
    ...(blocked.length === 0 ? [] : [`${countWords(blocked.length, "pod")} ${blocked.length === 1 ? "waits" : "wait"} behind an old sandbox`]),
  ];
  const pods = [...new Set([...overdue.map(podKey), ...blocked.map(podKey), ...podsOf(texts)])].slice(0, MAX_PODS_NAMED);
  return {
    state: "firing",
    certainty: "named",
    ...(blocked.length > 0 ? { severity: "blocks" } : {}),
    summary: `StopPodSandbox failed ${countWords(Math.round(count), "time")} in the last 5 min${hurt.length === 0 ? "" : `; ${hurt.join(", ")}`}.`,
    evidence: [errorEvidence, ...overdueEvidence(overdue), ...(blocked.length === 0 ? [] : [seen("Stuck pods whose newest word is SandboxChanged", "api", { value: blocked.length, unit: "pods" })]), ...textEvidence(texts)],
    pods,
  };
}

function unmeasured(input: CauseInput, overdue: readonly PodObject[]): Finding {
  const reason = kubeletUnseen(input) ?? textsUnseen(input);
  if (reason !== undefined) return cannotTell(reason, [couldNotLook(WHAT, "kubelet", reason), ...overdueEvidence(overdue)]);
  return cannotTell("How many sandboxes failed to end is not told yet: a second reading of the kubelet is needed", [couldNotLook(WHAT, "kubelet", "a second reading is needed first"), ...overdueEvidence(overdue)]);
}

const byTexts = (input: CauseInput, otherwise: Finding): Finding => textsOr(input, "teardown-failed", "say that their sandbox cannot be taken down.", otherwise, WHAT, "kubelet");

function overduePods(input: CauseInput): readonly PodObject[] {
  if (input.source("api").freshness !== "fresh" || !input.kind("pods").seen) return [];
  const overdue: PodObject[] = [];
  for (const pod of input.pods.values()) if (!pod.hostNetwork && pod.deleteByMs !== undefined && input.nowMs - pod.deleteByMs >= OVERDUE_MS) overdue.push(pod);
  return overdue.sort((a, b) => (a.deleteByMs ?? 0) - (b.deleteByMs ?? 0));
}

function overdueEvidence(overdue: readonly PodObject[]): readonly Evidence[] {
  const [oldest] = overdue;
  if (oldest?.deleteByMs === undefined) return [];
  return [seen(`Deleted pods past the end of their grace period, the longest ${podKey(oldest)}`, "api", { value: overdue.length, unit: "pods", atMs: oldest.deleteByMs })];
}

/** Stuck pods of which the kubelet says nothing newer than that their sandbox changed: it has to end the old one first. */
function behindOldSandbox(input: CauseInput): readonly WaitingPod[] {
  return stuckPods(input)
    .slice(0, MAX_READ)
    .filter(({ uid }) => {
      const events = [...input.eventsAbout(uid)];
      const trail = trailOf(events);
      const changedMs = events.reduce((latest, { reason, lastMs }) => (reason === "SandboxChanged" ? Math.max(latest, lastMs) : latest), 0);
      return trail?.sandboxMs !== undefined && changedMs > 0 && changedMs >= trail.sandboxMs;
    });
}
