import type { KubeletMetrics, OperationCounters } from "../../domain/observation";
import type { PromSample } from "./prometheus-text";

/** The calls to the runtime that Sandglass judges by. */
export const OPERATIONS = ["run_podsandbox", "stop_podsandbox", "remove_podsandbox", "list_podsandbox"] as const;

const BUCKET = "kubelet_runtime_operations_duration_seconds_bucket";
const ERRORS = "kubelet_runtime_operations_errors_total";
const START = "process_start_time_seconds";
/**
 * Kubelets before 1.14 have other names and microseconds in a summary; they are not wanted, so such a page gives nothing
 * rather than seconds that are none. `kubelet_run_podsandbox_duration_seconds` is not used: it ends at 10 s.
 */
export const KUBELET_NAMES = [BUCKET, ERRORS, START] as const;

/** Most buckets taken of one operation; the kubelet has 15. */
const MAX_BUCKETS = 64;

interface Operation {
  readonly buckets: Map<number, number>;
  errors?: number;
}

/** Gathers the samples of `/metrics`; `finish` gives the operations in ascending buckets. */
export function createKubeletCollector(): { readonly add: (sample: PromSample) => void; readonly finish: () => KubeletMetrics } {
  const operations = new Map<string, Operation>();
  let processStartSeconds: number | undefined;

  const add = (sample: PromSample): void => {
    if (!(Number.isFinite(sample.value) && sample.value >= 0)) return;
    if (sample.name === START) {
      processStartSeconds = sample.value;
      return;
    }
    const name = sample.labels.get("operation_type");
    if (name === undefined || !OPERATIONS.some((known) => known === name)) return;
    const operation = operations.get(name) ?? { buckets: new Map<number, number>() };
    operations.set(name, operation);
    if (sample.name === ERRORS) operation.errors = sample.value;
    else {
      const upTo = bound(sample.labels.get("le"));
      if (upTo !== undefined && operation.buckets.size < MAX_BUCKETS) operation.buckets.set(upTo, sample.value);
    }
  };

  const finish = (): KubeletMetrics => ({
    operations: Object.fromEntries([...operations].map(([name, operation]) => [name, counters(operation)])),
    ...(processStartSeconds === undefined ? {} : { processStartSeconds }),
  });
  return { add, finish };
}

const counters = (operation: Operation): OperationCounters => ({
  buckets: [...operation.buckets].sort(([a], [b]) => (a < b ? -1 : 1)).map(([upTo, count]) => ({ upTo, count })),
  ...(operation.errors === undefined ? {} : { errors: operation.errors }),
});

function bound(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const value = text === "+Inf" ? Infinity : Number(text);
  return Number.isNaN(value) ? undefined : value;
}
