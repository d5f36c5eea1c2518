import type { Evidence } from "../answer";
import { countWords, lineWords, listWords } from "../words";
import type { MessageCode } from "./codes";
import type { CauseInput, ErrorGroup, Finding } from "./types";

/** Longest text of the cluster that evidence repeats; the event itself is stored whole. */
export const MAX_EVIDENCE_TEXT_CHARS = 300;
const MAX_GROUPS_SHOWN = 4;

export const clear = (summary: string, evidence: readonly Evidence[] = []): Finding => ({ state: "clear", summary, evidence });
/** `reason` is shared by every check that misses the same thing, so that they can be listed together. */
export const cannotTell = (reason: string, evidence: readonly Evidence[] = []): Finding => ({ state: "unknown", summary: reason, evidence });

/** Texts that suggest a cause, newest first. */
export const textsFor = (input: CauseInput, code: MessageCode, detail?: string): readonly ErrorGroup[] =>
  input.errors.filter(({ explanation }) => explanation.cause === code && (detail === undefined || explanation.detail === detail));

/** One evidence item for each group of texts. */
export const textEvidence = (groups: readonly ErrorGroup[]): readonly Evidence[] =>
  groups.slice(0, MAX_GROUPS_SHOWN).map(({ text, explanation, count, lastMs }) => ({
    what: `Text of ${countWords(count, "pod")}${explanation.because[0] === undefined ? "" : `: ${explanation.because[0].says}`}`,
    look: "seen",
    value: excerptOf(text, explanation.because[0]?.text),
    atMs: lastMs,
    source: "api",
  }));

/** How much of what stands before the telling piece is repeated with it. */
const LEAD_CHARS = 80;

/** So much of a text as evidence repeats: from its beginning, or where what tells something lies too far back, from a little before that. */
function excerptOf(text: string, telling: string | undefined): string {
  const at = telling === undefined ? -1 : text.indexOf(telling);
  const isCut = at >= 0 && at + (telling?.length ?? 0) >= MAX_EVIDENCE_TEXT_CHARS;
  return isCut && at > LEAD_CHARS ? `… ${lineWords(text.slice(at - LEAD_CHARS), MAX_EVIDENCE_TEXT_CHARS - 2)}` : lineWords(text, MAX_EVIDENCE_TEXT_CHARS);
}

export const podsOf = (groups: readonly ErrorGroup[]): readonly string[] => [...new Set(groups.flatMap(({ pods }) => pods))];

/** Whether texts can be read at all now, or why not. */
export function textsUnseen(input: CauseInput): string | undefined {
  const api = input.source("api");
  if (api.freshness !== "fresh") return `The Kubernetes API tells nothing current about this node: ${api.reason ?? "it is not heard"}`;
  const events = input.kind("events");
  return events.seen ? undefined : `Events cannot be seen: ${events.reason}`;
}

/** Why nothing of the kubelet's own pages can be used now; `undefined` where they are fresh, from the kubelet or from a store that has them. */
export function kubeletUnseen(input: CauseInput): string | undefined {
  const kubelet = input.source("kubelet");
  return [kubelet, input.source("prometheus")].some(({ freshness }) => freshness === "fresh") ? undefined : `The kubelet is not read: ${kubelet.reason ?? "it is not heard"}`;
}

/** Why nothing of the node's agent can be used now; `undefined` where its report is fresh. */
export function agentUnseen(input: CauseInput): string | undefined {
  if (input.report !== undefined) return undefined;
  return `The node's agent is not heard: ${input.source("agent").reason ?? "no agent on this node"}`;
}

export { countWords, lineWords, listWords };
