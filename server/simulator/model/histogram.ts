/** Buckets of kubelet_runtime_operations_duration_seconds: 0.005 · 2.5^n, fourteen of them. */
export const OPERATION_BUCKETS: readonly number[] = Array.from({ length: 14 }, (_, n) => 0.005 * 2.5 ** n);

/** One cumulative histogram with its errors, as the kubelet keeps it for one operation. */
export class OperationHistogram {
  readonly counts: number[] = OPERATION_BUCKETS.map(() => 0);
  count = 0;
  sumSeconds = 0;
  /** The error series does not exist before the first error. */
  errors = 0;

  observe(seconds: number, failed: boolean, times = 1): void {
    this.count += times;
    this.sumSeconds += seconds * times;
    if (failed) this.errors += times;
    for (let i = 0; i < OPERATION_BUCKETS.length; i++) {
      if (seconds <= (OPERATION_BUCKETS[i] ?? Infinity)) this.counts[i] = (this.counts[i] ?? 0) + times;
    }
  }
}
