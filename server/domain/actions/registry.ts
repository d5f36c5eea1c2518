import type { DaemonView } from "../node-view";
import type { NodePlanInput } from "./node-plan";
import { DEFAULT_PARALLEL, planPurgeDeadSandboxes, PURGE_DEAD_SANDBOXES, verifyPurgeDeadSandboxes } from "./purge-dead-sandboxes";
import { SET_DAEMON_RESOURCES, seenSetDaemonResources, verifySetDaemonResources, type SetDaemonResourcesParams } from "./set-daemon-resources";
import { DEFAULT_WAIT_SECONDS, MOVE_BUSY_SHIM_ASIDE, planMoveBusyShimAside, verifyMoveBusyShimAside } from "./move-busy-shim-aside";
import { planRemoveBrokenCacheEntry, REMOVE_BROKEN_CACHE_ENTRY, verifyRemoveBrokenCacheEntry } from "./remove-broken-cache-entry";
import type { ActionReading, Plan, Verification } from "./types";
import type { NodeAction, NodeActionParams } from "./work-order";

/** What the collector needs of every action after it was made: whether it arrived, and what came of it. */
export interface ActionKind {
  readonly seen: (plan: Plan, daemons: readonly DaemonView[]) => boolean;
  readonly verify: (before: ActionReading, after: ActionReading, seenMs: number | undefined, isLast: boolean) => Verification;
}

/** One entry an action; its plan was made by the same file, so its parameters have that file's shape. */
export const ACTIONS: Readonly<Record<string, ActionKind>> = {
  [SET_DAEMON_RESOURCES]: {
    seen: (plan, daemons) => seenSetDaemonResources(plan as Plan<SetDaemonResourcesParams>, daemons),
    verify: verifySetDaemonResources,
  },
  [PURGE_DEAD_SANDBOXES]: { seen: agentSaidSo, verify: verifyPurgeDeadSandboxes },
  [MOVE_BUSY_SHIM_ASIDE]: { seen: agentSaidSo, verify: verifyMoveBusyShimAside },
  [REMOVE_BROKEN_CACHE_ENTRY]: { seen: agentSaidSo, verify: verifyRemoveBrokenCacheEntry },
};

/** A run of a node action is applied once its agent said that it was done: that is when it is seen. */
function agentSaidSo(): boolean {
  return true;
}

/** What a button says, and the values that it begins with. */
export const NODE_OFFERS: Readonly<Record<NodeAction, { readonly title: string; readonly params: NodeActionParams }>> = {
  [PURGE_DEAD_SANDBOXES]: { title: "Remove dead sandboxes that nobody needs", params: { parallel: DEFAULT_PARALLEL } },
  [MOVE_BUSY_SHIM_ASIDE]: { title: "Move the busy program aside for its installer", params: { waitSeconds: DEFAULT_WAIT_SECONDS } },
  [REMOVE_BROKEN_CACHE_ENTRY]: { title: "Move broken entries of the CNI caches aside", params: {} },
};

/** How each node action is planned. */
export const NODE_PLANS: Readonly<Record<NodeAction, (input: NodePlanInput) => Plan<NodeActionParams>>> = {
  [PURGE_DEAD_SANDBOXES]: planPurgeDeadSandboxes,
  [MOVE_BUSY_SHIM_ASIDE]: planMoveBusyShimAside,
  [REMOVE_BROKEN_CACHE_ENTRY]: planRemoveBrokenCacheEntry,
};
