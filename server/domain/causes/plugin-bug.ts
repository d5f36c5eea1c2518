import { CNI_ROWS } from "../cni-daemons";
import { cnisInCluster } from "./cnis-in-cluster";
import { couldNotLook, seen } from "./evidence";
import { cannotTell, clear, podsOf, textEvidence, textsUnseen } from "./findings";
import { hasBug, KNOWN_BUGS, versionIn, versionOfImage, versionWords, type KnownBug, type Version } from "./known-bugs";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type ErrorGroup, type Finding } from "./types";

export const pluginBug: Cause = {
  code: "plugin-bug",
  title: "A defect that is known for this version",
  severity: "blocks",
  meaning:
    "Pods show the symptom of a defect which is known for the very version of the CNI or runtime that runs here, and which a later version has not. No text alone tells a defect; the version and the symptom together make it likely.",
  impact: "As the text says. It comes back until the version changes, whatever is restarted.",
  checks: ["The tags of the images in the CNI's DaemonSet, and the version of the node's runtime.", "Texts of waiting and ending pods, compared with a short list of defects that are tied to versions."],
  lookAlikes: [
    { code: "daemon-slow", tells: "A rate limit or a queue gives the same text for a while, on any version." },
    { code: "cni-version-mismatch", tells: "There config and plugins do not fit each other, whoever is at fault." },
    { code: "teardown-failed", tells: "There DEL fails for a reason of this node." },
  ],
  mitigation: [
    "Read what the evidence names as its source, and compare with what you see.",
    "Upgrade to the version that is named, or a later one of the same line; node by node where the CNI allows it.",
    "Until then: restarting the daemon on this node usually helps for some time. Note when, since a defect comes back.",
    "The version is that of the DaemonSet's template: a node whose daemon was not replaced yet may run another.",
  ],
  actions: ["restart-daemon-pod"],
  explains: ["cni-version-mismatch", "daemon-slow", "teardown-failed"],
  check: (input) => {
    const unseen = textsUnseen(input);
    if (unseen !== undefined) return [cannotTell(unseen, [couldNotLook("Texts of pods", "api", unseen)])];
    const shown = KNOWN_BUGS.flatMap((bug) => {
      const groups = input.errors.filter(({ text }) => showsSymptom(bug, text));
      return groups.length === 0 ? [] : [{ bug, groups }];
    });
    if (shown.length === 0) return [clear("No pod shows the symptom of a defect that is known.")];
    return [judged(input, shown)];
  },
};

interface Shown {
  readonly bug: KnownBug;
  readonly groups: readonly ErrorGroup[];
}

function judged(input: CauseInput, shown: readonly Shown[]): Finding {
  const versions = shown.map((one) => ({ ...one, version: versionOf(input, one.bug.program) }));
  const found = versions.find(({ bug, version }) => version !== undefined && hasBug(bug, version));
  if (found?.version !== undefined) return suspected(found, found.version);
  const known = versions.filter(({ version }) => version !== undefined);
  const evidence = known.map(({ bug, version }) => seen(`Version of ${bug.program}`, "api", { value: version === undefined ? "" : versionWords(version) }));
  const runs = versions.find(({ bug, version }) => version === undefined && concerns(input, bug.program));
  if (runs === undefined) return clear("The versions that run here do not have the defects whose symptoms pods show.", evidence);
  const kind = input.kind("daemonsets");
  const reason = kind.seen ? `The version of ${runs.bug.program} cannot be told: its image's tag is none` : `DaemonSets cannot be seen: ${kind.reason}`;
  return cannotTell(reason, [...evidence, couldNotLook(`Version of ${runs.bug.program}`, "api", reason)]);
}

function suspected({ bug, groups }: Shown, version: Version): Finding {
  return {
    state: "firing",
    certainty: "suspected",
    summary: `${bug.program} ${versionWords(version)} has a defect that fits: ${bug.words}. ${versionWords(bug.mendedIn)} does not have it.`,
    evidence: [seen(`Version of ${bug.program}`, "api", { value: versionWords(version) }), seen("Defect of this version", "api", { value: bug.source }), ...textEvidence(groups)],
    pods: podsOf(groups).slice(0, MAX_PODS_NAMED),
  };
}

function showsSymptom({ symptoms }: KnownBug, text: string): boolean {
  const lower = text.toLowerCase();
  return symptoms.some((symptom) => lower.includes(symptom));
}

/** By the tag of the DaemonSet's image that names the CNI. */
function versionOf({ node, daemonSets }: CauseInput, program: string): Version | undefined {
  if (program === "containerd") return node.versions.runtime?.startsWith("containerd://") === true ? versionIn(node.versions.runtime.slice("containerd://".length)) : undefined;
  const images = (cnisInCluster({ daemonSets }).get(program) ?? []).flatMap((daemonSet) => daemonSet.images);
  return images.filter((image) => image.includes(program)).map(versionOfImage).find((version) => version !== undefined);
}

/** Whether the program runs here, or may: with DaemonSets unseen nobody knows. */
function concerns(input: CauseInput, program: string): boolean {
  if (program === "containerd") return input.node.versions.runtime === undefined;
  if (!input.kind("daemonsets").seen) return CNI_ROWS.some(({ cni }) => cni === program);
  return cnisInCluster(input).has(program);
}
