import { agentPart } from "./agent-part";
import { couldNotLook, notSeen, seen } from "./evidence";
import { cannotTell, clear, countWords, podsOf, textEvidence, textsFor, textsUnseen } from "./findings";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type ErrorGroup, type Finding } from "./types";
import { milderForOwnRequests } from "./waiting-pods";

export const cniVersionMismatch: Cause = {
  code: "cni-version-mismatch",
  title: "A plugin does not know the config's CNI version",
  severity: "blocks",
  meaning:
    "Every CNI config names a cniVersion, and a plugin serves only those that it knows. An upgrade of the config or of the runtime without the plugins (or the other way round) leaves a pair that does not fit. Some runtimes also refuse a config that names no version at all.",
  impact: "Every call with that config fails at once: no pod starts, and pods that are being deleted stay too, since the teardown reads the same config.",
  checks: [
    "Texts of waiting pods: incompatible CNI versions, an unsupported cniVersion, or a version that is empty.",
    "The agent: the cniVersion of the file in force. Where it is the one that the text names, the cause is named.",
  ],
  lookAlikes: [
    { code: "cni-config-invalid", tells: "There the config cannot be parsed, or lacks something other than a version that fits." },
    { code: "shim-daemon-skew", tells: "There the versions of a shim and its daemon differ, while the config's fits." },
    { code: "plugin-binary-missing", tells: "There the plugin's program is not there at all." },
  ],
  mitigation: [
    "Ask the plugin what it knows: `echo '{\"cniVersion\":\"1.0.0\"}' | CNI_COMMAND=VERSION /opt/cni/bin/bridge`.",
    "Set the config's cniVersion to one that every plugin of the chain knows: 0.4.0 and 0.3.1 are known to nearly all, 1.1.0 only to plugins of 2024 and later.",
    "Or upgrade the plugins on this node to those of the other nodes; containerd below 1.6.4 does not read 1.0.0.",
    "A network attachment of multus has a cniVersion of its own: look at the one that the pod asks for.",
  ],
  actions: [],
  explains: ["teardown-failed"],
  check: (input) => {
    const texts = textsFor(input, "cni-version-mismatch");
    const unseen = textsUnseen(input);
    if (texts.length === 0) return [unseen === undefined ? clear("No pod without a sandbox says so.") : cannotTell(unseen, [couldNotLook("Texts of waiting pods", "api", unseen)])];
    return [finding(input, texts)];
  },
};

function finding(input: CauseInput, texts: readonly ErrorGroup[]): Finding {
  const most = texts.reduce((count, group) => Math.max(count, group.count), 0);
  const pods = podsOf(texts).slice(0, MAX_PODS_NAMED);
  const files = agentPart(input, "configFiles");
  const config = agentPart(input, "config");
  const name = config.looked ? config.reading.effectiveFile : undefined;
  const file = files.looked ? files.reading.files.find((one) => one.name === name) : undefined;
  const shared = { state: "firing", ...milderForOwnRequests(input, texts), pods } as const;
  const says = `${countWords(most, "pod")} without a sandbox ${most === 1 ? "says" : "say"}`;
  if (file === undefined) {
    const reason = files.looked ? (config.looked ? "no file is in force" : config.reason) : files.reason;
    return { ...shared, certainty: "suspected", summary: `${says} that a plugin does not know the config's CNI version.`, evidence: [...textEvidence(texts), couldNotLook("cniVersion of the file in force", "agent", reason)] };
  }
  const at = input.report === undefined ? {} : { atMs: input.report.atMs };
  const version = file.cniVersion ?? "";
  if (!texts.some(({ text }) => names(text, version))) {
    return { ...shared, certainty: "suspected", summary: `${says} that a plugin does not know a config's CNI version.`, evidence: [...textEvidence(texts), notSeen(`The version of the text in ${file.name}`, "agent", { value: version === "" ? "none" : version, ...at })] };
  }
  const summary = version === "" ? `${file.name} names no CNI version, and a plugin or the runtime refuses that.` : `${file.name} asks for CNI version ${version}, which a plugin does not know.`;
  return { ...shared, certainty: "named", summary, evidence: [seen(`cniVersion of ${file.name}`, "agent", { value: version === "" ? "none" : version, ...at }), ...textEvidence(texts)] };
}

/** Words that stand before the version of the config. */
const MARKS = ["config is", "cni version", "cniversion", "cni result version"] as const;
/** A version and the quotes around it, which may be escaped. */
const VERSION_CHARS = 20;

/** Whether the text speaks of this version as the config's, or of an empty one. */
function names(text: string, version: string): boolean {
  const lower = text.toLowerCase();
  if (version === "") return lower.includes("version is empty") || lower.includes('invalid version ""');
  return MARKS.some((mark) => {
    const at = lower.indexOf(mark);
    return at >= 0 && lower.slice(at + mark.length, at + mark.length + VERSION_CHARS).includes(version.toLowerCase());
  });
}
