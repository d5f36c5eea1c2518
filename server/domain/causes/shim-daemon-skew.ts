import type { Evidence } from "../answer";
import { countWords, spanWords } from "../words";
import { agentPart } from "./agent-part";
import { textsOr } from "./by-texts";
import { calledSockets, socketEvidence, socketsEvidence, type CalledSocket } from "./called-sockets";
import { couldNotLook, seen } from "./evidence";
import { cannotTell, clear, textEvidence, textsFor } from "./findings";
import { provenByStart, startedLatelyMs } from "./proof";
import { callsOlderThan, liveCalls } from "./slow-calls";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

/** What the agent says of a daemon that does not know the path on which a newer shim waits for it. */
const UNKNOWN_PATH = "404 on /readyz";
/** A shim that is understood is done by then. */
export const SHIM_WAITS_MS = 15_000;
/** The shim's own words once its minute is up. */
const TIMED_OUT = "timed out waiting for the condition";

export const shimDaemonSkew: Cause = {
  code: "shim-daemon-skew",
  title: "The shim on the host and the CNI daemon are of different versions",
  severity: "blocks",
  meaning:
    "The small program on the host asks the daemon for something that this daemon does not know. A newer multus-shim waits up to a minute for the path /readyz; an older daemon answers 404, which the shim takes for not ready yet. Pod and DaemonSet look ready all the while.",
  impact: "Every call waits until its time is up and fails. It begins when one of the two is exchanged without the other: a pinned image, a failed installer, another CNI's package in the same folder.",
  checks: [
    "The socket that the config in force calls answers 404 on /readyz (agent).",
    "And somebody waits on it: a call in flight for 15 s or more, or pods that say timed out waiting for the condition, with no sandbox ready lately. An older daemon with its own, older shim is in order.",
    "Versions of the shim's program and of the daemon's image, where they are told.",
    "Without the agent: texts that name two versions or an unknown path, which only makes it suspected.",
  ],
  lookAlikes: [
    { code: "daemon-slow", tells: "There the daemon knows the path and answers late; the shim's words are the same." },
    { code: "daemon-down", tells: "There nobody answers; the shim's words are the same." },
    { code: "plugin-binary-missing", tells: "There the shim is not there or cannot run." },
  ],
  mitigation: [
    "Compare: `strings /opt/cni/bin/multus-shim | grep -m1 multus-cni@` on the node, and the image of the daemon's pod.",
    "Delete the daemon's pod on this node: its init container installs the shim of its own image.",
    "If the installer fails or is not part of the manifest, mend that first; look at its termination message.",
    "Pin both to one image, and change it in one rollout.",
  ],
  actions: ["restart-daemon-pod"],
  explains: ["daemon-slow", "retry-storm", "sandbox-name-reserved", "teardown-failed"],
  check: (input) => {
    const look = calledSockets(input);
    if (!look.looked) return [orTexts(input, provenByStart(input, "A daemon that does not know what the shim asks for", look.reason))];
    const unknowing = look.called.filter(({ socket: { state, detail } }) => state === "answers" && detail?.includes(UNKNOWN_PATH) === true);
    if (unknowing.length === 0) return [orTexts(input, clear(look.called.length === 0 ? "The config in force calls no daemon." : "The daemon knows what its shim asks for.", socketsEvidence(input, look)))];
    const waits = whoWaits(input);
    const live = liveCalls(input);
    if (waits === undefined && !live.looked && input.held.stuck > 0) return [cannotTell(live.reason, socketsEvidence(input, look))];
    if (waits === undefined) return [clear("The daemon answers 404 on /readyz, and nobody waits for that path: its shim is as old as it is.", socketsEvidence(input, look))];
    return [named(input, unknowing, waits)];
  },
};

/** Who shows that the shim waits in vain; `undefined` where calls succeed or nobody tries. */
function whoWaits(input: CauseInput): { readonly words: string; readonly evidence: readonly Evidence[] } | undefined {
  if (startedLatelyMs(input) !== undefined && input.held.stuck === 0) return undefined;
  const live = liveCalls(input);
  const long = live.looked ? callsOlderThan(live.calls, input.nowMs, SHIM_WAITS_MS) : [];
  const [oldest] = long;
  const texts = input.errors.filter(({ text }) => text.includes(TIMED_OUT));
  const [text] = texts;
  if (oldest === undefined && text === undefined) return undefined;
  const calls = oldest === undefined ? [] : [seen("Age of the oldest call in flight", "agent", { value: (input.nowMs - oldest.startedMs) / 1_000, unit: "seconds", ...at(input) })];
  return {
    words: oldest === undefined ? `${countWords(text?.count ?? 0, "pod")} ${text?.count === 1 ? "was" : "were"} told "${TIMED_OUT}"` : `${countWords(long.length, "call")} of ${oldest.program} wait${long.length === 1 ? "s" : ""} for that path, the oldest for ${spanWords(oldest.startedMs, input.nowMs)}`,
    evidence: [...calls, ...(live.looked ? [] : [couldNotLook("Calls in flight", "agent", live.reason)]), ...textEvidence(texts)],
  };
}

function named(input: CauseInput, unknowing: readonly CalledSocket[], waits: NonNullable<ReturnType<typeof whoWaits>>): Finding {
  const [first] = unknowing;
  return {
    state: "firing",
    certainty: "named",
    summary: `The daemon behind ${first?.socket.path ?? "the socket"} answers 404 on /readyz, and ${waits.words}: the shim is newer than the daemon.`,
    evidence: [...unknowing.map(({ socket }) => socketEvidence(input, socket)), ...waits.evidence, ...versionEvidence(input, unknowing), ...textEvidence(textsFor(input, "shim-daemon-skew"))],
    pods: namesOf(waitsForNode(input)),
  };
}

function versionEvidence(input: CauseInput, unknowing: readonly CalledSocket[]): readonly Evidence[] {
  const config = agentPart(input, "config");
  const binaries = agentPart(input, "binaries");
  const types = config.looked ? config.reading.pluginTypes : [];
  const shims = binaries.looked ? binaries.items.filter(({ type, version }) => types.includes(type) && version !== undefined) : [];
  const images = unknowing.flatMap(({ servers }) => servers.flatMap(({ view }) => view?.image ?? []));
  return [...shims.map(({ type, version = "" }) => seen(`Version of the program ${type}`, "agent", { value: version, ...at(input) })), ...[...new Set(images)].map((image) => seen("Image of the daemon", "api", { value: image }))];
}

const at = ({ report }: CauseInput): { atMs?: number } => (report === undefined ? {} : { atMs: report.atMs });
const orTexts = (input: CauseInput, otherwise: Finding): Finding => textsOr(input, "shim-daemon-skew", "speak of a shim and a daemon of different versions.", otherwise, "What the daemon answers to its shim", "agent");

