import type { ConfFile, ConfigFiles, MultusConfig } from "../agent-readings";
import type { Evidence } from "../answer";
import { CNI_ROWS, type CniRow } from "../cni-daemons";
import { agentPart } from "./agent-part";
import { groupsOr } from "./by-texts";
import { containerOf, daemonPods, daemonsUnseen, isRunning, lastEndOfDaemon } from "./daemon-pods";
import { notSeen, seen } from "./evidence";
import { cannotTell, clear, lineWords, textEvidence } from "./findings";
import type { Cause, CauseInput, ErrorGroup, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

/** While a node joins, its CNIs write their configs one after the other. */
export const CONFIGS_SETTLE_MS = 300_000;
const MULTUS = "multus";
const MAX_MESSAGE_CHARS = 240;
/** What multus says where the file that it should hand pods to is not there: at its start, and at each call. */
const NO_MASTER_AT_START = "failed to access the primary CNI configuration";
const NO_MASTER_AT_CALL = "failed to get clusterNetwork";

export const wrongMasterCni: Cause = {
  code: "wrong-master-cni",
  title: "Multus hands pods to the wrong default network, or to none",
  severity: "risks",
  meaning:
    "Multus gives every pod its default network by another CNI's config. Which one is set by multusMasterCNI in daemon-config.json, or taken as the first file by name at the daemon's start. Here the file that it took is not there, the key stands where multus does not look, another file was there first, or the node's own CNI is passed by.",
  impact: "A file that is not there: every pod fails. Another file that exists: everything looks healthy, and pods are on the wrong network, without the policies and addresses of the CNI that is meant.",
  checks: [
    "The file that 00-multus.conf names as clusterNetwork is in the conf dir (agent).",
    "daemon-config.json has multusMasterCNI at its top level, not below another key, which multus ignores without a word (agent).",
    "The file that daemon-config.json names is the one in force; a change needs a start of the daemon (agent).",
    "Without that key: the file that was taken is still the first by name; at the daemon's next start another would be (agent).",
    "The CNI whose daemon runs on this node and whose config is there is the one that pods are handed to (agent, API).",
    "The daemon's termination message names the file that it could not find (API).",
  ],
  lookAlikes: [
    { code: "cni-config-conflict", tells: "There the runtime itself takes the wrong file; here the runtime takes multus', and multus the wrong one." },
    { code: "cni-config-missing", tells: "There the folder holds no config at all: multus waits for one, up to 120 s." },
    { code: "cni-config-invalid", tells: "There multus' own config cannot be read." },
    { code: "silent-bypass", tells: "There multus is not asked at all; that comes of it where the daemon ends because the file is not there." },
  ],
  mitigation: [
    "See what is in force: `cat /etc/cni/net.d/00-multus.conf` (clusterNetwork), `ls /etc/cni/net.d`, and the ConfigMap of multus' daemon.",
    "Set multusMasterCNI at the top level of daemon-config.json to the file of the CNI that is meant, and make sure that every node has it. A name that does not exist stops the daemon.",
    "Then delete multus' pods one by one: the daemon reads its config at its start only. Hazard: in each restart's gap of 1 to 2 s pods come up without their extra networks.",
    "Remove configs that a CNI left behind when it was taken away.",
    "Pods that are on the wrong network stay there until they are made anew.",
  ],
  actions: ["restart-daemon-pod"],
  explains: ["cni-config-conflict", "cni-config-missing", "daemon-down", "silent-bypass"],
  check: (input) => {
    const unseen = daemonsUnseen(input);
    const ended = unseen === undefined ? endedWithoutMaster(input) : undefined;
    if (ended !== undefined) return [ended];
    const files = agentPart(input, "configFiles");
    if (!files.looked) {
      if (unseen === undefined && !multusHere(input)) return [byTexts(input, clear("Multus does not run here."))];
      return [byTexts(input, cannotTell(files.reason))];
    }
    const { multus } = files.reading;
    if (multus === undefined || !multus.generated && !multusHere(input)) return [clear("Multus does not run here.")];
    const found = [missing(input, files.reading, multus), nested(input, files.reading, multus), race(input, files.reading, multus), notInForce(input, files.reading, multus), passedBy(input, files.reading, multus)].flatMap((finding) => finding ?? []);
    if (found.length > 0) return found;
    return [clear(multus.clusterNetwork === undefined ? "Multus has no config in force." : `Multus hands pods to ${multus.clusterNetwork}, and nothing speaks against it.`, masterEvidence(input, files.reading, multus))];
  },
};

const multusHere = (input: CauseInput): boolean => daemonPods(input).some(({ daemon }) => daemon.cni === MULTUS);
const timeOf = ({ report }: CauseInput): { atMs?: number } => (report === undefined ? {} : { atMs: report.atMs });
const settles = ({ node, nowMs }: CauseInput): boolean => node.createdMs !== undefined && nowMs - node.createdMs < CONFIGS_SETTLE_MS;

/** Files that multus may take: usable, and not its own. */
const candidates = ({ files }: ConfigFiles): readonly ConfFile[] => files.filter(({ name, usable, pluginTypes }) => usable && !name.startsWith("00-multus") && !pluginTypes.some((type) => type === "multus" || type === "multus-shim"));

/** The daemon itself says that the file is not there, and ended over it. */
function endedWithoutMaster(input: CauseInput): Finding | undefined {
  const found = daemonPods(input).filter(({ daemon }) => daemon.cni === MULTUS).map((daemonPod) => ({ daemonPod, end: lastEndOfDaemon(daemonPod) })).find(({ daemonPod, end }) => !isRunning(daemonPod) && end?.message?.includes(NO_MASTER_AT_START));
  if (found?.end === undefined) return undefined;
  const { daemonPod, end } = found;
  const line = end.message?.split("\n").findLast((one) => one.includes(NO_MASTER_AT_START)) ?? "";
  return {
    state: "firing",
    certainty: "named",
    detail: "missing",
    summary: `${containerOf(daemonPod)} ends at its start: ${lineWords(line, MAX_MESSAGE_CHARS)}.`,
    evidence: [seen(`Last end of ${containerOf(daemonPod)}`, "api", { value: `exit code ${end.exitCode ?? "unknown"}: ${lineWords(line, MAX_MESSAGE_CHARS)}`, ...(end.finishedMs === undefined ? {} : { atMs: end.finishedMs }) }), notSeen(`A running process of ${containerOf(daemonPod)}`, "api")],
    pods: namesOf(waitsForNode(input)),
  };
}

/** The config in force names a file that is not there: every call fails. */
function missing(input: CauseInput, reading: ConfigFiles, multus: MultusConfig): Finding | undefined {
  if (!multus.generated || multus.clusterNetworkExists !== false || multus.clusterNetwork === undefined) return undefined;
  return {
    state: "firing",
    certainty: "named",
    detail: "missing",
    severity: "blocks",
    summary: `00-multus.conf hands pods to ${multus.clusterNetwork}, which is not in ${reading.dir}: every pod fails, though the daemon looks healthy.`,
    evidence: [...masterEvidence(input, reading, multus), notSeen(`${multus.clusterNetwork} in ${reading.dir}`, "agent", timeOf(input)), ...textEvidence(masterTexts(input))],
    pods: namesOf(waitsForNode(input)),
  };
}

/** multusMasterCNI stands below another key: what it names is taken by chance, or not at all. */
function nested(input: CauseInput, reading: ConfigFiles, multus: MultusConfig): Finding | undefined {
  const { nestedMasterCni, masterCni, clusterNetwork } = multus;
  if (nestedMasterCni === undefined || masterCni !== undefined) return undefined;
  const byChance = clusterNetwork === nestedMasterCni;
  const instead = clusterNetwork === undefined ? "and nothing is in force" : byChance ? "and the same file was taken by its name alone" : `and ${clusterNetwork} was taken by its name`;
  return {
    state: "firing",
    certainty: "named",
    detail: "nested",
    ...(byChance ? { severity: "notice" as const } : {}),
    summary: `multusMasterCNI (${nestedMasterCni}) stands below another key of daemon-config.json, where multus does not look, ${instead}.`,
    evidence: [seen("multusMasterCNI below another key of daemon-config.json", "agent", { value: nestedMasterCni, ...timeOf(input) }), notSeen("multusMasterCNI at its top level", "agent", timeOf(input)), ...masterEvidence(input, reading, multus)],
  };
}

/** No key: the first by name at the daemon's start. Where another is first now, it came later, and the next start takes it. */
function race(input: CauseInput, reading: ConfigFiles, multus: MultusConfig): Finding | undefined {
  const { masterCni, nestedMasterCni, clusterNetwork } = multus;
  const [first] = candidates(reading);
  if (masterCni !== undefined || nestedMasterCni !== undefined || clusterNetwork === undefined || first === undefined || settles(input)) return undefined;
  // A file before multus' own is the runtime's choice already: that is a conflict of configs.
  if (first.name === reading.files[0]?.name) return undefined;
  if (first.name === clusterNetwork || !reading.files.some(({ name }) => name === clusterNetwork)) return undefined;
  return {
    state: "firing",
    certainty: "named",
    detail: "race",
    summary: `Multus took ${clusterNetwork}, the first config that was there when its daemon began; ${first.name} came later and comes before it by name, so the next start changes the network of new pods. No multusMasterCNI is set.`,
    evidence: [...masterEvidence(input, reading, multus), seen(`First config by name in ${reading.dir}`, "agent", { value: first.name, ...timeOf(input) }), notSeen("multusMasterCNI in daemon-config.json", "agent", timeOf(input))],
  };
}

/** The ConfigMap was changed and the daemon not restarted: it goes by what it read at its start. */
function notInForce(input: CauseInput, reading: ConfigFiles, multus: MultusConfig): Finding | undefined {
  const { masterCni, clusterNetwork } = multus;
  if (masterCni === undefined || clusterNetwork === undefined || masterCni === clusterNetwork || !reading.files.some(({ name }) => name === masterCni)) return undefined;
  const changedMs = multus.daemonConfigModifiedMs;
  return {
    state: "firing",
    certainty: "named",
    detail: "not-in-force",
    severity: "notice",
    summary: `daemon-config.json names ${masterCni}, and ${clusterNetwork} is in force: the daemon has not been started since that was written.`,
    evidence: [...masterEvidence(input, reading, multus), seen("multusMasterCNI in daemon-config.json", "agent", { value: masterCni, ...(changedMs === undefined ? timeOf(input) : { atMs: changedMs }) })],
  };
}

/** CNIs that give pods their default network. */
const PRIMARY: readonly CniRow[] = CNI_ROWS.filter(({ cni, confFiles }) => cni !== MULTUS && confFiles.length > 0);
const rowsOf = ({ name, pluginTypes }: ConfFile): readonly CniRow[] => PRIMARY.filter((row) => row.confFiles.includes(name) || row.pluginTypes.some((type) => pluginTypes.includes(type)));

/** A CNI's daemon runs here and its config is there, and pods are handed to a file of which no CNI here knows. */
function passedBy(input: CauseInput, reading: ConfigFiles, multus: MultusConfig): Finding | undefined {
  if (daemonsUnseen(input) !== undefined || settles(input)) return undefined;
  const master = reading.files.find(({ name }) => name === multus.clusterNetwork);
  if (master === undefined) return undefined;
  const here = new Set(daemonPods(input).filter(isRunning).map(({ daemon }) => daemon.cni));
  if (rowsOf(master).some(({ cni }) => here.has(cni))) return undefined;
  const meant = candidates(reading).flatMap((file) => rowsOf(file).flatMap((row) => (here.has(row.cni) ? [{ file, row }] : [])))[0];
  if (meant === undefined) return undefined;
  const { file, row } = meant;
  return {
    state: "firing",
    certainty: "named",
    detail: "other-cni",
    summary: `Multus hands pods to ${master.name} (${master.pluginTypes.join(", ")}), while ${row.cni} runs on this node and its ${file.name} is passed by: pods are not on its network.`,
    evidence: [...masterEvidence(input, reading, multus), seen(`Config of ${row.cni} in ${reading.dir}`, "agent", { value: file.name, ...timeOf(input) }), seen(`A running daemon of ${row.cni} on this node`, "api"), multus.masterCni === undefined ? notSeen("multusMasterCNI in daemon-config.json", "agent", timeOf(input)) : seen("multusMasterCNI in daemon-config.json", "agent", { value: multus.masterCni, ...timeOf(input) })],
  };
}

const masterEvidence = (input: CauseInput, { dir }: ConfigFiles, { clusterNetwork }: MultusConfig): readonly Evidence[] =>
  clusterNetwork === undefined ? [notSeen(`clusterNetwork of 00-multus.conf in ${dir}`, "agent", timeOf(input))] : [seen(`clusterNetwork of 00-multus.conf in ${dir}`, "agent", { value: clusterNetwork, ...timeOf(input) })];

/** Multus' own words at a call; the file is what its text names, whatever cause that text is taken for. */
const masterTexts = ({ errors }: CauseInput): readonly ErrorGroup[] => errors.filter(({ text }) => text.includes(NO_MASTER_AT_CALL));

function byTexts(input: CauseInput, otherwise: Finding): Finding {
  const finding = groupsOr(masterTexts(input), "say that multus cannot find the network that it hands pods to.", otherwise, "The config of multus on the node", "agent");
  return finding.state === "firing" ? { ...finding, detail: "missing" } : finding;
}
