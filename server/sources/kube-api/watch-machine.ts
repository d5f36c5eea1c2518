/**
 * The list+watch of one kind as a table: every state knows what to do with everything that can happen. The text of it,
 * with its invariants, is docs/develop/spec.md, "Watch of one kind".
 */
export const WATCH_STATES = ["listing", "watching", "list-pause", "watch-pause", "forbidden", "absent", "stopped"] as const;
export type WatchState = (typeof WATCH_STATES)[number];

export const WATCH_INPUTS = [
  /** The last page was read. */
  "listed",
  /** The stream ended as streams do: its time was up, or it broke after it had told something. */
  "ended",
  /** No byte for longer than the bound, after the stream had told something. */
  "stalled",
  /** A stream that told nothing at all for longer than the bound: only a list shows whether anything changed. */
  "silent",
  /** 410: what we would go on from is compacted away. */
  "gone",
  /** A resourceVersion before the last one: another history (a restored etcd). */
  "went-back",
  /** No answer, a refused connection, 401, 429, 5xx, garbage. */
  "failed",
  /** More objects than the bound of the kind. */
  "too-many",
  /** 403. */
  "forbidden",
  /** 404: the API server has no such kind. */
  "absent",
  /** A pause is over. */
  "due",
  "stopped",
] as const;
export type WatchInput = (typeof WATCH_INPUTS)[number];

export type Pause =
  | "none"
  /** A jittered breath, so that a server that ends streams at once is not hammered. */
  | "breath"
  /** Full-jitter exponential, Retry-After as its floor. */
  | "backoff"
  /** A minute or so: only a person can change it. */
  | "slow";

export interface Step {
  readonly to: WatchState;
  readonly pause: Pause;
}
/** Cannot happen; the driver treats it as a fault of ours, says so, and starts over with a list. */
export const IMPOSSIBLE = "impossible";

const to = (state: WatchState, pause: Pause = "none"): Step => ({ to: state, pause });
const STOP = to("stopped");

export const WATCH_TABLE: { readonly [S in WatchState]: { readonly [I in WatchInput]: Step | typeof IMPOSSIBLE } } = {
  listing: {
    listed: to("watching"),
    ended: IMPOSSIBLE,
    stalled: IMPOSSIBLE,
    silent: IMPOSSIBLE,
    gone: to("list-pause", "backoff"),
    "went-back": to("list-pause", "breath"),
    failed: to("list-pause", "backoff"),
    "too-many": to("list-pause", "slow"),
    forbidden: to("forbidden", "slow"),
    absent: to("absent", "slow"),
    due: IMPOSSIBLE,
    stopped: STOP,
  },
  watching: {
    listed: IMPOSSIBLE,
    ended: to("watch-pause", "breath"),
    stalled: to("watch-pause", "breath"),
    silent: to("list-pause", "breath"),
    gone: to("list-pause", "backoff"),
    "went-back": to("list-pause", "backoff"),
    failed: to("watch-pause", "backoff"),
    "too-many": to("list-pause", "slow"),
    forbidden: to("forbidden", "slow"),
    absent: to("absent", "slow"),
    due: IMPOSSIBLE,
    stopped: STOP,
  },
  "list-pause": { ...pausing("listing") },
  "watch-pause": { ...pausing("watching") },
  forbidden: { ...pausing("listing") },
  absent: { ...pausing("listing") },
  stopped: {
    listed: IMPOSSIBLE,
    ended: IMPOSSIBLE,
    stalled: IMPOSSIBLE,
    silent: IMPOSSIBLE,
    gone: IMPOSSIBLE,
    "went-back": IMPOSSIBLE,
    failed: IMPOSSIBLE,
    "too-many": IMPOSSIBLE,
    forbidden: IMPOSSIBLE,
    absent: IMPOSSIBLE,
    due: IMPOSSIBLE,
    stopped: STOP,
  },
};

function pausing(next: WatchState): { readonly [I in WatchInput]: Step | typeof IMPOSSIBLE } {
  return {
    listed: IMPOSSIBLE,
    ended: IMPOSSIBLE,
    stalled: IMPOSSIBLE,
    silent: IMPOSSIBLE,
    gone: IMPOSSIBLE,
    "went-back": IMPOSSIBLE,
    failed: IMPOSSIBLE,
    "too-many": IMPOSSIBLE,
    forbidden: IMPOSSIBLE,
    absent: IMPOSSIBLE,
    due: to(next),
    stopped: STOP,
  };
}
