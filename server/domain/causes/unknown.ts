import { spanWords } from "../words";
import { notSeen, seen } from "./evidence";
import { cannotTell, clear, countWords, textEvidence, textsUnseen } from "./findings";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, stuckPods } from "./waiting-pods";

export const unknown: Cause = {
  code: "unknown",
  title: "Pods are stuck, and nothing seen so far says why",
  severity: "blocks",
  meaning:
    "Pods wait for a sandbox for longer than a healthy node needs. What they say decides nothing, or they say nothing at all, and no measurement shows a mechanism. A call that hangs is silent until the kubelet's deadline, four minutes by default, and a deadline that is exceeded names nobody.",
  impact: "The pods that are listed do not start.",
  checks: [
    "Stuck pods (90 s and more), with texts that decide nothing or without any (details text and silent).",
    "It is shown only where no other cause that concerns the node fires.",
  ],
  lookAlikes: [
    { code: "daemon-slow", tells: "A hung or slow daemon says nothing for minutes; the agent's look at its socket tells it at once." },
    { code: "retry-storm", tells: "Deadlines that are exceeded on and on, and errors of stop_podsandbox, are a storm; the kubelet's metrics tell it." },
    { code: "plugin-bug", tells: "A text that nobody can place is often a defect; the version decides." },
  ],
  mitigation: [
    "See on the page what Sandglass cannot see on this node: without agent or kubelet metrics most mechanisms are hidden.",
    "On the node: `ps -eo pid,etimes,args | grep -E '/opt/cni/bin|-shim'` shows calls that hang and for how long; `journalctl -u containerd --since -10min | grep -i sandbox` what the runtime says.",
    "`journalctl -u kubelet --since -10min | grep -iE 'sandbox|cni'` names the error that the event cut off.",
    "Look at the CNI daemon's own log on this node.",
    "Collect these before you restart anything: the restart ends the evidence.",
  ],
  actions: [],
  explains: [],
  check: (input) => {
    const unseen = textsUnseen(input);
    if (unseen !== undefined) return [cannotTell(unseen)];
    const stuck = stuckPods(input);
    if (stuck.length === 0) return [clear("No pod is stuck.")];
    // Whether another cause takes the texts up is not known here: `diagnose` leaves this one out where any does.
    return [input.errors.length === 0 ? silent(input, stuck) : texts(input, stuck)];
  },
};

function silent(input: CauseInput, stuck: ReturnType<typeof stuckPods>): Finding {
  const oldestMs = Math.min(...stuck.map(({ hold }) => hold.sinceMs));
  return {
    state: "firing",
    certainty: "suspected",
    detail: "silent",
    summary: `${countWords(stuck.length, "pod")} ${stuck.length === 1 ? "is" : "are"} stuck, the oldest for ${spanWords(oldestMs, input.nowMs)}, and nothing says why; a call that hangs is silent until the deadline of ${input.deadline.seconds} s.`,
    evidence: [seen("Stuck pods", "api", { value: stuck.length, unit: "pods", atMs: oldestMs }), notSeen("A text about their sandboxes", "api")],
    pods: namesOf(stuck),
  };
}

function texts({ errors, nowMs }: CauseInput, stuck: ReturnType<typeof stuckPods>): Finding {
  const oldestMs = Math.min(...stuck.map(({ hold }) => hold.sinceMs));
  return {
    state: "firing",
    certainty: "suspected",
    detail: "text",
    summary: `${countWords(stuck.length, "pod")} ${stuck.length === 1 ? "is" : "are"} stuck, the oldest for ${spanWords(oldestMs, nowMs)}, and what is said does not tell why.`,
    evidence: [seen("Stuck pods", "api", { value: stuck.length, unit: "pods", atMs: oldestMs }), ...textEvidence(errors)],
    pods: namesOf(stuck),
  };
}
