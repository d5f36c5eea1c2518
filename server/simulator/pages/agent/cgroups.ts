import type { ContainerCgroup, LaterParts } from "../../../domain/agent-readings";
import type { NodeModel } from "../../model/node";
import { CNI_NAMESPACE } from "../../model/pods";
import type { PodRecord } from "../../model/records";
import { workloadBytes } from "../../objects/pod";

const PEAK_SHARE = 1.2;
const CACHE_SHARE = 1.03;

/** The CNI daemon's container and those of the system's DaemonSets. */
export function cgroups(node: NodeModel): NonNullable<LaterParts["cgroups"]> {
  const running = [...node.kubelet.pods.values()].filter((pod) => pod.container.state === "running" && isSystem(pod));
  const items = running.map((pod) => (pod === node.daemonPod?.pod ? daemonCgroup(node, pod) : systemCgroup(node, pod)));
  return { looked: true, readMs: Math.round(node.engine.nowMs), items };
}

const isSystem = (pod: PodRecord): boolean => pod.namespace === CNI_NAMESPACE && pod.owner?.kind === "DaemonSet";

function base(node: NodeModel, pod: PodRecord): Pick<ContainerCgroup, "namespace" | "pod" | "podUid" | "container" | "cgroupVersion"> & Partial<ContainerCgroup> {
  const { container, namespace, name, uid } = pod;
  return {
    namespace,
    pod: name,
    podUid: uid,
    container: container.name,
    cgroupVersion: node.parameters.cgroup === "v2" ? 2 : 1,
    ...(container.id === undefined ? {} : { containerId: container.id }),
    ...(container.startedMs === undefined ? {} : { startedMs: Math.round(container.startedMs) }),
  };
}

function daemonCgroup(node: NodeModel, pod: PodRecord): ContainerCgroup {
  const { daemon } = node;
  const { counters, quotaCores } = daemon.processor;
  return {
    ...base(node, pod),
    cni: "multus",
    ...(quotaCores === undefined ? {} : { cpuQuotaCores: quotaCores, cpuPeriods: Math.floor(counters.periods), cpuThrottledPeriods: Math.floor(counters.throttledPeriods) }),
    cpuUsageSeconds: counters.usageSeconds,
    ...(node.parameters.cgroup === "v2" ? { cpuPressureSeconds: counters.waitingSeconds } : {}),
    memoryBytes: Math.round(CACHE_SHARE * daemon.memoryBytes),
    memoryWorkingSetBytes: Math.round(daemon.memoryBytes),
    ...(daemon.memoryLimitBytes === undefined ? {} : { memoryLimitBytes: daemon.memoryLimitBytes }),
    memoryPeakBytes: Math.round(daemon.peakBytes),
    // What is killed for memory is the daemon itself: its successor begins in a new cgroup.
    oomEvents: 0,
    oomKills: 0,
    podMemoryLimited: daemon.memoryLimitBytes !== undefined && pod.initLimited,
  };
}

function systemCgroup(node: NodeModel, pod: PodRecord): ContainerCgroup {
  const bytes = workloadBytes(pod);
  return {
    ...base(node, pod),
    memoryBytes: Math.round(CACHE_SHARE * bytes),
    memoryWorkingSetBytes: bytes,
    ...(pod.memoryLimitBytes === undefined ? {} : { memoryLimitBytes: pod.memoryLimitBytes }),
    memoryPeakBytes: Math.round(PEAK_SHARE * bytes),
    oomEvents: 0,
    oomKills: 0,
    podMemoryLimited: pod.memoryLimitBytes !== undefined,
  };
}
