import { actionReading } from "../domain/actions/reading";
import { ACTIONS } from "../domain/actions/registry";
import { VERIFY_AFTER_MS } from "../domain/actions/types";
import type { NodeView } from "../domain/node-view";
import type { Log } from "../log";
import type { ActionRun, Verifications } from "../store/state-types";
import { StoreUnwritable } from "../store/types";

/** A change that has not reached its node after this long is checked once, as what it is: not verified. */
const NEVER_SEEN_AFTER_MS = 15 * 60_000;

type ViewOf = (node: string) => NodeView | undefined;

/**
 * Looks whether applied changes have reached their nodes, and carries out the checks whose time has come. Times are in
 * the store, so a restart forgets none. A run that cannot be looked at (its plan is of another version, say) keeps no other waiting:
 * its checks say so.
 */
export function carryOutVerifications(store: Verifications, viewOf: ViewOf, nowMs: number, log: Log): void {
  try {
    for (const run of store.unseen()) lookForChange(store, run, viewOf(run.plan.node), nowMs, log);
    for (const { id, dueMs, run } of store.due(nowMs)) store.record(id, { ...checked(run, dueMs, viewOf(run.plan.node), nowMs, log), doneMs: nowMs });
  } catch (error) {
    if (!(error instanceof StoreUnwritable)) throw error;
    log.warn({ err: error }, "checks wait until the store can be written");
  }
}

function lookForChange(store: Verifications, run: ActionRun, view: NodeView | undefined, nowMs: number, log: Log): void {
  const there = view !== undefined && guarded(run, log, () => ACTIONS[run.plan.action]?.seen(run.plan, view.daemons)) === true;
  if (there) store.seen(run.id, nowMs, VERIFY_AFTER_MS.map((ms) => nowMs + ms));
  else if (nowMs - run.startedMs > NEVER_SEEN_AFTER_MS) store.giveUp(run.id, nowMs);
}

type Checked = Omit<Parameters<Verifications["record"]>[1], "doneMs">;

function checked(run: ActionRun, dueMs: number, view: NodeView | undefined, nowMs: number, log: Log): Checked {
  const notVerified = (because: string): Checked => ({ verdict: "could-not-verify", because });
  const action = ACTIONS[run.plan.action];
  if (view === undefined) return notVerified("The node is gone.");
  if (action === undefined) return notVerified("This version does not know the action.");
  const found = guarded(run, log, () => {
    const after = actionReading(view, nowMs);
    const isLast = run.verifications.every((check) => check.dueMs <= dueMs);
    const there = action.seen(run.plan, view.daemons);
    return { ...action.verify(run.before, after, there ? run.seenMs : undefined, isLast), after };
  });
  return found ?? notVerified("Sandglass failed to carry out this check; its log has the reason.");
}

/** Undefined where it throws, which is in the log then. */
function guarded<T>(run: ActionRun, log: Log, look: () => T): T | undefined {
  try {
    return look();
  } catch (err) {
    log.error({ err, run: run.id, action: run.plan.action }, "a run of an action could not be looked at");
    return undefined;
  }
}
