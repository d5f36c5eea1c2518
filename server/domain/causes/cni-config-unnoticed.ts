import { spanWords } from "../words";
import { agentPart } from "./agent-part";
import { confDir } from "./conf-dir";
import { couldNotLook, seen } from "./evidence";
import { cannotTell, clear } from "./findings";
import { CONFIG_SETTLES_MS, isSettling, runtimeNetwork } from "./runtime-network";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

export const cniConfigUnnoticed: Cause = {
  code: "cni-config-unnoticed",
  title: "The runtime has not loaded a CNI config that is there",
  severity: "blocks",
  meaning:
    "A usable config lies in the conf dir, and the runtime says that it has none. containerd watches the folder and does not notice a file that is moved into it, which is how an atomic write works; it stops watching for good when the folder itself is removed. On a real node it stayed so for as long as was watched, and a touch did not help.",
  impact: "The node is NotReady and no pod that needs a pod network starts, though everything that a person would look at is in place.",
  checks: [
    "The agent: a file of the conf dir can be used, for at least 20 s.",
    "The runtime at the same time: NetworkReady is false because no config is loaded, not because a plugin says that it cannot serve.",
  ],
  lookAlikes: [
    { code: "cni-config-missing", tells: "There is no file in the conf dir." },
    { code: "cni-config-invalid", tells: "There the file cannot be used, so the runtime is right to refuse it." },
    { code: "runtime-stuck-or-slow", tells: "There the runtime answers nothing, or late; here it answers at once and says that it has no config." },
  ],
  mitigation: [
    "Write the file once more in place, with its own content: `cp /etc/cni/net.d/FILE /tmp/f && cp /tmp/f /etc/cni/net.d/FILE`. The node is Ready within 10 s. A touch or a move does not do it.",
    "If that does not help, the runtime watches the folder no more (it was removed and made again): restart the runtime, `systemctl restart containerd`.",
    "Restarting the runtime interrupts every call that is under way; running containers go on.",
    "Whatever writes the file by moving it into the folder will do it again at the next change: let it write in place, or tell its makers.",
  ],
  actions: [],
  explains: ["cni-config-missing", "teardown-failed"],
  check: (input) => {
    const folder = confDir(input);
    const network = runtimeNetwork(input);
    const files = agentPart(input, "configFiles");
    if (!folder.looked) {
      if (network.told && network.ready) return [clear("The runtime says that its network is ready.", network.evidence)];
      return [cannotTell(folder.reason, [couldNotLook("The files of the CNI conf dir", "agent", folder.reason)])];
    }
    const { effectiveFile } = folder;
    if (effectiveFile === undefined) return [clear("No file of the conf dir can be used.", [folder.evidence])];
    const sinceMs = files.looked ? files.reading.usableSinceMs : undefined;
    if (files.looked && files.reading.loaded === false) {
      if (sinceMs !== undefined && input.nowMs - sinceMs < CONFIG_SETTLES_MS) return [clear(`${effectiveFile} has just been written.`, [folder.evidence])];
      return [firing(input, effectiveFile, sinceMs, [folder.evidence, ...(network.told ? network.evidence : [seen("The runtime's config", "agent", { value: "none loaded" })])])];
    }
    if (!network.told) return [cannotTell(network.reason, [folder.evidence, couldNotLook("Whether the runtime's network is ready", "agent", network.reason)])];
    const other = files.looked ? files.reading.loadedOther : undefined;
    if (network.ready && other !== undefined) return [clear(`${effectiveFile} is not loaded: the runtime works by a config that it loaded before, network ${other}.`, [folder.evidence, ...network.evidence])];
    if (network.ready || !network.uninitialized) return [clear(network.ready ? `${effectiveFile} is loaded.` : "The runtime has loaded a config; its plugin says that it cannot serve.", [folder.evidence, ...network.evidence])];
    if (isSettling(input, network.sinceMs)) return [clear(`${effectiveFile} is there, and the runtime had no time yet to load it.`, [folder.evidence, ...network.evidence])];
    return [firing(input, effectiveFile, sinceMs, [folder.evidence, ...network.evidence])];
  },
};

function firing(input: CauseInput, file: string, sinceMs: number | undefined, evidence: Finding["evidence"]): Finding {
  const since = sinceMs === undefined ? "" : ` for ${spanWords(sinceMs, input.nowMs)}`;
  return { state: "firing", certainty: "named", summary: `${file} can be used and has been there${since}, and the runtime says that it has no CNI config.`, evidence, pods: namesOf(waitsForNode(input)) };
}
