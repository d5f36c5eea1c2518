import type { CauseCode } from "./codes";
import type { CauseView, FiringCause } from "./types";

/** Which causes one brings about, by its metadata. */
export type Explains = (code: CauseCode) => readonly CauseCode[];

/**
 * Firing causes as roots with their consequences folded under them, each cause shown once. One explains another where its
 * metadata says so (or the finding, where it brings about less), over any number of steps; what is only suspected explains nothing that was measured. Where several roots explain one,
 * the first in the order given has it; of causes that explain each other in a circle, the first is the root.
 */
export function foldCauses(firing: readonly FiringCause[], explains: Explains): readonly CauseView[] {
  const reach = firing.map((cause) => reachable(cause, firing, explains));
  const roots = firing.filter((cause, index) => !firing.some((other, at) => other !== cause && reach[at]?.includes(cause) === true && !(reach[index]?.includes(other) === true && index < at)));
  const shown = new Set<FiringCause>(roots);
  return roots.map((root) => {
    const consequences = (reach[firing.indexOf(root)] ?? []).filter((cause) => !shown.has(cause));
    for (const cause of consequences) shown.add(cause);
    return { ...root, consequences };
  });
}

/** All firing causes that one explains, breadth first: nearest first. */
function reachable(from: FiringCause, firing: readonly FiringCause[], explains: Explains): readonly FiringCause[] {
  const found: FiringCause[] = [];
  const queue: FiringCause[] = [from];
  for (let cause = queue.shift(); cause !== undefined; cause = queue.shift()) {
    const codes = cause.explains ?? explains(cause.code);
    for (const next of firing) {
      if (next === from || found.includes(next) || !codes.includes(next.code)) continue;
      if (cause.certainty === "suspected" && next.certainty === "named") continue;
      found.push(next);
      queue.push(next);
    }
  }
  return found;
}
