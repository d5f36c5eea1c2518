import { coresWords, listWords } from "../words";
import { textsOr } from "./by-texts";
import { BARELY_THROTTLED_SHARE, cpuReadings, fresh, nearlyWords, pressureEvidence, STARVED_SHARE, throttledEvidence, whyUnknown, type CpuReading } from "./cpu-readings";
import { containerOf, NO_DAEMON } from "./daemon-pods";
import { notSeen, seen } from "./evidence";
import { cannotTell, clear, textEvidence, textsFor } from "./findings";
import { heldUp } from "./held-up";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

export const nodeCpuContention: Cause = {
  code: "node-cpu-contention",
  title: "The node is so busy that its CNI daemon gets no CPU",
  severity: "blocks",
  meaning:
    "The CNI daemon wants to run and has to wait for a CPU, though no limit of its own holds it back: other processes of the node use all of it, and the daemon's CPU request, which is its share, is small against theirs. Calls take long, and those of many pods at once outlive the kubelet's deadline.",
  impact: "Starts of pods are slow or fail for as long as the node is full. Other daemons of the node suffer likewise.",
  checks: [
    `Share of time in which the daemon's container waited for a CPU (PSI, last 5 min): ${nearlyWords(STARVED_SHARE)} or more.`,
    `And its own limit is not the reason: it has none, or was throttled in less than ${nearlyWords(BARELY_THROTTLED_SHARE)} of its periods. Time in which a limit stops it counts as pressure too.`,
    "And starts are slow: a pod waits for 30 s or more, or RunPodSandbox takes 10 s or more in the 95th percentile.",
  ],
  lookAlikes: [
    { code: "daemon-cpu-throttled", tells: "There the daemon's own limit stops it: it is throttled in most of its periods." },
    { code: "daemon-slow", tells: "There neither throttling nor pressure is high; the daemon waits for something that is not CPU." },
    { code: "runtime-stuck-or-slow", tells: "There the runtime is what does not answer; on a starved node it may be starved too." },
  ],
  mitigation: [
    "See who uses the CPU: `kubectl top pods -A --sort-by=cpu` for this node, or `top` on it.",
    "Move or limit the heaviest pods; cordon the node so that no more come. Cordoning also takes away the sign of recovery: no new pod, no fresh sandbox.",
    "Give the CNI daemon a CPU request that fits (250m and more on a busy node): under pressure the kernel shares CPU by requests. This changes the DaemonSet and rolls every node.",
    "A CPU limit for the daemon makes it worse; taking one away does not help here.",
  ],
  actions: ["set-daemon-resources", "cordon-node"],
  explains: ["daemon-slow", "retry-storm"],
  check: (input) => {
    const look = cpuReadings(input);
    if (!look.seen) return [orTexts(input, cannotTell(look.reason))];
    if (look.readings.length === 0) return [orTexts(input, clear(NO_DAEMON))];
    const starved = look.readings.filter((reading) => (fresh(reading.pressure) ?? 0) >= STARVED_SHARE);
    const byNode = starved.filter((reading) => limitHolds(reading) === false);
    const slow = heldUp(input);
    if (byNode.length > 0 && slow !== undefined) return [named(input, byNode, slow)];
    const blind = look.readings.find((reading) => fresh(reading.pressure) === undefined);
    if (blind !== undefined) return [orTexts(input, cannotTell(whyUnknown(input, "CPU pressure", blind, blind.pressure)))];
    const unclear = starved.find((reading) => limitHolds(reading) === undefined);
    if (unclear !== undefined && slow !== undefined) return [orTexts(input, cannotTell(whyUnknown(input, "The CPU throttling", unclear, unclear.throttled)))];
    return [notStarved(input, look.readings, starved)];
  },
};

/** Whether its own limit is what a container waits for; `undefined` where that cannot be told. */
function limitHolds({ limitCores, throttled }: CpuReading): boolean | undefined {
  if (limitCores === undefined) return false;
  const share = fresh(throttled);
  return share === undefined ? undefined : share >= BARELY_THROTTLED_SHARE;
}

const requestOf = ({ daemonPod: { detail, daemon } }: CpuReading): number | undefined => detail?.containers.find(({ name, init }) => name === daemon.container && !init)?.cpuRequestCores;

function named(input: CauseInput, starved: readonly CpuReading[], slow: NonNullable<ReturnType<typeof heldUp>>): Finding {
  const each = starved.map((reading) => {
    const request = requestOf(reading);
    return `${containerOf(reading.daemonPod)} waited for a CPU in ${nearlyWords(fresh(reading.pressure) ?? 0)} of the last 5 min, though no limit holds it back${request === undefined ? "" : ` (its request is ${coresWords(request)})`}`;
  });
  return {
    state: "firing",
    certainty: "named",
    summary: `${listWords(each)}; ${slow.words}.`,
    evidence: [
      ...starved.flatMap((reading) => {
        const request = requestOf(reading);
        const what = `CPU request of ${containerOf(reading.daemonPod)}`;
        return [pressureEvidence(reading), throttledEvidence(input, reading), request === undefined ? notSeen(what, "api") : seen(what, "api", { value: request, unit: "cores" })];
      }),
      ...(input.node.allocatable.cpuCores === undefined ? [] : [seen("CPU that the node can give to pods", "api", { value: input.node.allocatable.cpuCores, unit: "cores" })]),
      slow.evidence,
      ...textEvidence(textsFor(input, "node-cpu-contention")),
    ],
    pods: namesOf(waitsForNode(input)),
  };
}

function notStarved(input: CauseInput, readings: readonly CpuReading[], starved: readonly CpuReading[]): Finding {
  const evidence = readings.flatMap((reading) => [pressureEvidence(reading), throttledEvidence(input, reading)]).filter(({ look }) => look === "seen");
  const [one] = starved;
  if (one === undefined) return clear("The CNI daemons here get the CPU that they ask for.", evidence);
  const why = limitHolds(one) === true ? "its own limit is what stops it" : "it keeps up: nothing is held up by it";
  return clear(`${containerOf(one.daemonPod)} waits for a CPU in ${nearlyWords(fresh(one.pressure) ?? 0)} of the time; ${why}.`, evidence);
}

const orTexts = (input: CauseInput, otherwise: Finding): Finding => textsOr(input, "node-cpu-contention", "speak of a node that has no CPU to give.", otherwise, "CPU pressure of the CNI daemon (PSI)", "kubelet");
