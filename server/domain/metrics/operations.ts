import type { KubeletMetrics, OperationCounters } from "../observation";
import type { Sample, SignalId } from "../signals";
import { counterIncrease } from "./counter";
import { histogramIncrease, isHistogram, percentileRange, type CumulativeBuckets, type Interval } from "./histogram";
import { comparable, slide, type Span } from "./window";

/** What one page told of the runtime's operations since the page before; absent where nothing can be said. */
interface OperationsSpan extends Span {
  readonly runs?: readonly Interval[];
  readonly runErrors?: number;
  readonly stopErrors?: number;
}

interface Reading<T> {
  readonly atMs: number;
  readonly value: T;
}

/** The last readings of one kubelet and the increments of the window. Plain data, a few KB at most. */
export interface OperationsState {
  readonly pageAtMs?: number;
  readonly processStartSeconds?: number;
  readonly runs?: Reading<CumulativeBuckets>;
  readonly runErrors?: Reading<number>;
  readonly stopErrors?: Reading<number>;
  readonly spans: readonly OperationsSpan[];
}

export const createOperationsState = (): OperationsState => ({ spans: [] });

const PERCENTILES = [
  { share: 0.5, low: "cri.run_sandbox.p50.low", high: "cri.run_sandbox.p50.high" },
  { share: 0.95, low: "cri.run_sandbox.p95.low", high: "cri.run_sandbox.p95.high" },
  { share: 0.99, low: "cri.run_sandbox.p99.low", high: "cri.run_sandbox.p99.high" },
] as const satisfies readonly { share: number; low: SignalId; high: SignalId }[];

/**
 * Takes one page of kubelet metrics into the window and tells the signals `cri.run_sandbox.*` and
 * `cri.stop_sandbox.errors` over the last 5 min of increments.
 *
 * The first page only gives the base of what follows. A series that was not on the page before began at zero since, for
 * the kubelet makes an operation's series at its first call and an error's at the first error. Where no call finished,
 * calls are 0 and there is no percentile. A page without the operations' histogram (kubelets before 1.14) gives nothing.
 *
 * @param atMs when the page was read, UTC ms
 */
export function advanceOperations(state: OperationsState, metrics: KubeletMetrics, atMs: number): { readonly state: OperationsState; readonly samples: readonly Sample[] } {
  const run = metrics.operations["run_podsandbox"];
  const stop = metrics.operations["stop_podsandbox"];
  const told = Object.values(metrics.operations).some((operation) => operation.buckets.length > 0);
  if (!told || (hasBuckets(run) && !isHistogram(run.buckets))) return { state, samples: [] };

  const restarted =
    metrics.processStartSeconds !== undefined && state.processStartSeconds !== undefined && metrics.processStartSeconds !== state.processStartSeconds;
  const page: Page = { atMs, restarted, follows: comparable(state.pageAtMs, atMs) };

  const runs = take(page, state.runs, hasBuckets(run) ? run.buckets : undefined, [], histogramIncrease);
  const runErrors = take(page, state.runErrors, run?.errors, 0, counterIncrease);
  const stopErrors = take(page, state.stopErrors, stop?.errors, 0, counterIncrease);

  const span: OperationsSpan | undefined = page.follows
    ? { fromMs: state.pageAtMs ?? atMs, toMs: atMs, ...some("runs", runs.gained), ...some("runErrors", runErrors.gained), ...some("stopErrors", stopErrors.gained) }
    : undefined;
  const processStartSeconds = metrics.processStartSeconds ?? state.processStartSeconds;
  const next: OperationsState = {
    pageAtMs: atMs,
    ...some("processStartSeconds", processStartSeconds),
    ...some("runs", runs.reading),
    ...some("runErrors", runErrors.reading),
    ...some("stopErrors", stopErrors.reading),
    spans: slide(state.spans, span, atMs),
  };
  return { state: next, samples: tell(next.spans, atMs) };
}

interface Page {
  readonly atMs: number;
  /** The kubelet's process is another than on the page before. */
  readonly restarted: boolean;
  /** There is a page before this one, near enough to compare with. */
  readonly follows: boolean;
}

/**
 * What one series gained, and the reading to remember. The last reading is remembered while the series is missing, so
 * that one page without it makes no spike when it comes back.
 */
function take<T, G>(
  page: Page,
  before: Reading<T> | undefined,
  value: T | undefined,
  nothing: G,
  increase: (before: T | undefined, after: T, restarted: boolean) => G | undefined,
): { readonly gained: G | undefined; readonly reading: Reading<T> | undefined } {
  if (value === undefined) {
    // Missing now: nothing was counted, unless it was there before under the same process, which tells nothing.
    const vanished = before !== undefined && !page.restarted;
    return { gained: page.follows && !vanished ? nothing : undefined, reading: vanished ? before : undefined };
  }
  const reading = { atMs: page.atMs, value };
  if (!page.follows) return { gained: undefined, reading };
  if (page.restarted || before === undefined) return { gained: increase(undefined, value, true), reading };
  return { gained: comparable(before.atMs, page.atMs) ? increase(before.value, value, false) : undefined, reading };
}

function tell(spans: readonly OperationsSpan[], atMs: number): Sample[] {
  const samples: Sample[] = [];
  const sample = (signal: SignalId, value: number | undefined): void => {
    if (value !== undefined) samples.push({ signal, instance: "", atMs, value });
  };
  const runs = present(spans.map((span) => span.runs));
  if (runs !== undefined) {
    const intervals = runs.flat();
    sample("cri.run_sandbox.calls", sum(intervals.map((interval) => interval.count)));
    for (const percentile of PERCENTILES) {
      const range = percentileRange(intervals, percentile.share);
      sample(percentile.low, range?.low);
      sample(percentile.high, range?.high);
    }
  }
  const runErrors = present(spans.map((span) => span.runErrors));
  if (runErrors !== undefined) sample("cri.run_sandbox.errors", sum(runErrors));
  const stopErrors = present(spans.map((span) => span.stopErrors));
  if (stopErrors !== undefined) sample("cri.stop_sandbox.errors", sum(stopErrors));
  return samples;
}

/** The values that are there; `undefined` where there is none at all, since a sum over nothing is not zero. */
function present<T>(values: readonly (T | undefined)[]): readonly T[] | undefined {
  const there = values.filter((value): value is T => value !== undefined);
  return there.length === 0 ? undefined : there;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const hasBuckets = (operation: OperationCounters | undefined): operation is OperationCounters => operation !== undefined && operation.buckets.length > 0;

/** An optional field, left out where it has no value (`exactOptionalPropertyTypes`). */
const some = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V }); // a computed key is typed as any string

/**
 * RunPodSandbox calls of the last 5 min that took, as far as buckets tell, `seconds` or more: those in the bucket that
 * holds it, and above. With the deadline this is how many calls may have outlived it.
 *
 * @returns `undefined` where nothing is known of the calls; 0 where none took so long
 */
export function callsFromBucketOf(state: OperationsState, seconds: number): number | undefined {
  const runs = present(state.spans.map((span) => span.runs));
  return runs === undefined ? undefined : sum(runs.flat().filter(({ high }) => high === undefined || high >= seconds).map(({ count }) => count));
}
