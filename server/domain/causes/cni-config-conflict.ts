import type { Evidence } from "../answer";
import { canonicalSocketPath, KNOWN_SOCKETS } from "../known-sockets";
import { listWords } from "../words";
import { agentPart } from "./agent-part";
import { lookAtBinaries } from "./binaries";
import { bringsConfig, cnisHere, cnisInCluster, ROWS_WITH_CONFIG } from "./cnis-in-cluster";
import { confDir } from "./conf-dir";
import { couldNotLook, notSeen, seen } from "./evidence";
import { cannotTell, clear, countWords, podsOf, textEvidence, textsFor, textsUnseen } from "./findings";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type ErrorGroup, type Finding } from "./types";
import { namesOf, stuckPods, waitsForNode } from "./waiting-pods";

export const cniConfigConflict: Cause = {
  code: "cni-config-conflict",
  title: "The config of a CNI that does not run here is in force",
  severity: "blocks",
  meaning:
    "The runtime takes the first config by name. Here that is a file of a CNI which has no DaemonSet in this cluster any more (or not yet), while another CNI runs on the node whose file comes later or is gone. Left over files after a change of the CNI are the usual reason: a removed CNI rarely takes its file along.",
  impact: "Pods are handed to a plugin that nobody serves: they wait, or fail at once. Where that plugin needs no daemon they may even start, in the wrong network.",
  checks: [
    "The agent: which file is in force, and which CNI it belongs to, by its name and its plugin types.",
    "The API: no DaemonSet of that CNI is in the cluster, and the daemon of another CNI with a config of its own runs on this node.",
    "It shows: the plugin's socket is gone or refuses, or its program is missing; pods that are stuck make it suspected only.",
    "Without the agent: waiting pods call the socket of a CNI that has no DaemonSet in the cluster.",
  ],
  lookAlikes: [
    { code: "daemon-down", tells: "There the CNI is meant to run, its DaemonSet exists, and its daemon is down." },
    { code: "wrong-master-cni", tells: "There multus' own config is in force, and it hands pods to the wrong one of several conflists." },
    { code: "plugin-binary-missing", tells: "There the config in force is the right one and its program is missing." },
    { code: "stale-socket", tells: "There the socket belongs to a daemon that does run." },
  ],
  mitigation: [
    "List the files in load order: `ls -1 /etc/cni/net.d`; the first one counts (multus' 00-multus.conf is meant to be first).",
    "Make sure that the CNI of that file is really gone from the cluster: `kubectl get ds -A`. Some run as a part of the distribution (flannel in k3s) and have no DaemonSet.",
    "Move the left over file out of the folder, do not just rename it to another .conf: `mv /etc/cni/net.d/FILE /root/`. The runtime loads the next file within seconds.",
    "Do the same on every node of the cluster, and on the image that new nodes start from.",
    "Pods that already run keep the network of the config with which they were made; their deletion calls that plugin once more and may fail. Reboot or replace such nodes when there is time.",
  ],
  actions: [],
  explains: ["daemon-down", "plugin-binary-missing", "stale-socket", "teardown-failed"],
  check: (input) => {
    const folder = confDir(input);
    const daemonSets = input.kind("daemonsets");
    const texts = [...textsFor(input, "cni-config-conflict"), ...(daemonSets.seen ? callsToAbsentCnis(input) : [])];
    if (folder.looked && daemonSets.seen && folder.effectiveFile !== undefined) {
      const measured = leftOver(input, folder.effectiveFile, folder.evidence);
      if (measured.state === "firing" || texts.length === 0) return [measured];
    }
    if (texts.length > 0) return [byTexts(texts, folder.looked ? [folder.evidence] : [couldNotLook("The CNI config in force", "agent", folder.reason)])];
    if (!folder.looked) return [cannotTell(folder.reason, [couldNotLook("The CNI config in force", "agent", folder.reason)])];
    if (folder.effectiveFile === undefined) return [clear("No config is in force.", [folder.evidence])];
    const reason = daemonSets.seen ? (textsUnseen(input) ?? "") : `DaemonSets cannot be seen: ${daemonSets.reason}`;
    return [cannotTell(reason, [folder.evidence, couldNotLook("DaemonSets of CNIs", "api", reason)])];
  },
};

function leftOver(input: CauseInput, file: string, inForce: Evidence): Finding {
  const config = agentPart(input, "config");
  const types = config.looked ? config.reading.pluginTypes : [];
  const owners = ROWS_WITH_CONFIG.filter(({ confFiles, pluginTypes }) => confFiles.includes(file) || pluginTypes.some((type) => types.includes(type)));
  if (owners.length === 0) return clear(`${file} belongs to no CNI that is known by its name or its plugins.`, [inForce]);
  const present = cnisInCluster(input);
  const living = owners.find(({ cni }) => present.has(cni));
  if (living !== undefined) return clear(`${file} belongs to ${living.cni}, whose DaemonSet is in the cluster.`, [inForce, seen(`DaemonSet of ${living.cni}`, "api")]);
  const owner = owners[0]?.cni ?? "";
  const others = cnisHere(input).filter(bringsConfig);
  const evidence: Evidence[] = [inForce, notSeen(`DaemonSet of ${owner}`, "api"), ...others.map((cni) => seen(`Daemon of ${cni} on this node`, "api"))];
  if (others.length === 0) return clear(`${file} belongs to ${owner}, and no other CNI's daemon is on this node: it may be a part of the distribution.`, evidence);
  const trouble = troubles(input, types);
  if (trouble.length === 0) return clear(`${file} belongs to ${owner}, which has no DaemonSet; nothing shows that it does not serve.`, evidence);
  return {
    state: "firing",
    // Some CNIs are a part of the distribution: pods that are stuck for another reason prove nothing.
    certainty: trouble.some(({ source }) => source === "agent") ? "named" : "suspected",
    summary: `${file} is in force and belongs to ${owner}, which has no DaemonSet in this cluster; here runs ${listWords(others)}.`,
    evidence: [...evidence, ...trouble],
    pods: namesOf(waitsForNode(input)),
  };
}

/** What shows that the config in force is not served. */
function troubles(input: CauseInput, types: readonly string[]): readonly Evidence[] {
  const atMs = input.report?.atMs;
  const at = atMs === undefined ? {} : { atMs };
  const sockets = input.sockets.filter(({ effective, state }) => effective && (state === "refuses" || state === "absent"));
  const { broken } = lookAtBinaries(input);
  const stuck = stuckPods(input);
  return [
    ...sockets.map(({ path, state }) => seen(`Socket ${path}, which this config calls`, "agent", { value: state, ...at })),
    ...types.flatMap((type) => broken.get(type) ?? []).map(({ type, words }) => seen(`Program of plugin ${type}`, "agent", { value: words, ...at })),
    ...(stuck.length === 0 ? [] : [seen("Pods that wait too long for a sandbox", "api", { value: stuck.length, unit: "pods" })]),
  ];
}

/** Texts of pods whose plugin calls the socket of a CNI that the cluster does not have. */
function callsToAbsentCnis(input: CauseInput): readonly ErrorGroup[] {
  if (!input.errors.some(({ explanation }) => explanation.facts.socketPath !== undefined)) return [];
  const present = cnisInCluster(input);
  // Without another CNI's DaemonSet nothing says that this one is not a part of the distribution.
  if (![...present.keys()].some(bringsConfig)) return [];
  return input.errors.filter(({ explanation }) => {
    const path = explanation.facts.socketPath;
    const socket = path === undefined ? undefined : KNOWN_SOCKETS.find((known) => canonicalSocketPath(known.path) === canonicalSocketPath(path));
    return socket !== undefined && explanation.cause !== "cni-config-conflict" && !present.has(socket.name);
  });
}

function byTexts(texts: readonly ErrorGroup[], evidence: readonly Evidence[]): Finding {
  const most = texts.reduce((count, group) => Math.max(count, group.count), 0);
  return {
    state: "firing",
    certainty: "suspected",
    summary: `${countWords(most, "pod")} without a sandbox ${most === 1 ? "is" : "are"} handed to a CNI that does not seem to run in this cluster.`,
    evidence: [...textEvidence(texts), ...evidence],
    pods: podsOf(texts).slice(0, MAX_PODS_NAMED),
  };
}
