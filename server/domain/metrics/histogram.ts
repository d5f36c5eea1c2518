import { isCount } from "./counter";

/** Cumulative counts by upper bound in ascending order; the last bound is +Infinity. */
export type CumulativeBuckets = readonly { readonly upTo: number; readonly count: number }[];

/** `count` observations of which only the bucket is known: above `low`, up to `high`. */
export interface Interval {
  readonly low: number;
  /** `undefined`: above the last finite bucket, so no upper edge is known. */
  readonly high: number | undefined;
  readonly count: number;
}

/** Where a percentile lies. `high` is `undefined` above the last finite bucket: "> 745 s". */
export interface Range {
  readonly low: number;
  readonly high: number | undefined;
}

/** Most buckets of one histogram that are looked at; the kubelet's have 15. */
export const MAX_BUCKETS = 64;

/**
 * True where the buckets can be a histogram: bounds ascend, the last is +Infinity, and cumulative counts never fall.
 * Anything else is not repaired, because a guess would look like a measurement.
 */
export function isHistogram(buckets: CumulativeBuckets): boolean {
  if (buckets.length === 0 || buckets.length > MAX_BUCKETS || buckets.at(-1)?.upTo !== Infinity) return false;
  let bound = -Infinity;
  let count = 0;
  for (const bucket of buckets) {
    if (!(bucket.upTo > bound) || !isCount(bucket.count) || bucket.count < count) return false;
    bound = bucket.upTo;
    count = bucket.count;
  }
  return true;
}

/** The observations of a histogram, bucket by bucket, empty buckets left out. Bounds are in the histogram's unit. */
export function toIntervals(buckets: CumulativeBuckets): Interval[] {
  const intervals: Interval[] = [];
  let low = 0;
  let below = 0;
  for (const { upTo, count } of buckets) {
    if (count > below) intervals.push({ low: Math.min(low, upTo), high: upTo === Infinity ? undefined : upTo, count: count - below });
    below = count;
    low = Math.max(0, upTo);
  }
  return intervals;
}

/**
 * The observations that a histogram gained from one reading to the next, bucket by bucket.
 *
 * Where any bucket holds less than before, where the bounds differ, or where `restarted` says so, the histogram began
 * anew, so all that it holds now was gained.
 *
 * @returns `undefined` where there is no reading before and nothing tells that it began at zero since
 */
export function histogramIncrease(before: CumulativeBuckets | undefined, after: CumulativeBuckets, restarted = false): Interval[] | undefined {
  if (!isHistogram(after)) return undefined;
  if (restarted) return toIntervals(after);
  if (before === undefined || !isHistogram(before)) return undefined;
  if (!sameBounds(before, after)) return toIntervals(after);
  const gained = after.map((bucket, index) => ({ upTo: bucket.upTo, count: bucket.count - (before[index]?.count ?? 0) }));
  return isHistogram(gained) ? toIntervals(gained) : toIntervals(after);
}

/**
 * Where the given share of the observations lies, as far as buckets can tell: the k-th smallest observation is at least
 * the k-th smallest lower edge and at most the k-th smallest upper edge. This holds for buckets of several layouts
 * together, and for one layout it is the bucket that holds the k-th observation.
 *
 * @param share 0.5 for the median, above 0 and at most 1
 * @returns `undefined` where there is no observation ("no call finished")
 */
export function percentileRange(intervals: readonly Interval[], share: number): Range | undefined {
  const total = intervals.reduce((sum, interval) => sum + interval.count, 0);
  if (total <= 0) return undefined;
  const rank = Math.max(share * total, Number.MIN_VALUE);
  const low = edgeAt(intervals, rank, (interval) => interval.low);
  const high = edgeAt(intervals, rank, (interval) => interval.high ?? Infinity);
  return { low, high: high === Infinity ? undefined : high };
}

function edgeAt(intervals: readonly Interval[], rank: number, edge: (interval: Interval) => number): number {
  const ascending = [...intervals].sort((a, b) => (edge(a) === edge(b) ? 0 : edge(a) - edge(b)));
  let seen = 0;
  let last = 0;
  for (const interval of ascending) {
    if (interval.count <= 0) continue;
    seen += interval.count;
    last = edge(interval);
    if (seen >= rank) return last;
  }
  return last; // rounding can leave the sum a hair below the rank
}

const sameBounds = (a: CumulativeBuckets, b: CumulativeBuckets): boolean =>
  a.length === b.length && a.every((bucket, index) => bucket.upTo === b[index]?.upTo);
