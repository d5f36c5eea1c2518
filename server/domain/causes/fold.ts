import type { CauseCode } from "./codes";
import { MAX_PODS_NAMED, type CauseView, type FiringCause } from "./types";

/** What the fold reads of a cause's metadata: which causes it brings about, and whether it is a symptom. */
export interface Kin {
  readonly explains: readonly CauseCode[];
  readonly symptom?: boolean;
}
export type KinOf = (code: CauseCode) => Kin;

/**
 * Firing causes as roots with their consequences folded under them, each cause shown once. One explains another where its
 * metadata says so (or the finding, where it brings about less), over any number of steps; what is only suspected explains nothing that was measured, but for a symptom of the same pods. Where several roots explain one,
 * the first in the order given has it; of causes that explain each other in a circle, the first is the root.
 */
export function foldCauses(firing: readonly FiringCause[], kinOf: KinOf): readonly CauseView[] {
  const reach = firing.map((cause) => reachable(cause, firing, kinOf));
  const roots = firing.filter((cause, index) => !firing.some((other, at) => other !== cause && reach[at]?.includes(cause) === true && !(reach[index]?.includes(other) === true && index < at)));
  const shown = new Set<FiringCause>(roots);
  return roots.map((root) => {
    const consequences = (reach[firing.indexOf(root)] ?? []).filter((cause) => !shown.has(cause));
    for (const cause of consequences) shown.add(cause);
    return { ...root, consequences };
  });
}

/** All firing causes that one explains, breadth first: nearest first. */
function reachable(from: FiringCause, firing: readonly FiringCause[], kinOf: KinOf): readonly FiringCause[] {
  const found: FiringCause[] = [];
  const queue: FiringCause[] = [from];
  for (let cause = queue.shift(); cause !== undefined; cause = queue.shift()) {
    const codes = cause.explains ?? kinOf(cause.code).explains;
    for (const next of firing) {
      if (next === from || found.includes(next) || !codes.includes(next.code)) continue;
      if (cause.certainty === "suspected" && next.certainty === "named" && !(kinOf(next.code).symptom === true && hurtsTheSame(cause, next))) continue;
      found.push(next);
      queue.push(next);
    }
  }
  return found;
}

/** Whether every pod that one names is among the other's; of lists that were cut, whether any is. */
function hurtsTheSame({ pods: by = [] }: FiringCause, { pods = [] }: FiringCause): boolean {
  const shared = pods.filter((pod) => by.includes(pod)).length;
  return shared > 0 && (shared === pods.length || by.length >= MAX_PODS_NAMED);
}
