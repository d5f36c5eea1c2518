import { bringsConfig, cnisInCluster } from "./cnis-in-cluster";
import type { CauseCode } from "./codes";
import { confDir } from "./conf-dir";
import { couldNotLook } from "./evidence";
import { cannotTell, clear, countWords, podsOf, textEvidence, textsFor } from "./findings";
import { isSettling, runtimeNetwork, saysUninitialized, type RuntimeNetwork } from "./runtime-network";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type ErrorGroup, type Finding } from "./types";
import { namesOf, podKey, waitsForNode } from "./waiting-pods";

export const cniConfigMissing: Cause = {
  code: "cni-config-missing",
  title: "The node has no CNI config",
  severity: "blocks",
  meaning: "The runtime finds no file in its CNI conf dir, so it has no network to give to a sandbox. The kubelet turns the node NotReady within seconds and says that the network plugin is not initialized.",
  impact: "No pod that needs a pod network can start on this node. Running pods go on. The node is tainted not-ready, so most new pods go elsewhere.",
  checks: [
    "The agent: no usable file in the runtime's conf dir, and no broken one.",
    "The runtime (by the agent) or the node's Ready condition: the network is not ready, for at least 20 s, on a node older than 2 min. Where neither is heard, waiting pods that repeat the runtime's words.",
    "Without the agent: the Ready condition or texts of waiting pods say that the network plugin is not initialized. Whether a file is absent, broken or not loaded cannot be told then.",
  ],
  lookAlikes: [
    { code: "cni-config-invalid", tells: "There a file is in the conf dir and the runtime cannot use it." },
    { code: "cni-config-unnoticed", tells: "There a good file is in the conf dir and the runtime has not loaded it." },
    { code: "daemon-down", tells: "The daemon that should write the file does not run; then that is the root of it. multus alone is the other way round: it ends where no other CNI's config comes." },
    { code: "control-plane-not-ready", tells: "There the network's controller has not yet given the node its range or its annotation." },
  ],
  mitigation: [
    "Look on the node: `ls -la /etc/cni/net.d` (k3s: /var/lib/rancher/k3s/agent/etc/cni/net.d, OpenShift: /etc/kubernetes/cni/net.d, MicroK8s: /var/snap/microk8s/current/args/cni-network).",
    "See whether the CNI's DaemonSet has a pod on this node and what it says: most CNIs write the file themselves when they are up.",
    "Delete the CNI daemon's pod on this node if it runs and the file is gone: it writes the file at its start.",
    "Put the file back by writing it in place (`cp`, not `mv`): containerd does not notice a file that is moved into the folder.",
    "On a node that reboots the conf dir may be a tmpfs (Talos): whatever wrote the file must run again.",
  ],
  actions: ["restart-daemon-pod"],
  explains: ["daemon-down", "teardown-failed"],
  check: (input) => {
    const network = runtimeNetwork(input);
    const folder = confDir(input);
    // A runtime that is ready now has a config, whatever pods said before.
    const texts = textsFor(input, "cni-config-missing").filter(({ text }) => !(network.told && network.ready && saysUninitialized(text)));
    if (folder.looked && folder.effectiveFile === undefined && folder.broken.length === 0) return [emptyFolder(input, network, folder, texts)];
    if (texts.length > 0 && !folder.looked) return [byTexts(input, network, texts, folder.reason)];
    if (texts.some(({ text }) => !saysUninitialized(text))) return [byTexts(input, network, texts.filter(({ text }) => !saysUninitialized(text)))];
    if (folder.looked) return [clear(folder.effectiveFile === undefined ? `Files are in ${folder.dir}, and none can be used.` : `${folder.effectiveFile} is in ${folder.dir}.`, [folder.evidence])];
    if (!network.told) return [cannotTell(folder.reason, [couldNotLook("The CNI conf dir", "agent", folder.reason)])];
    return [network.ready ? clear("The runtime says that its network is ready.", network.evidence) : byCondition(input, network, folder.reason)];
  },
};

function emptyFolder(input: CauseInput, network: RuntimeNetwork, folder: Extract<ReturnType<typeof confDir>, { looked: true }>, texts: readonly ErrorGroup[]): Finding {
  const saidByPods = texts.filter(({ text }) => saysUninitialized(text));
  if (!network.told && saidByPods.length > 0 && !isSettling(input, undefined))
    return { state: "firing", certainty: "named", explains: bringsAbout(input), summary: `${folder.dir} holds no CNI config, and pods say that the runtime has none.`, evidence: [folder.evidence, ...textEvidence(saidByPods)], pods: podsOf(saidByPods).slice(0, MAX_PODS_NAMED) };
  if (!network.told) return cannotTell(network.reason, [folder.evidence, couldNotLook("Whether the runtime's network is ready", "agent", network.reason)]);
  const evidence = [folder.evidence, ...network.evidence];
  if (network.ready) return clear(`${folder.dir} is empty, and the runtime says that its network is ready: it looks elsewhere, or holds what it loaded before.`, evidence);
  if (isSettling(input, network.sinceMs)) return clear(`${folder.dir} is empty, as on a node that has just joined or whose config is being written.`, evidence);
  return { state: "firing", certainty: "named", explains: bringsAbout(input), summary: `${folder.dir} holds no CNI config, and the runtime says that its network is not ready.`, evidence, pods: namesOf(waitsForNode(input)) };
}

/** Without a look at the folder: the runtime has no config, and why cannot be told. */
function byCondition(input: CauseInput, network: Extract<RuntimeNetwork, { ready: false }>, reason: string): Finding {
  const evidence = [...network.evidence, couldNotLook("The CNI conf dir", "agent", reason)];
  if (!network.uninitialized) return clear("The runtime has a CNI config; its plugin says that it cannot serve.", network.evidence);
  if (isSettling(input, network.sinceMs)) return clear("The runtime has no CNI config yet, as on a node that has just joined.", network.evidence);
  return { state: "firing", certainty: "suspected", explains: bringsAbout(input), summary: "The runtime has no CNI config. Whether a file is missing, broken or not loaded cannot be told without the agent.", evidence, pods: [...namesOf(waitsForNode(input)), ...leavingPods(input)].slice(0, MAX_PODS_NAMED) };
}

/** Pods that are being deleted: their sandboxes cannot be ended without a config. */
const leavingPods = ({ pods }: CauseInput): readonly string[] => [...pods.values()].filter(({ deleting, hostNetwork }) => deleting && !hostNetwork).map(podKey);

/**
 * Without a config no sandbox can be ended either. multus serves only on top of another CNI's config, and ends when none comes; other
 * daemons write the config themselves.
 */
const bringsAbout = (input: CauseInput): readonly CauseCode[] => [...([...cnisInCluster(input).keys()].filter(bringsConfig).every((cni) => cni === "multus") ? (["daemon-down"] as const) : []), "teardown-failed"];

function byTexts(input: CauseInput, network: RuntimeNetwork, texts: readonly ErrorGroup[], reason?: string): Finding {
  if (network.told && !network.ready && reason !== undefined) {
    const finding = byCondition(input, network, reason);
    return finding.state === "firing" ? { ...finding, evidence: [...finding.evidence, ...textEvidence(texts)] } : finding;
  }
  const most = texts.reduce((count, group) => Math.max(count, group.count), 0);
  const evidence = [...textEvidence(texts), ...(reason === undefined ? [] : [couldNotLook("The CNI conf dir", "agent", reason)])];
  return { state: "firing", certainty: "suspected", explains: bringsAbout(input), summary: `${countWords(most, "pod")} without a sandbox ${most === 1 ? "says" : "say"} that a network config is missing.`, evidence, pods: podsOf(texts).slice(0, MAX_PODS_NAMED) };
}
