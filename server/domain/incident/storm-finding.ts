import type { Evidence } from "../answer";
import { countWords, spanWords } from "../words";
import { sharedWords } from "./shared-traits";
import { causeKey } from "./track-causes";
import type { FleetIncident } from "./types";

/**
 * What a fleet incident finds of the cause `storm-of-nodes`: how many turned within how long, and what they share. It is
 * measured, never suspected; that they share nothing is a finding too.
 */
export function stormFinding(fleet: FleetIncident): { readonly summary: string; readonly evidence: readonly Evidence[] } {
  const { members, signMs, lastTurnMs, shared, sameCause, causes } = fleet;
  const cause = causes.find((one) => causeKey(one) === sameCause)?.title ?? sameCause;
  const together = sameCause === undefined ? `${countWords(members, "node")} turned within ${spanWords(signMs, lastTurnMs)}.` : `${countWords(members, "node")} had the same cause at the first look at them: ${cause}.`;
  return {
    summary: `${together} ${sharedWords(shared)}`,
    evidence: [
      { what: sameCause === undefined ? "Nodes that turned together" : "Nodes with the same cause at the first look", look: "seen", value: members, unit: "count", atMs: signMs, source: "api" },
      ...(sameCause === undefined ? [{ what: "From the first to the last of them", look: "seen" as const, value: (lastTurnMs - signMs) / 1_000, unit: "seconds", atMs: lastTurnMs, source: "api" as const }] : []),
      ...shared.shared.flatMap(({ trait, value, sick, sickKnown, well, wellKnown }): readonly Evidence[] => [
        { what: `Sick nodes with ${trait} ${value}`, look: "seen", value: `${sick} of ${sickKnown}`, atMs: lastTurnMs, source: "api" },
        { what: `Well nodes with ${trait} ${value}`, look: well > 0 ? "seen" : "not-seen", value: `${well} of ${wellKnown}`, atMs: lastTurnMs, source: "api" },
      ]),
      ...(shared.shared.length > 0 ? [] : [blindOrNone(shared.well)]),
    ],
  };
}

const WHAT = "A trait that tells the sick nodes from the well ones";
const blindOrNone = (well: number): Evidence => (well === 0 ? { what: WHAT, look: "could-not-look", reason: "no node is well", source: "api" } : { what: WHAT, look: "not-seen", source: "api" });
