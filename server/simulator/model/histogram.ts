/** Buckets of kubelet_runtime_operations_duration_seconds: 0.005 · 2.5^n, fourteen of them. */
export const OPERATION_BUCKETS: readonly number[] = Array.from({ length: 14 }, (_, n) => 0.005 * 2.5 ** n);

/** Buckets of the kubelet's older histograms, which end at ten seconds. */
export const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One cumulative histogram with its errors, as the kubelet keeps it for one operation. */
export class OperationHistogram {
  readonly counts: number[];
  count = 0;
  sumSeconds = 0;
  /** The error series does not exist before the first error. */
  errors = 0;

  constructor(readonly buckets: readonly number[] = OPERATION_BUCKETS) {
    this.counts = buckets.map(() => 0);
  }

  observe(seconds: number, failed: boolean, times = 1): void {
    this.count += times;
    this.sumSeconds += seconds * times;
    if (failed) this.errors += times;
    for (let i = 0; i < this.buckets.length; i++) {
      if (seconds <= (this.buckets[i] ?? Infinity)) this.counts[i] = (this.counts[i] ?? 0) + times;
    }
  }
}
