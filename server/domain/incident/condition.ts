import { allFiring } from "../causes/diagnose";
import type { FiringCause } from "../causes/types";
import type { IncidentCause, IncidentSeverity, NodeLook } from "./types";

/** What one look at a node shows, before time is counted. The words are those of INCIDENT_INPUTS. */
export type Condition = "sick" | "mixed" | "well" | "blind";

/** A firing cause that an incident remembers. A notice is worth mending and is no incident. */
export type SeriousCause = FiringCause & { readonly severity: IncidentSeverity };
export const seriousCauses = (look: NodeLook): readonly SeriousCause[] => (isSeen(look) ? allFiring(look).filter((cause): cause is SeriousCause => cause.severity !== "notice") : []);

/** False where every source of the node is stale: what its view still holds is of before. */
export const isSeen = (look: NodeLook): boolean => look.sources.some(({ freshness }) => freshness === "fresh");
export const isApiFresh = (look: NodeLook): boolean => look.sources.some(({ source, freshness }) => source === "api" && freshness === "fresh");

/** The causes that make a node sick: measured ones, and where pods are stuck those as well that a text alone suggests. That nothing says why is no cause. */
export function signsOf(look: NodeLook): readonly SeriousCause[] {
  const isStuck = look.answer.state === "no" || look.counts.stuck > 0;
  return seriousCauses(look).filter(({ code, certainty }) => certainty === "named" || (isStuck && code !== "unknown"));
}

/**
 * What the look shows. `causes` are those that the node's incident remembers: while one of them has not ended and cannot
 * be looked for, a *yes* is not taken for recovery, since nobody can say that it is over.
 */
export function conditionOf(look: NodeLook, causes: readonly IncidentCause[]): Condition {
  if (!isSeen(look)) return "blind";
  if (look.answer.state === "no" || signsOf(look).length > 0) return "sick";
  if (look.answer.state === "unknown" || causes.some(({ state }) => state === "unseen")) return "blind";
  return look.answer.atRisk ? "mixed" : "well";
}

/** Since when the node is sick: its oldest sign. Only for a look that shows it sick. */
export function sickSinceMs(look: NodeLook, nowMs: number, severity?: IncidentSeverity): number {
  const sinces = signsOf(look).flatMap((cause) => (severity === undefined || cause.severity === severity ? [cause.sinceMs] : []));
  if (look.answer.state === "no") sinces.push(look.answer.sinceMs);
  return Math.min(nowMs, ...sinces);
}

/** How bad the look shows the node to be. */
export const severityOf = (look: NodeLook): IncidentSeverity => (look.answer.state === "no" || signsOf(look).some(({ severity }) => severity === "blocks") ? "blocks" : "risks");
