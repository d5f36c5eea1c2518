import type { Source } from "../sources";
import type { MessageCode } from "./codes";
import { couldNotLook } from "./evidence";
import { countWords, podsOf, textEvidence, textsFor } from "./findings";
import { MAX_PODS_NAMED, type CauseInput, type ErrorGroup, type Finding } from "./types";

/**
 * What is left where the mechanism was not measured: suspected where texts of pods say so, else `otherwise`. Give it only findings that
 * do not contradict the texts: what could not be looked at, or what says nothing of the mechanism.
 *
 * @param says end of "Texts of 3 pods …"
 * @param what could not be looked at, and by which source, where `otherwise` is unknown
 */
export const textsOr = (input: CauseInput, code: MessageCode, says: string, otherwise: Finding, what: string, source: Source): Finding => groupsOr(textsFor(input, code), says, otherwise, what, source);

/** The same for texts that were picked by more than their code. */
export function groupsOr(groups: readonly ErrorGroup[], says: string, otherwise: Finding, what: string, source: Source): Finding {
  const [newest] = groups;
  if (newest === undefined) return otherwise;
  const { detail } = newest.explanation;
  const count = groups.reduce((most, group) => Math.max(most, group.count), 0);
  return {
    state: "firing",
    certainty: "suspected",
    ...(detail === undefined ? {} : { detail }),
    summary: `Texts of ${countWords(count, "pod")} ${says}`,
    evidence: [...textEvidence(groups), ...(otherwise.state === "unknown" ? [couldNotLook(what, source, otherwise.summary)] : []), ...otherwise.evidence.filter(({ look }) => look !== "could-not-look" || otherwise.state !== "unknown")],
    pods: podsOf(groups).slice(0, MAX_PODS_NAMED),
  };
}
