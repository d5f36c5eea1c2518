import type { Evidence } from "../answer";
import type { CacheReading } from "../agent-readings";
import { countWords, listWords } from "../words";
import { agentPart } from "./agent-part";
import { couldNotLook, seen, signalEvidence } from "./evidence";
import { cannotTell, clear, podsOf, textEvidence, textsFor } from "./findings";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type ErrorGroup, type Finding } from "./types";

const WHAT = "Entries of the CNI caches";
const MAX_NAMED = 3;

const KINDS: Readonly<Record<CacheReading["kind"], string>> = { results: "CNI results", multus: "multus' delegates", ipam: "address leases" };

export const cniCacheBroken: Cause = {
  code: "cni-cache-broken",
  title: "Files of the CNI cache are broken or gone",
  severity: "risks",
  meaning:
    "For every sandbox the runtime and multus note on disk how its network was made, and read it again to take the network down. Some of these files are empty or cut off, as a crash or a full disk leaves them, or are gone. The teardown of those sandboxes then fails each time, and the kubelet tries for ever.",
  impact: "Pods stay Terminating or cannot be made anew, their addresses stay taken, and the kubelet's log fills (about a thousand errors an hour were seen). Pods with whole entries are not concerned.",
  checks: [
    "The agent: entries of the CNI results, of multus' cache and of host-local's leases that are empty or do not parse.",
    "Whether teardown fails: StopPodSandbox errors of the kubelet in the last 5 min, texts of ending pods. Without such trouble broken entries are a notice.",
    "Texts of pods that a cached result cannot be read or is not there.",
  ],
  lookAlikes: [
    { code: "teardown-failed", tells: "There the DEL fails for another reason; here the file that it needs is broken." },
    { code: "ipam-leak", tells: "There the leases are whole and nobody is behind them." },
    { code: "node-resource-exhausted", tells: "A disk that is full now breaks new entries: mend that first." },
  ],
  mitigation: [
    "See which: `find /var/lib/cni/results /var/lib/cni/multus -size 0`.",
    "Move, do not delete, the broken entries aside: `mkdir -p /var/lib/cni/broken && mv FILE /var/lib/cni/broken/`. The kubelet's next try finds no entry, and the runtime takes the sandbox down without it.",
    "Never touch the entry of a pod that runs: without it its address leaks when it ends.",
    "A node that went down hard may have lost the entries of all its pods. Drain and reboot it once it is quiet, rather than mend file by file.",
  ],
  actions: ["remove-broken-cache-entry"],
  explains: ["ipam-leak", "sandbox-name-reserved", "teardown-failed"],
  check: (input) => {
    const texts = textsFor(input, "teardown-failed").filter(({ explanation }) => explanation.detail === "cache-broken" || explanation.detail === "cache-missing");
    const caches = agentPart(input, "caches");
    const broken = caches.looked ? caches.items.filter(({ brokenCount }) => brokenCount > 0) : [];
    if (broken.length > 0) return [named(input, broken, texts)];
    if (texts.length > 0) return [byTexts(texts, caches.looked ? [] : [couldNotLook(WHAT, "agent", caches.reason)])];
    if (!caches.looked) return [cannotTell(caches.reason, [couldNotLook(WHAT, "agent", caches.reason)])];
    const unread = caches.items.find(({ problem }) => problem !== undefined);
    if (unread?.problem !== undefined) return [cannotTell(`Not every CNI cache could be read: ${unread.dir}: ${unread.problem}`, [couldNotLook(`Entries of ${unread.dir}`, "agent", unread.problem)])];
    return [clear("Every entry of the CNI caches can be read.", caches.items.map((item) => cacheEvidence(input, item)))];
  },
};

function named(input: CauseInput, broken: readonly CacheReading[], texts: readonly ErrorGroup[]): Finding {
  const errors = input.signal("cri.stop_sandbox.errors");
  const hurts = texts.length > 0 || textsFor(input, "teardown-failed").length > 0 || (errors?.state === "fresh" && (errors.value ?? 0) > 0);
  const each = broken.map(({ brokenCount, kind, dir, broken: names }) => `${countWords(brokenCount, "entry", "entries")} of ${KINDS[kind]} in ${dir} (${listWords(names, MAX_NAMED)})`);
  return {
    state: "firing",
    certainty: "named",
    ...(hurts ? {} : { severity: "notice" }),
    summary: `${listWords(each)} ${broken.reduce((sum, { brokenCount }) => sum + brokenCount, 0) === 1 ? "is" : "are"} empty or cannot be parsed.`,
    evidence: [...broken.map((item) => cacheEvidence(input, item)), signalEvidence("StopPodSandbox calls that failed in the last 5 min", errors, "the kubelet does not tell it"), ...textEvidence(texts)],
    ...(texts.length === 0 ? {} : { pods: podsOf(texts).slice(0, MAX_PODS_NAMED) }),
  };
}

function cacheEvidence(input: CauseInput, { kind, dir, entries, brokenCount, broken }: CacheReading): Evidence {
  const value = brokenCount === 0 ? `${entries}, all whole` : `${brokenCount} of ${entries} broken: ${listWords(broken, MAX_NAMED)}`;
  return seen(`Entries of ${KINDS[kind]} in ${dir}`, "agent", { value, ...(input.report === undefined ? {} : { atMs: input.report.atMs }) });
}

function byTexts(texts: readonly ErrorGroup[], evidence: readonly Evidence[]): Finding {
  const most = texts.reduce((count, group) => Math.max(count, group.count), 0);
  const files = [...new Set(texts.flatMap(({ explanation }) => explanation.facts.file ?? []))];
  const which = files.length === 0 ? "" : `: ${listWords(files, MAX_NAMED)}`;
  return {
    state: "firing",
    certainty: "suspected",
    summary: `Texts of ${countWords(most, "pod")} say that an entry of the CNI cache cannot be read or is gone${which}.`,
    evidence: [...textEvidence(texts), ...evidence],
    pods: podsOf(texts).slice(0, MAX_PODS_NAMED),
  };
}
