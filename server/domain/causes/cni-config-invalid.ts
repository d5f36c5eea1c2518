import { listWords } from "../words";
import { agentPart } from "./agent-part";
import { attachmentsUnseen } from "./attachments-wanting";
import { confDir, type ConfDir } from "./conf-dir";
import { couldNotLook, seen } from "./evidence";
import { cannotTell, clear, countWords, podsOf, textEvidence, textsFor } from "./findings";
import { isSettling, runtimeNetwork } from "./runtime-network";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type ErrorGroup, type Finding } from "./types";
import { askingPods, milderForOwnRequests, namesOf, podKey, waitsForNode } from "./waiting-pods";

export const cniConfigInvalid: Cause = {
  code: "cni-config-invalid",
  title: "A CNI config cannot be used",
  severity: "blocks",
  meaning:
    "A config is there and wrong: the file that the runtime would load is not JSON or lacks what it needs, multus refuses its daemon-config.json, or a network attachment that a pod asks for cannot be parsed. containerd stops at the first file by name if that one is broken and loads none; CRI-O passes over it.",
  impact: "A broken file in the conf dir: no pod starts, once the runtime loads it. A broken daemon config: the daemon does not come up after its next start. A broken network attachment: the pods that ask for it wait, the others start.",
  checks: [
    "The agent: no file of the conf dir can be used, and at least one is broken; whether the runtime says that its network is not ready.",
    "The agent: multus' daemon-config.json is there and cannot be used.",
    "The API: the config of a network attachment that a waiting pod of this node asks for is not JSON, or names no plugin.",
    "Texts of waiting pods that a config cannot be parsed, or names a link, range or key that is wrong.",
  ],
  lookAlikes: [
    { code: "cni-config-missing", tells: "There is no file at all." },
    { code: "cni-config-unnoticed", tells: "There the file is good, and the runtime has not loaded it." },
    { code: "cni-version-mismatch", tells: "There the file can be parsed, and its cniVersion is one that a plugin does not know." },
    { code: "nad-missing", tells: "There the network attachment does not exist; here it exists and cannot be used." },
    { code: "wrong-master-cni", tells: "There every file is good, and multus takes the wrong one." },
  ],
  mitigation: [
    "Look at the file that is named: `jq . /etc/cni/net.d/FILE` says line and column. The usual faults are a trailing comma, a half written file and a template variable that was not filled in.",
    "Whoever generates the file (the CNI's DaemonSet, a machine config, GitOps) will write it again: mend it there.",
    "Write the mended file in place (`cp`, not `mv`), since containerd does not notice one that is moved into the folder.",
    "A network attachment: `kubectl -n NAMESPACE get network-attachment-definition NAME -o jsonpath={.spec.config} | jq .`; pods try again by themselves once it is good.",
    "multus' daemon config: mend its ConfigMap, then restart the daemon's pods; the daemon reads it at its start only.",
  ],
  actions: ["restart-daemon-pod"],
  explains: ["cni-config-missing", "daemon-down", "silent-bypass", "teardown-failed"],
  check: (input) => {
    const folder = confDir(input);
    const measured = [inFolder(input, folder), inDaemonConfig(input), inAttachments(input)];
    const firing = measured.filter(({ state }) => state === "firing");
    const covered = new Set(firing.flatMap(({ detail, pods = [] }) => (detail === "network-attachment" ? pods : [])));
    const texts = textsFor(input, "cni-config-invalid").filter(({ pods }) => !pods.every((pod) => covered.has(pod)));
    if (texts.length > 0) firing.push(byTexts(input, texts));
    return firing.length > 0 ? firing : [measured.find(({ state }) => state === "unknown") ?? clear("No config that is in force or asked for is broken.", measured.flatMap(({ evidence }) => evidence))];
  },
};

function inFolder(input: CauseInput, folder: ConfDir): Finding {
  const network = runtimeNetwork(input);
  if (!folder.looked) {
    // A runtime that is ready has loaded a config that it can use.
    if (network.told && network.ready) return clear("The runtime says that its network is ready.", network.evidence);
    return cannotTell(folder.reason, [couldNotLook("The files of the CNI conf dir", "agent", folder.reason)]);
  }
  if (folder.effectiveFile !== undefined || folder.broken.length === 0) return clear(folder.effectiveFile === undefined ? "No file is in the conf dir." : `${folder.effectiveFile} can be used.`, [folder.evidence]);
  const evidence = [...folder.broken.slice(0, MAX_FILES_SHOWN).map((problem) => seen(`File in ${folder.dir} that cannot be used`, "agent", { value: problem, ...timeOf(input) })), ...(network.told ? network.evidence : [])];
  const files = `${listWords(folder.broken, 2)} in ${folder.dir}`;
  const base = { state: "firing", certainty: "named", detail: "conf-dir", explains: ["cni-config-missing", "teardown-failed"], evidence } as const;
  if (!network.told || network.ready) return { ...base, severity: "risks", summary: `No file can be used: ${files}. The runtime goes on with what it loaded before, until it loads again.` };
  if (isSettling(input, network.sinceMs)) return clear("A config is being written.", evidence);
  return { ...base, summary: `The runtime has no network, since no file can be used: ${files}.`, pods: namesOf(waitsForNode(input)) };
}

const MAX_FILES_SHOWN = 4;

function inDaemonConfig(input: CauseInput): Finding {
  const files = agentPart(input, "configFiles");
  if (!files.looked) {
    const multus = input.cniDaemons.filter(({ cni }) => cni === "multus");
    if (!multus.some(({ key }) => input.daemons.some(({ daemonSet }) => daemonSet === key))) return clear("No daemon of multus runs here.");
    return cannotTell(files.reason, [couldNotLook("daemon-config.json of multus", "agent", files.reason)]);
  }
  const problem = files.reading.multus?.daemonConfigProblem;
  if (problem === undefined) return clear("multus has no daemon config that is broken.");
  // Then the agent may not read it; the daemon may.
  if (problem.startsWith("could not be read")) {
    const reason = `The node's agent could not look at multus' daemon-config.json: ${problem}`;
    return cannotTell(reason, [couldNotLook("daemon-config.json of multus", "agent", problem)]);
  }
  return {
    state: "firing",
    certainty: "named",
    detail: "daemon-config",
    severity: "risks",
    explains: ["daemon-down", "silent-bypass"],
    summary: `multus cannot use its daemon-config.json: ${problem}. Its daemon ends at its next start.`,
    evidence: [seen("daemon-config.json of multus", "agent", { value: problem, ...timeOf(input) })],
  };
}

function inAttachments(input: CauseInput): Finding {
  const { nads } = input;
  const asking = askingPods(input);
  if (asking.length === 0) return clear("No pod without a sandbox asks for a network attachment.");
  if (nads === undefined) return attachmentsUnseen(input);
  const bad = asking.flatMap(({ pod, attachments }) => attachments.flatMap((key) => ({ pod: podKey(pod), key, problem: nads.get(key)?.problem }))).filter(({ problem }) => problem !== undefined);
  if (bad.length === 0) return clear("The network attachments that pods here ask for can be parsed.");
  const problems = new Map(bad.map(({ key, problem = "" }) => [key, problem]));
  return {
    state: "firing",
    certainty: "named",
    detail: "network-attachment",
    severity: "notice",
    explains: [],
    summary: `Network attachment ${listWords([...problems].map(([key, problem]) => `${key}: ${problem}`))}.`,
    evidence: [...problems].slice(0, MAX_FILES_SHOWN).map(([key, problem]) => seen(`Config of network attachment ${key}`, "api", { value: problem })),
    pods: [...new Set(bad.map(({ pod }) => pod))].slice(0, MAX_PODS_NAMED),
  };
}

function byTexts(input: CauseInput, texts: readonly ErrorGroup[]): Finding {
  const most = texts.reduce((count, group) => Math.max(count, group.count), 0);
  return {
    state: "firing",
    certainty: "suspected",
    ...milderForOwnRequests(input, texts),
    explains: [],
    summary: `${countWords(most, "pod")} without a sandbox ${most === 1 ? "says" : "say"} that a network config cannot be used.`,
    evidence: textEvidence(texts),
    pods: podsOf(texts).slice(0, MAX_PODS_NAMED),
  };
}

const timeOf = ({ report }: CauseInput): { atMs?: number } => (report === undefined ? {} : { atMs: report.atMs });
