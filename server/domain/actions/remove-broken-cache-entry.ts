import { nodePlan, type NodePlanInput } from "./node-plan";
import type { ActionReading, Plan, Verification } from "./types";
import type { NodeActionParams } from "./work-order";

export const REMOVE_BROKEN_CACHE_ENTRY = "remove-broken-cache-entry";
const FOLDERS = "/var/lib/cni/results, /var/lib/cni/multus/results and /var/lib/cni/multus";

/** Moves entries of CNI caches that are empty or do not parse into a folder beside them. Pure; refusals stand in the plan. */
export function planRemoveBrokenCacheEntry(input: NodePlanInput): Plan<NodeActionParams> {
  return nodePlan(input, {
    action: REMOVE_BROKEN_CACHE_ENTRY,
    title: `Move broken entries of the CNI caches of ${input.view.name} aside`,
    params: {},
    writes: [
      { title: `For each broken entry of ${FOLDERS}: look again whether it is a plain file that is empty or does not parse, was not written for a minute, and is of no ready sandbox; then give it a name in the quarantine`, writes: true, nodeCall: { kind: "FILE", what: "link FOLDER/ENTRY → /var/lib/cni/sandglass-quarantine/TIME FOLDER ENTRY" } },
      { title: "Then take its old name away", writes: true, nodeCall: { kind: "FILE", what: "unlink FOLDER/ENTRY" } },
    ],
    atOnce: "1 entry",
    hazards: [
      { title: "The teardown of its sandbox goes on without it.", detail: "Most plugins take a missing entry for nothing left to do: what the sandbox still holds (an address, a link on the host) stays until something else frees it." },
      { title: "Leases are not touched.", detail: "An empty lease file keeps its address: whether it is in use cannot be told from it." },
    ],
    refusals: [],
    undo: "By hand: move the file from /var/lib/cni/sandglass-quarantine back to its folder. Nothing is deleted.",
    passRule: "Worked: fewer dead sandboxes than before (where their number is not known, fewer waiting pods). No effect: not fewer at the last check. Worse: the node turned to no.",
  });
}

/** Compares what a broken entry holds up; `seenMs` is when the agent was done. */
export function verifyRemoveBrokenCacheEntry(before: ActionReading, after: ActionReading, seenMs: number | undefined, isLast: boolean): Verification {
  if (seenMs === undefined) return { verdict: "could-not-verify", because: "The agent did not say that it was done." };
  if (after.answer === "unknown") return { verdict: "could-not-verify", because: "The node's sources are stale, so there is nothing to compare." };
  if (before.answer === "yes" && after.answer === "no") return { verdict: "worse", because: "The node could start pods before and cannot now." };
  const known = before.dead !== undefined && after.dead !== undefined ? { what: "dead sandboxes", before: before.dead, after: after.dead } : before.waiting !== undefined && after.waiting !== undefined ? { what: "waiting pods", before: before.waiting, after: after.waiting } : undefined;
  if (known === undefined) return { verdict: "could-not-verify", because: "Neither dead sandboxes nor waiting pods are known for both moments." };
  const numbers = `${known.before} ${known.what} before, ${known.after} now`;
  if (known.after < known.before) return { verdict: "worked", because: `${numbers}.` };
  return { verdict: isLast ? "no-effect" : "too-early", because: `${numbers}.` };
}
