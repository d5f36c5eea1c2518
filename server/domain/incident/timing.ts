import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../durations";

/** How long things must last before an incident moves, milliseconds. Why these: docs/decisions/0065-when-an-incident-opens-and-closes.md */

/** A cause that blocks or risks must have fired for this long. */
export const CAUSE_HOLD_MS = 30 * SECOND_MS;
/** A *no* that no cause explains must have lasted for this long. */
export const NO_HOLD_MS = 60 * SECOND_MS;
/** Signs that are each too short open an incident all the same, the so-many-th within FLICKER_MS of the one before. */
export const FLICKERS_TO_OPEN = 3;
/** A sign that did not hold is forgotten when none came for this long. */
export const FLICKER_MS = 5 * MINUTE_MS;
/** A node must have been well without a break for this long before its incident closes. */
export const RECOVERY_HOLD_MS = 5 * MINUTE_MS;
/** A sign within this time after an incident closed reopens it, and opens no second one. */
export const REOPEN_GRACE_MS = 30 * MINUTE_MS;
/** No look at a node for longer than this: what was true before is not taken for true in between. */
export const UNSEEN_AFTER_MS = 150 * SECOND_MS;
/** A wait that began this much before its *no* still counts as that *no*'s first sign. */
export const SIGN_BEFORE_MS = 30 * MINUTE_MS;
/** No fresh sandbox for this long makes a *no* a wedge. */
export const WEDGE_MS = 10 * MINUTE_MS;

/** Nodes that turn with no more than this between one and the next turn together. */
export const FLEET_WINDOW_MS = 5 * MINUTE_MS;

/** Samples are kept as they came from this long before a *no* or *unknown* until this long after it. */
export const KEEP_AROUND_MS = HOUR_MS;
/** Of one stretch at most this much is kept; beyond it, its end and what lies around that. */
export const MAX_KEPT_STRETCH_MS = 6 * HOUR_MS;

/** The story of an incident begins this long before its first sign, so that what led there is in it. */
export const STORY_LEAD_MS = HOUR_MS;

/** Closed incidents are kept for this long, as everything else that happened is. */
export const INCIDENTS_KEPT_MS = 30 * DAY_MS;

/**
 * How many nodes that turn together make a fleet incident: three, or two in a hundred of a larger fleet, and never
 * more than ten.
 */
export function fleetThreshold(nodes: number): number {
  return Math.min(MAX_FLEET_THRESHOLD, Math.max(MIN_FLEET_THRESHOLD, Math.ceil(nodes * FLEET_SHARE)));
}
const MIN_FLEET_THRESHOLD = 3;
const MAX_FLEET_THRESHOLD = 10;
const FLEET_SHARE = 0.02;
