import type { Evidence } from "../answer";
import type { CauseCode, MessageCode } from "./codes";
import { couldNotLook } from "./evidence";
import { cannotTell, clear, countWords, podsOf, textEvidence, textsFor, textsUnseen } from "./findings";
import { MAX_PODS_NAMED, type CauseInput, type ErrorGroup, type Finding } from "./types";
import { milderForOwnRequests } from "./waiting-pods";

/** A sandbox that failed is tried again after 10 to 15 s: what the next try mends is no cause yet. */
export const NEXT_TRY_MS = 30_000;

/** Texts of one cause whose pods have had their next try; of pods that are being torn down all. */
export const lastingTexts = (input: CauseInput, code: MessageCode): readonly ErrorGroup[] =>
  textsFor(input, code).filter(({ waitingSinceMs }) => waitingSinceMs === undefined || input.nowMs - waitingSinceMs >= NEXT_TRY_MS);

export interface Said {
  /** End of "Texts of 3 pods …". */
  readonly says: string;
  /** What else was looked at, shown beside the texts. */
  readonly beside?: readonly Evidence[];
  readonly explains?: readonly CauseCode[];
}

/** The finding of texts that last; the detail that they agree on, so that it does not change with whatever is said last. */
export function suspectedOf(input: CauseInput, groups: readonly ErrorGroup[], { says, beside = [], explains }: Said): Finding {
  const count = groups.reduce((most, group) => Math.max(most, group.count), 0);
  const details = new Set(groups.map(({ explanation }) => explanation.detail));
  const [detail] = details.size === 1 ? details : [];
  return {
    state: "firing",
    certainty: "suspected",
    ...(detail === undefined ? {} : { detail }),
    ...milderForOwnRequests(input, groups),
    ...(explains === undefined ? {} : { explains }),
    summary: `Texts of ${countWords(count, "pod")} ${says}`,
    evidence: [...textEvidence(groups), ...beside],
    pods: podsOf(groups).slice(0, MAX_PODS_NAMED),
  };
}

/** The check of a cause of which only texts tell: suspected while they last, unknown where they cannot be read. */
export function saidByPods(input: CauseInput, code: MessageCode, said: Said): readonly Finding[] {
  const groups = lastingTexts(input, code);
  return groups.length > 0 ? [suspectedOf(input, groups, said)] : [nothingSaid(input, code)];
}

/** Clear where texts can be read and none lasts. */
export function nothingSaid(input: CauseInput, code: MessageCode): Finding {
  const unseen = textsUnseen(input);
  if (unseen !== undefined) return cannotTell(unseen, [couldNotLook("Texts of pods without a sandbox", "api", unseen)]);
  return clear(textsFor(input, code).length === 0 ? "No pod without a sandbox says so." : "A pod says so that began to wait a moment ago; its next try is to come.");
}
