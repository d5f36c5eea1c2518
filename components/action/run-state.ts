import type { ActionRunOut } from "@/server/contract/schemas";

export type Check = ActionRunOut["verifications"][number];
export type VerdictWord = NonNullable<Check["verdict"]>;

/** When checks come, counted from when the change is seen on the node. */
export const CHECK_MINUTES = [1, 3, 10] as const;

/** True once nothing of a run will change any more. */
export function isSettled(run: Pick<ActionRunOut, "state" | "verifications">): boolean {
  if (run.state === "running") return false;
  if (run.state !== "applied") return true;
  return run.verifications.length > 0 && run.verifications.every((check) => check.verdict !== undefined);
}

/** Verdicts that say something about the node; the others say that nothing can be said (yet). */
const CONCLUSIVE: ReadonlySet<VerdictWord | undefined> = new Set(["worked", "no-effect", "worse"]);

/**
 * The check that a run is told by: the newest that came to a conclusion, else the newest that was made. A later check
 * that could not verify (someone changed the values again) does not undo what an earlier one saw.
 */
export const decisiveCheck = (run: Pick<ActionRunOut, "verifications">): Check | undefined =>
  run.verifications.findLast((check) => CONCLUSIVE.has(check.verdict)) ?? run.verifications.findLast((check) => check.verdict !== undefined);

export const nextCheck = (run: Pick<ActionRunOut, "verifications">): Check | undefined => run.verifications.find((check) => check.verdict === undefined);

/**
 * What a run shows as its outcome: the verdict of its decisive check, where there is none the state that it is in. "Too early" counts
 * as none while a later check is still to come.
 */
export type Outcome = VerdictWord | "running" | "failed" | "interrupted" | "waiting-to-be-seen" | "checking";

export function outcomeOf(run: Pick<ActionRunOut, "state" | "seen" | "verifications">): Outcome {
  if (run.state !== "applied") return run.state;
  const check = decisiveCheck(run);
  if (check?.verdict !== undefined && (check.verdict !== "too-early" || nextCheck(run) === undefined)) return check.verdict;
  if (check !== undefined) return "checking";
  return run.seen === undefined ? "waiting-to-be-seen" : "checking";
}

/** "+3 min" after the change was seen; a check that came without it was never seen has no such length. */
export function checkLabel(run: Pick<ActionRunOut, "seen">, check: Check): string {
  if (run.seen === undefined) return "check";
  const minutes = Math.round((Date.parse(check.due) - Date.parse(run.seen)) / 60_000);
  return minutes <= 0 ? "once" : `+${minutes} min`;
}

/** The change never reached the node, and the one check that says so was carried out at once. */
export const neverSeen = (run: Pick<ActionRunOut, "seen" | "verifications">): boolean => run.verifications.length === 1 && run.verifications[0]?.due === run.seen;

/** Runs that a node's page shows without being asked: under way, or begun in the last hour. */
const RECENT_MS = 60 * 60_000;

export function recentRun(runs: readonly ActionRunOut[], nowMs: number): ActionRunOut | undefined {
  return runs.find((run) => !isSettled(run)) ?? runs.find((run) => nowMs - Date.parse(run.started) < RECENT_MS);
}
