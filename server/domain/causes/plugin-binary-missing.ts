import { MAX_BINARIES } from "../agent-readings";
import type { Evidence } from "../answer";
import { attachmentsUnseen, attachmentsWanting } from "./attachments-wanting";
import { agentPart } from "./agent-part";
import { lookAtBinaries, typesInForce, type BinaryLook, type BrokenBinary } from "./binaries";
import { couldNotLook, notSeen, seen } from "./evidence";
import { cannotTell, clear, listWords, podsOf, textEvidence, textsFor } from "./findings";
import { provenByStart, saidSinceReport } from "./proof";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type ErrorGroup, type Finding } from "./types";
import { askingPods, milderForOwnRequests, namesOf, waitsForNode } from "./waiting-pods";

const WHAT = "Programs of the plugins that are asked for";

export const pluginBinaryMissing: Cause = {
  code: "plugin-binary-missing",
  title: "A plugin's program is missing or cannot run",
  severity: "blocks",
  meaning:
    "The CNI config of this node, or a network attachment that a pod asks for, names a plugin whose program is not in the folders that are searched, is empty, cut off, not executable or built for another architecture. The runtime calls it for every sandbox, and every call fails at once.",
  impact: "A plugin of the node's own config: no pod gets a sandbox. A plugin that only a network attachment names: the pods that ask for it wait, the others start.",
  checks: [
    "Every plugin type of the config in force, of what it delegates to and of the conflist that multus hands pods to: is there a program of this name in the bin dirs, in the order of the runtime.",
    "Every plugin type of a network attachment that a waiting pod of this node asks for: the same.",
    "Size above 0, whole, executable, built for this node's architecture, a file and not a folder.",
    "A text names a plugin that is in none of the folders which the agent listed whole.",
    "Without the agent: texts of waiting pods that name a program which was not found or has the wrong format.",
  ],
  lookAlikes: [
    { code: "cni-config-conflict", tells: "There the program is missing because the wrong config is in force: one of a CNI that is not meant to run here." },
    { code: "install-deadlock", tells: "There the program is there and busy, and an init container cannot replace it." },
    { code: "host-permission-or-mount", tells: "There the program is there and the node forbids to run it; the text says permission denied." },
    { code: "nad-missing", tells: "There the network attachment itself does not exist; here it exists and names a program that does not." },
  ],
  mitigation: [
    "Look on the node what is there: `ls -l /opt/cni/bin` (k3s: /var/lib/rancher/k3s/data/cni, OpenShift: /var/lib/cni/bin, GKE: /home/kubernetes/bin).",
    "A plugin that a CNI's DaemonSet installs: delete that DaemonSet's pod on this node, so that its init container copies the program again; first look whether its installer failed.",
    "A reference plugin (bridge, host-local, loopback, portmap): install the distribution's package, or the release of containernetworking/plugins for this architecture. k3s and Talos ship only some of them.",
    "Where the program lies in another folder than the runtime searches, set the bin dir of the runtime or of the CNI's installer, not both.",
    "Hazard: copying over programs of the distribution cannot be undone by taking the CNI away again; keep the old file under another name.",
  ],
  actions: ["restart-daemon-pod"],
  explains: ["sandbox-name-reserved", "teardown-failed"],
  check: (input) => {
    const look = lookAtBinaries(input);
    const texts = textsFor(input, "plugin-binary-missing");
    const measured = [...inConflist(input, look, texts), ...inAttachments(input, look, texts)];
    const covered = new Set(measured.flatMap(({ types }) => types));
    const left = texts.filter((group) => !covered.has(group.explanation.facts.pluginType ?? "") && !isRefuted(input, look, group));
    const findings = measured.map(({ finding }) => finding);
    const confirmed = left.filter((group) => isInNoFolder(look, group));
    if (confirmed.length > 0) findings.push(byListing(input, confirmed));
    const others = left.filter((group) => !confirmed.includes(group));
    // Since when each fires is kept under its detail, so two need two.
    if (others.length > 0) findings.push({ ...byTexts(input, look, others), ...(confirmed.length > 0 ? { detail: "text" } : {}) });
    return findings.length > 0 ? findings : [nothingSeen(input, look, texts)];
  },
};

interface Measured {
  readonly finding: Finding;
  readonly types: readonly string[];
}

function inConflist(input: CauseInput, look: BinaryLook, texts: readonly ErrorGroup[]): readonly Measured[] {
  if (!look.config.looked) return [];
  const { reading } = look.config;
  const files = agentPart(input, "configFiles");
  const types = typesInForce(reading, files.looked ? files.reading.multus : undefined, files.looked ? files.reading.files : []);
  const broken = [...types].flatMap((type) => look.broken.get(type) ?? []);
  if (broken.length === 0) return [];
  const own = textsOf(texts, broken);
  const finding: Finding = {
    state: "firing",
    certainty: "named",
    detail: "conflist",
    summary: `${sentence(broken)} ${reading.effectiveFile ?? "The config in force"} calls ${broken.length === 1 ? "it" : "them"} for every pod.`,
    evidence: [...broken.map((one) => binaryEvidence(input, one)), ...textEvidence(own)],
    pods: namesOf(waitsForNode(input)),
  };
  return [{ finding, types: broken.map(({ type }) => type) }];
}

/** Only what a pod on this node asks for: a fleet may have the plugin on some nodes, and be in order. */
function inAttachments(input: CauseInput, look: BinaryLook, texts: readonly ErrorGroup[]): readonly Measured[] {
  const wanting = attachmentsWanting(input, (type) => look.broken.has(type)).filter(({ type }) => !isInForce(input, look, type));
  if (wanting.length === 0) return [];
  const broken = [...new Set(wanting.map(({ type }) => type))].flatMap((type) => look.broken.get(type) ?? []);
  const names = [...new Set(wanting.map(({ attachment }) => attachment))];
  const pods = [...new Set(wanting.map(({ pod }) => pod))];
  const finding: Finding = {
    state: "firing",
    certainty: "named",
    detail: "network-attachment",
    severity: "notice",
    summary: `${sentence(broken)} Network attachment ${listWords(names)}, which pods here ask for, needs ${broken.length === 1 ? "it" : "them"}.`,
    evidence: [...broken.map((one) => binaryEvidence(input, one)), ...textEvidence(textsOf(texts, broken))],
    pods: pods.slice(0, MAX_PODS_NAMED),
  };
  return [{ finding, types: broken.map(({ type }) => type) }];
}

function isInForce(input: CauseInput, { config }: BinaryLook, type: string): boolean {
  if (!config.looked) return false;
  const files = agentPart(input, "configFiles");
  return typesInForce(config.reading, files.looked ? files.reading.multus : undefined, files.looked ? files.reading.files : []).has(type);
}

/** The program was looked at since in every folder that the text names, and is in order. */
function isRefuted(input: CauseInput, look: BinaryLook, group: ErrorGroup): boolean {
  const { pluginType, binDirs = [] } = group.explanation.facts;
  if (pluginType === undefined || saidSinceReport(input, group) || !look.lookedAt.has(pluginType) || look.broken.has(pluginType)) return false;
  return !look.config.looked || binDirs.every((dir) => look.config.looked && look.config.reading.binDirs.includes(withoutSlash(dir)));
}

const withoutSlash = (dir: string): string => (dir.length > 1 && dir.endsWith("/") ? dir.slice(0, -1) : dir);

/** The agent listed every folder that the text names, whole, and there is no program of that name. */
function isInNoFolder({ config, binaries, lookedAt }: BinaryLook, { explanation }: ErrorGroup): boolean {
  const { pluginType, binDirs = [] } = explanation.facts;
  if (pluginType === undefined || binDirs.length === 0 || lookedAt.has(pluginType) || !config.looked || !binaries.looked) return false;
  const isWhole = binaries.truncated !== true && (binaries.unread ?? []).length === 0 && binaries.items.length < MAX_BINARIES;
  const listed = new Set(binaries.items.flatMap(({ dir }) => dir ?? []));
  return isWhole && binDirs.every((dir) => config.reading.binDirs.includes(withoutSlash(dir)) && listed.has(withoutSlash(dir))) && !binaries.items.some(({ type }) => type === pluginType);
}

function byListing(input: CauseInput, groups: readonly ErrorGroup[]): Finding {
  const types = [...new Set(groups.flatMap(({ explanation }) => explanation.facts.pluginType ?? []))];
  const dirs = [...new Set(groups.flatMap(({ explanation }) => explanation.facts.binDirs ?? []))];
  return {
    state: "firing",
    certainty: "named",
    ...milderForOwnRequests(input, groups),
    summary: `Pods say that the program of plugin ${listWords(types)} cannot be found, and it is not in ${listWords(dirs)}.`,
    evidence: [...types.map((type) => notSeen(`A program ${type} in ${listWords(dirs)}`, "agent", reportTime(input))), ...textEvidence(groups)],
    pods: podsOf(groups).slice(0, MAX_PODS_NAMED),
  };
}

function byTexts(input: CauseInput, look: BinaryLook, groups: readonly ErrorGroup[]): Finding {
  const types = [...new Set(groups.flatMap(({ explanation }) => explanation.facts.pluginType ?? []))];
  const reason = look.config.looked ? undefined : look.config.reason;
  const evidence: Evidence[] = [...textEvidence(groups), ...(reason === undefined ? types.filter((type) => look.lookedAt.has(type)).map((type) => notSeen(`Something wrong with ${type} in the folders that the agent looked at`, "agent", reportTime(input))) : [couldNotLook(WHAT, "agent", reason)])];
  return {
    state: "firing",
    certainty: "suspected",
    ...milderForOwnRequests(input, groups),
    summary: types.length === 0 ? "Pods say that a plugin's program cannot be found or run." : `Pods say that the program of plugin ${listWords(types)} cannot be found or run.`,
    evidence,
    pods: podsOf(groups).slice(0, MAX_PODS_NAMED),
  };
}

function nothingSeen(input: CauseInput, look: BinaryLook, texts: readonly ErrorGroup[]): Finding {
  if (!look.config.looked) return provenByStart(input, WHAT, look.config.reason);
  if (input.nads === undefined && askingPods(input).length > 0) return attachmentsUnseen(input);
  const notLookedAt = attachmentsWanting(input, (type) => !look.lookedAt.has(type));
  if (notLookedAt.length > 0) return cannotTell(whyNotLookedAt(look), [couldNotLook(`Programs of ${listWords([...new Set(notLookedAt.map(({ type }) => type))])}, which pods here ask for`, "agent", whyNotLookedAt(look))]);
  const outdated = texts.length === 0 ? "" : " It was said by a pod before that.";
  return clear(`Every plugin that the config in force names is there and can run.${outdated}`, [seen(WHAT, "agent", { value: "all in order", ...reportTime(input) })]);
}

function whyNotLookedAt({ binaries }: BinaryLook): string {
  if (!binaries.looked) return binaries.reason;
  const [unread] = binaries.unread ?? [];
  return `The node's agent could not look at plugin binaries: ${unread ?? "it did not know yet that an attachment asks for them"}`;
}

const sentence = (broken: readonly BrokenBinary[]): string => `${broken.map(({ type, words }) => `Plugin ${type} ${words}`).join("; ")}.`;
const textsOf = (texts: readonly ErrorGroup[], broken: readonly BrokenBinary[]): readonly ErrorGroup[] => texts.filter(({ explanation }) => broken.some(({ type }) => type === explanation.facts.pluginType));
const binaryEvidence = (input: CauseInput, { type, words, wantedBy }: BrokenBinary): Evidence => seen(`Program of plugin ${type}${wantedBy.length === 0 ? "" : `, wanted by ${listWords(wantedBy)}`}`, "agent", { value: words, ...reportTime(input) });
const reportTime = ({ report }: CauseInput): { atMs?: number } => (report === undefined ? {} : { atMs: report.atMs });
