import type { CadvisorMetrics, ContainerMetrics } from "../../domain/observation";
import type { PromSample } from "./prometheus-text";

type Figure =
  | "cfsPeriods"
  | "cfsThrottledPeriods"
  | "cpuQuotaMicroseconds"
  | "cpuPressureWaitingSeconds"
  | "cpuUsageSeconds"
  | "memoryWorkingSetBytes"
  | "memoryMaxUsageBytes"
  | "oomEvents"
  | "startTimeSeconds";

const FIGURES: ReadonlyMap<string, Figure> = new Map([
  ["container_cpu_cfs_periods_total", "cfsPeriods"],
  ["container_cpu_cfs_throttled_periods_total", "cfsThrottledPeriods"],
  ["container_spec_cpu_quota", "cpuQuotaMicroseconds"],
  ["container_pressure_cpu_waiting_seconds_total", "cpuPressureWaitingSeconds"],
  ["container_cpu_usage_seconds_total", "cpuUsageSeconds"],
  ["container_memory_working_set_bytes", "memoryWorkingSetBytes"],
  ["container_memory_max_usage_bytes", "memoryMaxUsageBytes"],
  ["container_oom_events_total", "oomEvents"],
  ["container_start_time_seconds", "startTimeSeconds"],
]);

/** Any of them shows that this node reports pressure at all (cgroup v2, kubelet with PSI). */
const PRESSURE = [
  "container_pressure_cpu_waiting_seconds_total",
  "container_pressure_cpu_stalled_seconds_total",
  "container_pressure_memory_waiting_seconds_total",
  "container_pressure_memory_stalled_seconds_total",
  "container_pressure_io_waiting_seconds_total",
  "container_pressure_io_stalled_seconds_total",
];
const PRESSURE_NAMES: ReadonlySet<string> = new Set(PRESSURE);

export const CADVISOR_NAMES: readonly string[] = [...new Set([...FIGURES.keys(), ...PRESSURE])];

/** The pause container of docker's shape; it does nothing of its own. */
const PAUSE = "POD";
/** Most containers kept of one page. */
export const MAX_CONTAINERS = 512;

/** A longer name or cgroup path is no real one; what is kept of a hostile page must stay small. */
const MAX_LABEL_CHARS = 1024;

/** Tells whether a pod's containers are kept. */
export type WantedPod = (namespace: string, pod: string) => boolean;

type Gathered = { -readonly [K in keyof ContainerMetrics]: ContainerMetrics[K] };

/**
 * Gathers the samples of `/metrics/cadvisor`, one entry for each container's cgroup. A line without a container's name is
 * the pod's, a slice's or the machine's and is left out, or its figures would be counted twice.
 */
export function createCadvisorCollector(wanted: WantedPod): { readonly add: (sample: PromSample) => void; readonly finish: () => CadvisorMetrics } {
  const containers = new Map<string, Gathered>();
  let hasPressure = false;

  const add = (sample: PromSample): void => {
    hasPressure ||= PRESSURE_NAMES.has(sample.name);
    const figure = FIGURES.get(sample.name);
    if (figure === undefined || !(Number.isFinite(sample.value) && sample.value >= 0)) return;
    const { labels } = sample;
    const container = labels.get("container") || labels.get("container_name"); // the second until 1.15
    const pod = labels.get("pod") || labels.get("pod_name");
    const namespace = labels.get("namespace");
    if (!container || !pod || !namespace || container === PAUSE || !wanted(namespace, pod)) return;

    const cgroupId = labels.get("id") ?? "";
    if (container.length > MAX_LABEL_CHARS || cgroupId.length > MAX_LABEL_CHARS) return;
    const key = JSON.stringify([namespace, pod, container, cgroupId]);
    let entry = containers.get(key);
    if (entry === undefined) {
      if (containers.size >= MAX_CONTAINERS) return;
      entry = { namespace, pod, container, cgroupId };
      containers.set(key, entry);
    }
    // Docker's shape has one CPU series a core beside the total of old pages.
    if (figure === "cpuUsageSeconds" && (labels.get("cpu") ?? "total") !== "total") entry.cpuUsageSeconds = (entry.cpuUsageSeconds ?? 0) + sample.value;
    else entry[figure] = sample.value;
    if (sample.timestampMs !== undefined && TIMED.has(figure)) entry.statsAtMs = sample.timestampMs;
  };
  return { add, finish: () => ({ containers: [...containers.values()], hasPressure }) };
}

/** Figures that cAdvisor reads together, so that one time stands for them all. */
const TIMED: ReadonlySet<Figure> = new Set(["cfsPeriods", "cfsThrottledPeriods", "cpuPressureWaitingSeconds", "cpuUsageSeconds", "memoryWorkingSetBytes"]);
