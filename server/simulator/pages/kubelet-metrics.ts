import type { OperationHistogram } from "../model/histogram";
import type { NodeModel } from "../model/node";
import { KUBELET_VERSION } from "../objects/node";
import { MetricsText } from "./text";

const STARTUP_CPU_SECONDS = 4;
const CORES_PER_POD = 0.002;
const BASE_BYTES = 90 * 2 ** 20;
const BYTES_PER_SANDBOX = 24 * 2 ** 10;

/** `/metrics` of a node's kubelet: the calls to the runtime as they are counted there, and enough around them. */
export function kubeletMetrics(node: NodeModel): string {
  const { kubelet, runtime } = node;
  const text = new MetricsText();
  const operations = [...kubelet.operations].sort(([a], [b]) => (a < b ? -1 : 1));
  const pods = [...kubelet.pods.values()];
  const ready = [...runtime.sandboxes.values()].filter((s) => s.state === "ready");
  const running = pods.filter((p) => p.container.state === "running").length;
  const uptimeSeconds = (node.engine.nowMs - kubelet.startedMs) / 1_000;

  text.family("go_goroutines", "gauge", "Number of goroutines that currently exist.").sample("go_goroutines", "", 240 + 3 * pods.length);
  text.family("kubelet_active_pods", "gauge", "[ALPHA] Pods that the kubelet considers active.").sample("kubelet_active_pods", 'static=""', pods.filter((p) => p.phase !== "Succeeded").length).sample("kubelet_active_pods", 'static="true"', 0);
  text.family("kubelet_cgroup_version", "gauge", "[ALPHA] Version of cgroups on the host.").sample("kubelet_cgroup_version", "", node.parameters.cgroup === "v1" ? 1 : 2);
  text.family("kubelet_desired_pods", "gauge", "[ALPHA] Pods that the kubelet is told to run.").sample("kubelet_desired_pods", 'static=""', pods.length).sample("kubelet_desired_pods", 'static="true"', 0);
  text.family("kubelet_node_name", "gauge", "[ALPHA] The name of the node.").sample("kubelet_node_name", `node="${node.parameters.name}"`, 1);
  const relist = operations.find(([name]) => name === "list_podsandbox")?.[1];
  if (relist !== undefined) text.family("kubelet_pleg_relist_duration_seconds", "histogram", "[ALPHA] Seconds that a relist took.").histogram("kubelet_pleg_relist_duration_seconds", "", tenSecondView(relist));
  const runs = kubelet.runDurations;
  if (runs.count > 0) text.family("kubelet_run_podsandbox_duration_seconds", "histogram", "[ALPHA] Seconds of the run_podsandbox operations.").histogram("kubelet_run_podsandbox_duration_seconds", 'runtime_handler=""', runs);
  if (runs.errors > 0) text.family("kubelet_run_podsandbox_errors_total", "counter", "[ALPHA] Failed run_podsandbox operations.").sample("kubelet_run_podsandbox_errors_total", 'runtime_handler=""', runs.errors);
  text.family("kubelet_running_containers", "gauge", "[ALPHA] Containers by state.").sample("kubelet_running_containers", 'container_state="exited"', pods.length - running).sample("kubelet_running_containers", 'container_state="running"', running);
  text.family("kubelet_running_pods", "gauge", "[ALPHA] Pods that have a running pod sandbox.").sample("kubelet_running_pods", "", ready.length);
  runtimeOperations(text, operations);
  text.family("kubelet_started_pods_total", "counter", "[ALPHA] Pods started.").sample("kubelet_started_pods_total", "", kubelet.startedPods);
  text.family("kubernetes_build_info", "gauge", "[ALPHA] The version of this program.").sample("kubernetes_build_info", `git_version="${KUBELET_VERSION}",platform="linux/amd64"`, 1);
  text.family("process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.").sample("process_cpu_seconds_total", "", STARTUP_CPU_SECONDS + uptimeSeconds * CORES_PER_POD * pods.length);
  text.family("process_resident_memory_bytes", "gauge", "Resident memory size in bytes.").sample("process_resident_memory_bytes", "", BASE_BYTES + runtime.sandboxes.size * BYTES_PER_SANDBOX);
  text.family("process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.").sample("process_start_time_seconds", "", kubelet.startedMs / 1_000);
  return text.toString();
}

function runtimeOperations(text: MetricsText, operations: readonly (readonly [string, OperationHistogram])[]): void {
  text.family("kubelet_runtime_operations_duration_seconds", "histogram", "[ALPHA] Seconds of calls to the runtime, by operation.");
  for (const [name, histogram] of operations) text.histogram("kubelet_runtime_operations_duration_seconds", `operation_type="${name}"`, histogram);
  const failed = operations.filter(([, histogram]) => histogram.errors > 0);
  // The family is not there at all before the first error of any operation.
  if (failed.length > 0) {
    text.family("kubelet_runtime_operations_errors_total", "counter", "[ALPHA] Failed calls to the runtime, by operation.");
    for (const [name, histogram] of failed) text.sample("kubelet_runtime_operations_errors_total", `operation_type="${name}"`, histogram.errors);
  }
  text.family("kubelet_runtime_operations_total", "counter", "[ALPHA] Calls to the runtime, by operation.");
  for (const [name, histogram] of operations) text.sample("kubelet_runtime_operations_total", `operation_type="${name}"`, histogram.count);
}

/** The relist is mostly its list; its histogram ends at ten seconds, so only whole buckets of the other one fit in. */
function tenSecondView(of: OperationHistogram): { buckets: number[]; counts: number[]; count: number; sumSeconds: number } {
  const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
  const counts = buckets.map((upTo) => {
    const at = of.buckets.findLastIndex((edge) => edge <= upTo);
    return at < 0 ? 0 : (of.counts[at] ?? 0);
  });
  return { buckets, counts, count: of.count, sumSeconds: of.sumSeconds };
}
