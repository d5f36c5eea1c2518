import type { NodeModel } from "../model/node";
import type { PodRecord } from "../model/records";
import { workloadBytes } from "../objects/pod";
import { KERNEL_VERSION, OS_IMAGE } from "../objects/node";
import { escapeLabel, MetricsText } from "./text";

export const CFS_PERIOD_MICROSECONDS = 100_000;
const SHARES_PER_CORE = 1_024;
/** CPU that a pod of the workload uses, told apart by its name so that they differ. */
const WORKLOAD_CORES = 0.004;
const IDLE_THREADS = 7;
const CHARS_MODULO = 9;
const MACHINE_BUSY_SHARE = 0.25;
const PAUSE_CPU_SECONDS = 0.02;
const PAUSE_BYTES = 2 ** 19;

interface Cgroup {
  readonly labels: string;
  readonly pod: PodRecord;
  readonly daemon: boolean;
}

/** `/metrics/cadvisor`: one line a container and family, with the paths that this node's cgroup version has. */
export function cadvisorMetrics(node: NodeModel): string {
  const nowMs = node.engine.nowMs;
  const running = [...node.kubelet.pods.values()].filter((pod) => pod.container.state === "running" && pod.container.id !== undefined);
  const cgroups = running.map((pod): Cgroup => ({ pod, daemon: pod === node.daemonPod?.pod, labels: labelsOf(node, pod) })).sort((a, b) => (a.labels < b.labels ? -1 : 1));
  const daemon = cgroups.filter((c) => c.daemon);
  const { processor } = node.daemon;
  const { counters } = processor;
  const text = new MetricsText();
  const each = (name: string, type: "counter" | "gauge", help: string, of: readonly Cgroup[], value: (c: Cgroup) => number, timed = true): void => {
    if (of.length === 0) return;
    text.family(name, type, help);
    for (const c of of) text.sample(name, c.labels, value(c), timed ? nowMs : undefined);
  };
  const cpuSeconds = (c: Cgroup): number => (c.daemon ? counters.usageSeconds : ageSeconds(c.pod, nowMs) * WORKLOAD_CORES * (1 + (c.pod.name.length % CHARS_MODULO) / CHARS_MODULO));
  const bytes = (c: Cgroup): number => (c.daemon ? node.daemon.memoryBytes : workloadBytes(c.pod));

  text.family("cadvisor_version_info", "gauge", "The kernel and system that cAdvisor runs on.").sample("cadvisor_version_info", `cadvisorRevision="",cadvisorVersion="",dockerVersion="",kernelVersion="${KERNEL_VERSION}",osVersion="${OS_IMAGE}"`, 1);
  // The CFS series exist only where there is a quota.
  const limited = processor.quotaCores === undefined ? [] : daemon;
  each("container_cpu_cfs_periods_total", "counter", "Elapsed enforcement periods.", limited, () => Math.floor(counters.periods));
  each("container_cpu_cfs_throttled_periods_total", "counter", "Throttled enforcement periods.", limited, () => Math.floor(counters.throttledPeriods));
  each("container_cpu_cfs_throttled_seconds_total", "counter", "Time for which the container was throttled.", limited, () => counters.throttledSeconds);
  text.family("container_cpu_usage_seconds_total", "counter", "CPU time used.");
  for (const { labels, cpuSeconds: seconds } of around(node, daemon)) text.sample("container_cpu_usage_seconds_total", withCpu(labels), seconds, nowMs);
  for (const c of cgroups) text.sample("container_cpu_usage_seconds_total", withCpu(c.labels), cpuSeconds(c), nowMs);
  each("container_file_descriptors", "gauge", "Open file descriptors.", cgroups, (c) => (c.daemon ? IDLE_THREADS + node.daemon.connections : 12));
  each("container_last_seen", "gauge", "When the container was last seen.", cgroups, () => Math.floor(nowMs / 1_000));
  each("container_memory_failcnt", "counter", "Hits of the memory limit.", cgroups, () => 0);
  each("container_memory_max_usage_bytes", "gauge", "Highest memory use recorded.", cgroups, (c) => Math.round(c.daemon ? node.daemon.peakBytes : 1.2 * workloadBytes(c.pod)));
  each("container_memory_usage_bytes", "gauge", "Memory in use, page cache included.", cgroups, (c) => Math.round(1.03 * bytes(c)));
  text.family("container_memory_working_set_bytes", "gauge", "Memory in use that cannot be given back.");
  for (const { labels, bytes: held } of around(node, daemon)) text.sample("container_memory_working_set_bytes", labels, held, nowMs);
  for (const c of cgroups) text.sample("container_memory_working_set_bytes", c.labels, Math.round(bytes(c)), nowMs);
  // A container that is killed starts again in a new cgroup, so its own count never leaves zero.
  each("container_oom_events_total", "counter", "Out of memory events seen in the container.", cgroups, () => 0);
  if (node.parameters.cgroup === "v2") pressure(each, cgroups, counters);
  each("container_processes", "gauge", "Processes in the container.", cgroups, (c) => (c.daemon ? 1 + processor.processesRunning : 1));
  text.family("container_scrape_error", "gauge", "1 where the containers could not be read.").sample("container_scrape_error", "", 0);
  each("container_sockets", "gauge", "Open sockets.", cgroups, (c) => (c.daemon ? node.daemon.connections : 3));
  each("container_spec_cpu_period", "gauge", "CPU period of the container.", cgroups, () => CFS_PERIOD_MICROSECONDS, false);
  each("container_spec_cpu_quota", "gauge", "CPU quota of the container.", limited, () => Math.round((processor.quotaCores ?? 0) * CFS_PERIOD_MICROSECONDS), false);
  each("container_spec_cpu_shares", "gauge", "CPU shares of the container.", cgroups, (c) => Math.round((c.daemon ? (c.pod.resources?.cpuRequestCores ?? 0.002) : c.pod.requests.cpuCores) * SHARES_PER_CORE), false);
  each("container_spec_memory_limit_bytes", "gauge", "Memory limit of the container.", cgroups, (c) => (c.daemon ? (node.daemon.memoryLimitBytes ?? 0) : (c.pod.memoryLimitBytes ?? 0)), false);
  each("container_start_time_seconds", "gauge", "When the container was started.", cgroups, (c) => Math.floor((c.pod.container.startedMs ?? 0) / 1_000), false);
  each("container_threads", "gauge", "Threads in the container.", cgroups, (c) => (c.daemon ? IDLE_THREADS + 3 * processor.processesRunning : 5));
  const machine = `boot_id="${node.bootIds.bootId}",machine_id="${node.bootIds.machineId}",system_uuid="${node.bootIds.machineId}"`;
  text.family("machine_cpu_cores", "gauge", "Logical CPU cores.").sample("machine_cpu_cores", machine, node.parameters.cores);
  text.family("machine_memory_bytes", "gauge", "Memory of the machine.").sample("machine_memory_bytes", machine, node.parameters.memoryBytes);
  return text.toString();
}

/** Lines that a reader must not count twice: the machine, and of the daemon's pod its own cgroup and its pause container. */
function around(node: NodeModel, daemon: readonly Cgroup[]): readonly { readonly labels: string; readonly cpuSeconds: number; readonly bytes: number }[] {
  const uptimeSeconds = (node.engine.nowMs - node.createdMs) / 1_000;
  const { usageSeconds } = node.daemon.processor.counters;
  const root = { labels: 'container="",id="/",image="",name="",namespace="",pod=""', cpuSeconds: uptimeSeconds * node.parameters.cores * MACHINE_BUSY_SHARE, bytes: Math.round(node.parameters.memoryBytes * MACHINE_BUSY_SHARE) };
  const pods = daemon.flatMap(({ pod }) => {
    const path = cgroupPath(node, pod);
    const own = path.slice(0, path.lastIndexOf("/"));
    const names = `namespace="${pod.namespace}",pod="${pod.name}"`;
    return [
      { labels: `container="",id="${own}",image="",name="",${names}`, cpuSeconds: usageSeconds + PAUSE_CPU_SECONDS, bytes: node.daemon.memoryBytes + PAUSE_BYTES },
      { labels: `container="",id="${own}/pause",image="registry.example/pause:3.10",name="pause",${names}`, cpuSeconds: PAUSE_CPU_SECONDS, bytes: PAUSE_BYTES },
    ];
  });
  return [root, ...pods];
}

const withCpu = (labels: string): string => labels.replace(/^(container="[^"]*"),/, '$1,cpu="total",');

type Each = (name: string, type: "counter" | "gauge", help: string, of: readonly Cgroup[], value: (c: Cgroup) => number) => void;

function pressure(each: Each, cgroups: readonly Cgroup[], counters: { readonly waitingSeconds: number; readonly stalledSeconds: number }): void {
  each("container_pressure_cpu_stalled_seconds_total", "counter", "Time in which no task could run for want of CPU.", cgroups, (c) => (c.daemon ? counters.stalledSeconds : 0));
  each("container_pressure_cpu_waiting_seconds_total", "counter", "Time in which some task waited for CPU.", cgroups, (c) => (c.daemon ? counters.waitingSeconds : 0));
  for (const what of ["io", "memory"] as const) {
    each(`container_pressure_${what}_stalled_seconds_total`, "counter", `Time in which no task could run for want of ${what}.`, cgroups, () => 0);
    each(`container_pressure_${what}_waiting_seconds_total`, "counter", `Time in which some task waited for ${what}.`, cgroups, () => 0);
  }
}

const ageSeconds = (pod: PodRecord, nowMs: number): number => Math.max(0, (nowMs - (pod.container.startedMs ?? nowMs)) / 1_000);

/** The container's cgroup: cgroupfs with v1, systemd's slices with v2. */
export function cgroupPath(node: NodeModel, pod: PodRecord): string {
  const { uid, container } = pod;
  if (node.parameters.cgroup === "v1") return `/kubepods/burstable/pod${uid}/${container.id ?? ""}`;
  return `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${uid.replaceAll("-", "_")}.slice/cri-containerd-${container.id ?? ""}.scope`;
}

const labelsOf = (node: NodeModel, pod: PodRecord): string =>
  `container="${escapeLabel(pod.container.name)}",id="${cgroupPath(node, pod)}",image="${escapeLabel(pod.container.image)}",name="${pod.container.id ?? ""}",namespace="${pod.namespace}",pod="${pod.name}"`;
