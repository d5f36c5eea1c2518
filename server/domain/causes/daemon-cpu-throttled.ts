import type { Evidence } from "../answer";
import { coresWords, listWords, numberWords } from "../words";
import { agentPart } from "./agent-part";
import { textsOr } from "./by-texts";
import { cpuReadings, fresh, nearlyWords, pressureEvidence, THROTTLED_SHARE, throttledEvidence, whyUnknown, type CpuReading } from "./cpu-readings";
import { containerOf, NO_DAEMON } from "./daemon-pods";
import { seen } from "./evidence";
import { cannotTell, clear, textEvidence, textsFor } from "./findings";
import { heldUp } from "./held-up";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

export const daemonCpuThrottled: Cause = {
  code: "daemon-cpu-throttled",
  title: "The CNI daemon's CPU limit throttles it",
  severity: "blocks",
  meaning:
    "The container of the CNI daemon may use less CPU than the calls that wait for it need, so the kernel stops it in nearly every period of 100 ms. Plugins that the daemon runs count against the same limit. Calls then take minutes, the callers give up, and each try again adds another.",
  impact: "Starts of pods are slow at first; once calls outlive the kubelet's deadline none succeeds, and more time does not help.",
  checks: [
    `CFS periods in which the daemon's container was throttled, of all its periods in the last 5 min under its present limit: ${nearlyWords(THROTTLED_SHARE)} or more.`,
    "And starts are slow: a pod waits for 30 s or more, or RunPodSandbox takes 10 s or more in the 95th percentile. A daemon that is throttled and keeps up is in order.",
    "Whether the container has a CPU limit at all, from the pod itself.",
  ],
  lookAlikes: [
    { code: "node-cpu-contention", tells: "There the daemon is hardly throttled and waits all the same, since the node has no CPU to give (PSI is high)." },
    { code: "daemon-slow", tells: "There the daemon has CPU to spare and waits for something else: a rate limit, an API, a lock." },
    { code: "daemon-oom", tells: "There the daemon is killed and restarts; a throttled one keeps running." },
    { code: "retry-storm", tells: "That is what comes of it once calls outlive the kubelet's deadline; both are shown, this one first." },
  ],
  mitigation: [
    "Raise the CPU limit of the running pod in place, where the cluster can (Kubernetes 1.33 and newer): `kubectl patch pod POD --subresource resize`. It cleared a storm in about 90 s without a restart, and touches this node only.",
    "Then set the DaemonSet's limit, since the next restart brings the old one back. This rolls every node.",
    "Raise the memory limit with it: freed of the CPU limit the daemon takes all waiting calls at once, and at a small memory limit it is killed in a loop. Do not take the memory limit away.",
    "Restarting the daemon alone does not help: its successor has the same limit and meets the same queue.",
  ],
  actions: ["resize-daemon-pod", "set-daemon-resources"],
  explains: ["daemon-slow", "node-cpu-contention", "retry-storm"],
  check: (input) => {
    const look = cpuReadings(input);
    if (!look.seen) return [orTexts(input, cannotTell(look.reason))];
    const limited = look.readings.filter(({ limitCores }) => limitCores !== undefined);
    const throttled = limited.filter((reading) => (fresh(reading.throttled) ?? 0) >= THROTTLED_SHARE);
    const slow = heldUp(input);
    if (throttled.length > 0 && slow !== undefined) return [named(input, throttled, slow)];
    const blind = limited.find((reading) => fresh(reading.throttled) === undefined);
    if (blind !== undefined) return [orTexts(input, cannotTell(whyUnknown(input, "The CPU throttling", blind, blind.throttled)))];
    return [notThrottled(input, look.readings, throttled)];
  },
};

function named(input: CauseInput, throttled: readonly CpuReading[], slow: NonNullable<ReturnType<typeof heldUp>>): Finding {
  const each = throttled.map((reading) => `${containerOf(reading.daemonPod)} may use ${coresWords(reading.limitCores ?? 0)} and was throttled in ${nearlyWords(fresh(reading.throttled) ?? 0)} of its CFS periods in the last 5 min`);
  return {
    state: "firing",
    certainty: "named",
    summary: `${listWords(each)}; ${slow.words}.`,
    evidence: [
      ...throttled.flatMap((reading) => [throttledEvidence(input, reading), seen(`CPU limit of ${containerOf(reading.daemonPod)}`, "api", { value: reading.limitCores ?? 0, unit: "cores" }), ...sinceItBegan(input, reading), pressureEvidence(reading)]),
      slow.evidence,
      ...textEvidence(textsFor(input, "daemon-cpu-throttled")),
    ],
    pods: namesOf(waitsForNode(input)),
  };
}

/** The agent's own counters run since the container began, so they tell of longer than the share does. */
function sinceItBegan(input: CauseInput, { daemonPod: { pod, daemon } }: CpuReading): readonly Evidence[] {
  const cgroups = agentPart(input, "cgroups");
  const own = cgroups.looked ? cgroups.items.find((one) => one.podUid === pod.uid && one.container === daemon.container) : undefined;
  if (own?.cpuPeriods === undefined || own.cpuThrottledPeriods === undefined || own.cpuPeriods === 0) return [];
  return [seen(`Throttled periods of ${daemon.container} since it began`, "agent", { value: `${numberWords(own.cpuThrottledPeriods)} of ${numberWords(own.cpuPeriods)}`, ...(input.report === undefined ? {} : { atMs: input.report.atMs }) })];
}

function notThrottled(input: CauseInput, readings: readonly CpuReading[], throttled: readonly CpuReading[]): Finding {
  if (readings.length === 0) return orTexts(input, clear(NO_DAEMON));
  const evidence = readings.map((reading) => throttledEvidence(input, reading));
  const [one] = throttled;
  if (one !== undefined) return clear(`${containerOf(one.daemonPod)} is throttled in ${nearlyWords(fresh(one.throttled) ?? 0)} of its periods and keeps up: nothing is held up by it.`, evidence);
  return clear(readings.every(({ limitCores }) => limitCores === undefined) ? "No CNI daemon here has a CPU limit." : "The CPU limits of the CNI daemons here leave them room.", evidence);
}

const orTexts = (input: CauseInput, otherwise: Finding): Finding => textsOr(input, "daemon-cpu-throttled", "speak of a CNI daemon that is throttled.", otherwise, "CFS periods of the CNI daemon", "kubelet");
