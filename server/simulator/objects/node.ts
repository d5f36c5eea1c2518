import { memoryQuantity } from "../../domain/quantity";
import type { NodeModel } from "../model/node";
import { RESERVED_BYTES } from "../model/parameters";
import { iso, type KubeObject } from "./json";

export const KUBELET_VERSION = "v1.37.2";
/** The runtime whose behaviour the model follows. */
export const RUNTIME_VERSION = "1.6.20";
export const KERNEL_VERSION = "6.12.0-simulated";
export const OS_IMAGE = "Sandglass simulated node";
const AGE_MS = 60 * 86_400_000;
const LEASE_MS = 10_000;

/** A node as the API server shows it; `kubeletPort` is where its kubelet really listens. */
export function nodeObject(node: NodeModel, kubeletPort: number, nowMs: number): KubeObject {
  const { parameters, ready } = node;
  const { name, cores, memoryBytes, maxPods, pool, zone } = parameters;
  const unknown = ready.status === "Unknown";
  const capacity = { cpu: String(cores), "ephemeral-storage": "104857600Ki", memory: memoryQuantity(memoryBytes), pods: String(maxPods) };
  const beat = iso(node.heartbeatMs - (node.heartbeatMs % LEASE_MS));
  const pressure = (type: string, reason: string, message: string): Record<string, unknown> => ({
    type,
    status: unknown ? "Unknown" : "False",
    reason: unknown ? ready.reason : reason,
    message: unknown ? ready.message : message,
    lastHeartbeatTime: beat,
    lastTransitionTime: unknown ? iso(ready.sinceMs) : iso(node.createdMs - AGE_MS),
  });
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      uid: node.uid,
      creationTimestamp: iso(node.createdMs - AGE_MS),
      labels: {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/pool": pool,
        "topology.kubernetes.io/region": "sim",
        "topology.kubernetes.io/zone": zone,
      },
      annotations: { "node.alpha.kubernetes.io/ttl": "0", "sandglass.dev/simulated": "true" },
    },
    spec: {
      podCIDR: parameters.podCidr,
      ...(node.unschedulable ? { unschedulable: true } : {}),
      ...taintsOf(node, nowMs),
    },
    status: {
      addresses: [{ type: "InternalIP", address: parameters.address }, { type: "Hostname", address: name }],
      capacity,
      allocatable: { ...capacity, memory: memoryQuantity(memoryBytes - RESERVED_BYTES) },
      conditions: [
        pressure("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        pressure("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        pidPressure(node, pressure("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available")),
        { type: "Ready", status: ready.status, reason: ready.reason, message: ready.message, lastHeartbeatTime: beat, lastTransitionTime: iso(ready.sinceMs) },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
      nodeInfo: {
        architecture: "amd64",
        bootID: node.bootIds.bootId,
        machineID: node.bootIds.machineId,
        systemUUID: node.bootIds.machineId,
        containerRuntimeVersion: `containerd://${RUNTIME_VERSION}`,
        kernelVersion: KERNEL_VERSION,
        kubeletVersion: KUBELET_VERSION,
        kubeProxyVersion: "",
        operatingSystem: "linux",
        osImage: parameters.osImage ?? OS_IMAGE,
      },
    },
  };
}

function pidPressure(node: NodeModel, calm: Record<string, unknown>): Record<string, unknown> {
  const since = node.pressureSinceMs === undefined ? {} : { lastTransitionTime: iso(node.pressureSinceMs) };
  if (!node.pressure || calm["status"] === "Unknown") return calm["status"] === "Unknown" ? calm : { ...calm, ...since };
  return { ...calm, status: "True", reason: "KubeletHasInsufficientPID", message: "kubelet has insufficient PID available", ...since };
}

function taintsOf(node: NodeModel, nowMs: number): Record<string, unknown> {
  const key = node.ready.status === "Unknown" ? "node.kubernetes.io/unreachable" : node.ready.status === "False" ? "node.kubernetes.io/not-ready" : undefined;
  const sinceMs = Math.min(nowMs, node.ready.sinceMs);
  const taints = [
    ...(key === undefined ? [] : [{ key, effect: "NoSchedule", timeAdded: iso(sinceMs) }, { key, effect: "NoExecute", timeAdded: iso(sinceMs) }]),
    ...(node.pressure ? [{ key: "node.kubernetes.io/pid-pressure", effect: "NoSchedule" }] : []),
    ...(node.unschedulable ? [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }] : []),
  ];
  return taints.length === 0 ? {} : { taints };
}
