import { countWords, durationWords, instantWords, listWords, spanWords } from "../words";
import { leadingCause } from "./fleet";
import { WEDGE_MS } from "./timing";
import type { FleetIncident, Incident, NodeIncident } from "./types";

/**
 * Whether pods start in between. `wedge`: no sandbox has become ready for WEDGE_MS while it was sick; `flap`: some did, and it
 * was sick again; `undecided`: too early to tell. Absent where the answer never was *no*.
 */
export type Nature = "wedge" | "flap" | "undecided";

/** Told apart by fresh sandboxes alone, since the texts of both are the same. */
export function natureOf(incident: NodeIncident, nowMs: number): Nature | undefined {
  if (incident.noMs === undefined) return undefined;
  const endMs = incident.recoveredMs ?? incident.closedMs ?? nowMs;
  if (endMs - Math.max(incident.noMs, incident.startedMs ?? 0) >= WEDGE_MS) return "wedge";
  return incident.startedMs === undefined ? "undecided" : "flap";
}

/** A title that a person may replace: what happened to whom, and for how long once it is over. */
export function titleOf(incident: Incident): string {
  return incident.scope === "fleet" ? fleetTitle(incident) : nodeTitle(incident);
}

function nodeTitle(incident: NodeIncident): string {
  const { node, state, closedMs, noMs, signMs } = incident;
  const cause = leadingCause(incident);
  const what = cause === undefined ? "" : `: ${cause.title}`;
  if (noMs === undefined) return `${node} ${state === "closed" ? "was" : "is"} at risk${what}`;
  return state === "closed" && closedMs !== undefined ? `${node} could not start pods for ${spanWords(signMs, incident.recoveredMs ?? closedMs)}${what}` : `${node} cannot start pods${what}`;
}

/** "4 nodes sick", "1 node sick and 3 nodes closed": what there is none of is not told. */
function standWords({ open, unknown, recovering, closed }: FleetIncident["now"]): string {
  const stands = [[open, "sick"], [unknown, "unknown"], [recovering, "recovering"], [closed, "closed"]] as const;
  return listWords(stands.flatMap(([count, word]) => (count === 0 ? [] : [`${countWords(count, "node")} ${word}`])), stands.length);
}

function fleetTitle({ members, severity, state, signMs, lastTurnMs, sameCause, causes }: FleetIncident): string {
  const cannot = severity === "blocks" ? (state === "closed" ? "could not start pods" : "cannot start pods") : state === "closed" ? "were at risk" : "are at risk";
  if (sameCause !== undefined) return `${countWords(members, "node")} ${cannot}: ${causes[0]?.title ?? sameCause}`;
  return `${countWords(members, "node")} ${cannot}, turned within ${durationWords((lastTurnMs - signMs) / 1_000)}`;
}

/** The sentence under the title: what is known of it now. */
export function leadOf(incident: Incident, nowMs: number): string {
  if (incident.state === "unknown") return incident.scope === "node" ? `Unknown: ${incident.causes.find(({ state }) => state === "unseen")?.reason ?? incident.answer.summary}` : "Unknown: no node of it is known to be sick, and of some it cannot be told.";
  if (incident.scope === "fleet") return incident.members === 0 ? "Its nodes went over to other incidents." : `${standWords(incident.now)}.`;
  if (incident.state === "closed") return incident.closedBecause === "node-gone" ? "The node left the cluster; whether it had recovered is not known." : `Recovered ${instantWords(incident.recoveredMs ?? incident.closedMs ?? nowMs, nowMs)}.`;
  return incident.answer.summary;
}

export const NATURE_WORDS: Readonly<Record<Nature, string>> = {
  wedge: "A wedge: no sandbox became ready for ten minutes and more while it was sick.",
  flap: "A flap: sandboxes became ready in between, and it was sick again.",
  undecided: "Too early to tell a wedge from a flap.",
};
