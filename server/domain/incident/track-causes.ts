import type { CauseCode } from "../causes/codes";
import { isSeen, seriousCauses, type SeriousCause } from "./condition";
import { MAX_CAUSES_KEPT, MAX_EVIDENCE_KEPT, type IncidentCause, type IncidentEntry, type NodeLook } from "./types";

/** A cause that fires at this look, root or consequence. */
type Present = SeriousCause & { readonly under?: CauseCode; readonly underTitle?: string };

export const causeKey = ({ code, detail }: { readonly code: CauseCode; readonly detail?: string }): string => (detail === undefined ? code : `${code} ${detail}`);

/**
 * The causes that an incident remembers after one more look: those that fire merged in, those that ended marked with
 * when, those that cannot be looked for marked so. None is forgotten while it has not ended.
 */
export function trackCauses(before: readonly IncidentCause[], look: NodeLook, nowMs: number): { readonly causes: readonly IncidentCause[]; readonly entries: readonly IncidentEntry[] } {
  const entries: IncidentEntry[] = [];
  const tell = (kind: IncidentEntry["kind"], atMs: number, text: string, detail?: string): void => {
    entries.push({ atMs, kind, text, ...(detail === undefined ? {} : { detail }) });
  };
  const present = presentCauses(look);
  const causes = before.map((old): IncidentCause => {
    const found = present.get(causeKey(old));
    present.delete(causeKey(old));
    return found === undefined ? absent(old, look, nowMs, tell) : again(old, found, nowMs, tell);
  });
  for (const found of present.values()) {
    causes.push(begun(found, nowMs));
    tell("cause-began", Math.min(found.sinceMs, nowMs), `${found.title}${found.certainty === "suspected" ? ", suspected" : ""}`, withUnder(found));
  }
  return { causes: bounded(causes), entries };
}

type Tell = (kind: IncidentEntry["kind"], atMs: number, text: string, detail?: string) => void;

function presentCauses(look: NodeLook): Map<string, Present> {
  const present = new Map<string, Present>();
  const rootOf = new Map(look.causes.flatMap((root) => root.consequences.map((consequence) => [causeKey(consequence), root] as const)));
  for (const cause of seriousCauses(look)) {
    const under = rootOf.get(causeKey(cause));
    present.set(causeKey(cause), under === undefined ? cause : { ...cause, under: under.code, underTitle: under.title });
  }
  return present;
}

const withUnder = ({ summary, underTitle }: Present): string => (underTitle === undefined ? summary : `${summary} Brought about by: ${underTitle}.`);

function begun(found: Present, nowMs: number): IncidentCause {
  const sinceMs = Math.min(found.sinceMs, nowMs);
  return { ...facts(found), code: found.code, ...(found.detail === undefined ? {} : { detail: found.detail }), severity: found.severity, certainty: found.certainty, state: "firing", firstMs: sinceMs, sinceMs, seenMs: nowMs, times: 1 };
}

function facts(found: Present): Pick<IncidentCause, "title" | "summary" | "evidence" | "pods" | "under"> {
  return {
    title: found.title,
    summary: found.summary,
    evidence: found.evidence.slice(0, MAX_EVIDENCE_KEPT),
    ...(found.pods === undefined ? {} : { pods: found.pods }),
    ...(found.under === undefined ? {} : { under: found.under }),
  };
}

function again(old: IncidentCause, found: Present, nowMs: number, tell: Tell): IncidentCause {
  const { toMs: _to, reason: _reason, under: _under, pods: _pods, ...kept } = old;
  const named = old.certainty === "named" || found.certainty === "named";
  if (old.state === "ended") tell("cause-again", Math.max(found.sinceMs, old.toMs ?? 0), `Again: ${found.title}`, withUnder(found));
  if (old.state === "unseen") tell("cause-seen-again", nowMs, `Seen again: ${found.title}`, found.summary);
  if (old.certainty === "suspected" && named) tell("cause-named", nowMs, `Measured now, no longer only suspected: ${found.title}`, found.summary);
  return {
    ...kept,
    ...facts(found),
    severity: old.severity === "blocks" ? "blocks" : found.severity,
    certainty: named ? "named" : "suspected",
    state: "firing",
    sinceMs: old.state === "ended" ? Math.max(found.sinceMs, old.toMs ?? 0) : old.sinceMs,
    seenMs: nowMs,
    times: old.state === "ended" ? old.times + 1 : old.times,
  };
}

function absent(old: IncidentCause, look: NodeLook, nowMs: number, tell: Tell): IncidentCause {
  if (old.state === "ended") return old;
  const unseen = unseenBecause(old, look);
  if (unseen === undefined) return ended(old, nowMs, tell, `Over: ${old.title}`, "What it was told by is looked at and does not show it any more.");
  if (isDisproved(old, look)) return ended(old, nowMs, tell, `Blocks no more: ${old.title}`, `It cannot be looked for (${unseen}), and a sandbox became ready since it was last seen.`);
  if (old.state === "firing") tell("cause-unseen", nowMs, `Cannot be looked for: ${old.title}`, unseen);
  return { ...old, state: "unseen", reason: unseen, toMs: old.state === "unseen" ? (old.toMs ?? nowMs) : nowMs };
}

function unseenBecause(old: IncidentCause, look: NodeLook): string | undefined {
  if (!isSeen(look)) return "no source of this node is fresh";
  const suspended = look.suspendedCauses.find((cause) => causeKey(cause) === causeKey(old));
  return suspended?.reason ?? look.unknownCauses.find(({ codes }) => codes.includes(old.code))?.reason;
}

function ended(old: IncidentCause, nowMs: number, tell: Tell, text: string, detail: string): IncidentCause {
  const { reason: _reason, ...kept } = old;
  tell("cause-ended", nowMs, text, detail);
  return { ...kept, state: "ended", toMs: nowMs };
}

/** What blocked does not block where a sandbox became ready since; a risk is not disproved by that. */
const isDisproved = (old: IncidentCause, look: NodeLook): boolean => old.severity === "blocks" && look.answer.state === "yes" && !look.answer.atRisk && (look.lastFreshMs ?? 0) > old.seenMs;

/** Too many: those that ended longest ago go. */
function bounded(causes: IncidentCause[]): readonly IncidentCause[] {
  if (causes.length <= MAX_CAUSES_KEPT) return causes;
  const expendable = causes.filter(({ state }) => state === "ended").sort((a, b) => (a.toMs ?? 0) - (b.toMs ?? 0));
  const dropped = new Set(expendable.slice(0, causes.length - MAX_CAUSES_KEPT));
  return causes.filter((cause) => !dropped.has(cause)).slice(0, MAX_CAUSES_KEPT);
}
