import type { Evidence, WaitingPod } from "../answer";
import type { SandboxReading } from "../agent-report";
import type { EventObject } from "../model";
import { countWords, listWords, spanWords } from "../words";
import { agentPart } from "./agent-part";
import { couldNotLook, notSeen, seen } from "./evidence";
import { cannotTell, clear, textsUnseen } from "./findings";
import { MAX_PODS_NAMED, type Cause, type CauseInput, type Finding } from "./types";
import { podKey, waitsForNode } from "./waiting-pods";

/** The runtime cleans up for a minute after a call was given up; a name that is still taken after twice that is not coming free. */
export const RESERVED_FOR_MS = 120_000;
/** The kubelet tries again every 10 to 25 s, and later every few minutes: an older text may be over. */
export const RESERVED_RECENT_MS = 300_000;
/** Most waiting pods whose events are read. */
const MAX_READ = 50;
const MAX_SHOWN = 4;
const MAX_ID_CHARS = 64;
const SHORT_ID_CHARS = 12;

export const sandboxNameReserved: Cause = {
  code: "sandbox-name-reserved",
  title: "A sandbox's name stays reserved",
  severity: "blocks",
  meaning:
    "The runtime gives a sandbox a name made of the pod's name, uid and attempt, and lets nobody else have it until that sandbox is gone. Here the name stays taken long after the call that took it: by a sandbox that cannot be ended, or by one that the runtime does not even list any more.",
  impact: "These pods cannot start on this node, whatever else is mended. Others are not concerned.",
  checks: [
    "Waiting pods whose newest word is that the name is reserved, for 2 min or more and for the same sandbox.",
    "The agent: whether the runtime lists that sandbox, and in which state.",
  ],
  lookAlikes: [
    { code: "daemon-slow", tells: "There the text comes for a minute or two after a call that outlived its deadline, and goes away." },
    { code: "retry-storm", tells: "There all pods say so for a while, and calls outlive their deadline all the time." },
    { code: "runtime-stuck-or-slow", tells: "There the runtime is still at work on the first call: CRI-O says at which stage." },
    { code: "teardown-failed", tells: "That is why a listed sandbox cannot be ended; it is shown first." },
  ],
  mitigation: [
    "A sandbox that is listed: `crictl inspectp ID`, then `crictl stopp ID && crictl rmp ID`. If that fails, its text names the plugin whose DEL fails.",
    "A sandbox that is not listed: only the runtime's memory knows it. Restart the runtime (`systemctl restart containerd` or crio); running containers go on.",
    "Or delete the pod, so that its controller makes one with another uid and so another name: quick, and the old name stays lost until the runtime restarts. Not for a StatefulSet whose pod must not run twice.",
    "containerd before 2.3.4 keeps the name when the DEL of a sandbox fails whose network was never finished; multus newer than 4.3 answers such a DEL with success.",
  ],
  actions: ["purge-dead-sandboxes"],
  explains: [],
  check: (input) => {
    const unseen = textsUnseen(input);
    if (unseen !== undefined) return [cannotTell(unseen, [couldNotLook("What waiting pods say", "api", unseen)])];
    const reserved = waitsForNode(input).slice(0, MAX_READ).flatMap((pod) => reservedOf(input, pod) ?? []);
    if (reserved.length === 0) return [clear("No waiting pod says for long that its sandbox's name is reserved.")];
    const list = agentPart(input, "sandboxes");
    if (!list.looked || list.truncated) return [suspected(input, reserved, list.looked ? "the runtime's list was cut" : list.reason)];
    const byId = new Map(list.items.map((item) => [item.id, item]));
    return [decided(input, reserved, byId)];
  },
};

interface Reserved {
  readonly pod: WaitingPod;
  /** Absent where the runtime does not say for whom: CRI-O. */
  readonly sandboxId?: string;
  readonly event: EventObject;
}

/** Whether the pod's newest word of its sandbox is that the name is taken, and has been for long. */
function reservedOf({ nowMs, eventsAbout }: CauseInput, pod: WaitingPod): Reserved | undefined {
  let newest: EventObject | undefined;
  for (const event of eventsAbout(pod.uid)) if ((event.reason === "FailedCreatePodSandBox" || event.reason === "SandboxChanged") && (newest === undefined || event.lastMs >= newest.lastMs)) newest = event;
  if (newest?.reason !== "FailedCreatePodSandBox" || !newest.message.includes("reserv")) return undefined;
  const id = idAfter(newest.message, 'is reserved for "') ?? idAfter(newest.message, "is reserved for ");
  if (id === undefined && !newest.message.includes("name is reserved")) return undefined;
  if (newest.lastMs - newest.firstMs < RESERVED_FOR_MS || nowMs - newest.lastMs > RESERVED_RECENT_MS) return undefined;
  return { pod, event: newest, ...(id === undefined ? {} : { sandboxId: id }) };
}

function idAfter(text: string, mark: string): string | undefined {
  const at = text.indexOf(mark);
  if (at < 0) return undefined;
  const rest = text.slice(at + mark.length, at + mark.length + MAX_ID_CHARS + 1);
  let id = "";
  for (const char of rest) {
    if (!/[0-9a-f]/.test(char)) break;
    id += char;
  }
  return id === "" ? undefined : id;
}

function decided(input: CauseInput, reserved: readonly Reserved[], byId: ReadonlyMap<string, SandboxReading>): Finding {
  const known = reserved.filter(({ sandboxId }) => sandboxId !== undefined);
  if (known.length === 0) return suspected(input, reserved, "the text does not say for which sandbox");
  const listed = known.filter(({ sandboxId = "" }) => byId.has(sandboxId));
  const lost = known.filter(({ sandboxId = "" }) => !byId.has(sandboxId));
  const at = input.report === undefined ? {} : { atMs: input.report.atMs };
  const evidence: Evidence[] = [
    ...textEvidence(reserved),
    ...listed.slice(0, MAX_SHOWN).map(({ pod, sandboxId = "" }) => seen(`Sandbox ${short(sandboxId)}, for which the name of ${podKey(pod)} is reserved`, "agent", { value: byId.get(sandboxId)?.ready === true ? "listed, ready" : "listed, not ready", ...at })),
    ...lost.slice(0, MAX_SHOWN).map(({ pod, sandboxId = "" }) => notSeen(`Sandbox ${short(sandboxId)}, for which the name of ${podKey(pod)} is reserved, in the runtime's list`, "agent", at)),
  ];
  const words = [...(listed.length === 0 ? [] : [`by ${countWords(listed.length, "sandbox", "sandboxes")} that cannot be ended`]), ...(lost.length === 0 ? [] : [`by ${countWords(lost.length, "sandbox", "sandboxes")} that the runtime does not list`])];
  return { state: "firing", certainty: "named", summary: `${heading(input, reserved)}, ${listWords(words)}.`, evidence, pods: namesIn(reserved) };
}

function suspected(input: CauseInput, reserved: readonly Reserved[], reason: string): Finding {
  return { state: "firing", certainty: "suspected", summary: `${heading(input, reserved)}.`, evidence: [...textEvidence(reserved), couldNotLook("The sandboxes for which names are reserved", "agent", reason)], pods: namesIn(reserved) };
}

function heading({ nowMs }: CauseInput, reserved: readonly Reserved[]): string {
  const oldestMs = Math.min(...reserved.map(({ event }) => event.firstMs));
  return reserved.length === 1 ? `The name of a pod's sandbox has been reserved for ${spanWords(oldestMs, nowMs)}` : `The names of ${countWords(reserved.length, "pod")}' sandboxes have been reserved for up to ${spanWords(oldestMs, nowMs)}`;
}

const textEvidence = (reserved: readonly Reserved[]): readonly Evidence[] =>
  reserved.slice(0, MAX_SHOWN).map(({ pod, event, sandboxId }) => seen(`Newest word about ${podKey(pod)}: its sandbox's name is reserved`, "api", { value: sandboxId === undefined ? "no sandbox named" : `for ${short(sandboxId)}`, atMs: event.lastMs }));
const namesIn = (reserved: readonly Reserved[]): readonly string[] => reserved.slice(0, MAX_PODS_NAMED).map(({ pod }) => podKey(pod));
const short = (id: string): string => id.slice(0, SHORT_ID_CHARS);
