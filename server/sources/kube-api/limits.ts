import type { WatchedKind } from "../../domain/observation";

/** Every bound of a list or a watch, in one place; tests make some of them small. */
export interface WatchLimits {
  /** Most objects of a kind that are kept. */
  readonly maxObjects: Readonly<Record<WatchedKind, number>>;
  readonly pageSize: number;
  /** 410 inside a list: so often it is begun again in pages, after that without `limit`. */
  readonly pagedTries: number;
  /** Longest line of a watch and longest item of a list. etcd's own limit is 1.5 MB of request. */
  readonly maxObjectBytes: number;
  /** From asking for a page until its last byte; a list without pages has `listTimeoutMs`. Real time. */
  readonly pageTimeoutMs: number;
  readonly listTimeoutMs: number;
  /** Until a page or a stream begins, and the longest silence inside a page. Real time. */
  readonly answerTimeoutMs: number;
  /** A stream without a byte for this long is cut: bookmarks come about every minute. */
  readonly stallMs: number;
  /** A stream that ends sooner without having told anything did not work. */
  readonly shortStreamMs: number;
  /** Failures in a row after which a watch is given up for a new list. */
  readonly watchTries: number;
  /** We ask the server to end a stream after this long, half of it by chance. */
  readonly streamSeconds: number;
  /** Longest pause between two streams that worked. */
  readonly breathMs: number;
  /** Between two tries where only a person can help (rights, CRDs). */
  readonly slowMs: number;
  /** No list is older than this: what no watch can show (a history exchanged while we were away) is mended by then. */
  readonly relistMs: number;
  /** A status is told at least this far apart while only its time changed. */
  readonly statusMs: number;
}

/** Four times the largest cluster that Kubernetes itself is made for; events are as many as an hour of a bad day brings. */
export const MAX_OBJECTS: Readonly<Record<WatchedKind, number>> = { nodes: 20_000, pods: 400_000, events: 100_000, daemonsets: 20_000, nads: 20_000 };

export const WATCH_LIMITS: WatchLimits = {
  maxObjects: MAX_OBJECTS,
  pageSize: 500,
  pagedTries: 3,
  maxObjectBytes: 8 * 1024 * 1024,
  pageTimeoutMs: 120_000,
  listTimeoutMs: 600_000,
  answerTimeoutMs: 60_000,
  stallMs: 80_000,
  shortStreamMs: 5_000,
  watchTries: 5,
  streamSeconds: 600,
  breathMs: 1_000,
  slowMs: 60_000,
  relistMs: 6 * 3_600_000,
  statusMs: 10_000,
};
