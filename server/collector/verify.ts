import { actionReading } from "../domain/actions/reading";
import { ACTIONS } from "../domain/actions/registry";
import { VERIFY_AFTER_MS } from "../domain/actions/types";
import type { NodeView } from "../domain/node-view";
import type { Log } from "../log";
import type { ActionRun, Verifications } from "../store/state-types";
import { StoreUnwritable } from "../store/types";

/** A change that has not reached its node after this long is checked once, as what it is: not verified. */
const NEVER_SEEN_AFTER_MS = 15 * 60_000;

/**
 * Looks whether applied changes have reached their nodes, and carries out the checks whose time has come. Times are in
 * the store, so a restart forgets none.
 */
export function carryOutVerifications(store: Verifications, viewOf: (node: string) => NodeView | undefined, nowMs: number, log: Log): void {
  try {
    for (const run of store.unseen()) lookForChange(store, run, viewOf(run.plan.node), nowMs);
    for (const { id, dueMs, run } of store.due(nowMs)) {
      const view = viewOf(run.plan.node);
      const action = ACTIONS[run.plan.action];
      if (action === undefined || view === undefined) {
        store.record(id, { verdict: "could-not-verify", because: view === undefined ? "The node is gone." : "This version does not know the action.", doneMs: nowMs });
        continue;
      }
      const after = actionReading(view, nowMs);
      const isLast = run.verifications.every((check) => check.dueMs <= dueMs);
      const there = action.seen(run.plan, view.daemons);
      const { verdict, because } = action.verify(run.before, after, there ? run.seenMs : undefined, isLast);
      store.record(id, { verdict, because, doneMs: nowMs, after });
    }
  } catch (error) {
    if (!(error instanceof StoreUnwritable)) throw error;
    log.warn({ err: error }, "checks wait until the store can be written");
  }
}

function lookForChange(store: Verifications, run: ActionRun, view: NodeView | undefined, nowMs: number): void {
  const there = view !== undefined && ACTIONS[run.plan.action]?.seen(run.plan, view.daemons) === true;
  if (there) store.seen(run.id, nowMs, VERIFY_AFTER_MS.map((ms) => nowMs + ms));
  else if (nowMs - run.startedMs > NEVER_SEEN_AFTER_MS) store.giveUp(run.id, nowMs);
}
