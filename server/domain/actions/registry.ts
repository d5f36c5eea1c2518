import type { DaemonView } from "../node-view";
import { SET_DAEMON_RESOURCES, seenSetDaemonResources, verifySetDaemonResources, type SetDaemonResourcesParams } from "./set-daemon-resources";
import type { ActionReading, Plan, Verification } from "./types";

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
};
