import { cpuQuantity, memoryQuantity } from "../../domain/quantity";
import type { ContainerRecord, PodRecord, TerminationRecord } from "../model/records";
import { daemonPodSpec } from "./daemon-template";
import { iso, present, type KubeObject } from "./json";
import { resourcesJson } from "./resources";

const TOKEN_VOLUME = "kube-api-access";
const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set(["kube-system"]);
const MOST_USED_BYTES = 512 * 2 ** 20;

/** A pod as the API server shows it; `image` is the CNI daemon's, whose spec comes from its template. */
export function podObject(pod: PodRecord, hostAddress: string): KubeObject {
  const { networkStatus, networks } = pod;
  const annotations = present({ "k8s.v1.cni.cncf.io/networks": networks, "k8s.v1.cni.cncf.io/network-status": networkStatus });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: pod.name,
      ...(pod.generateName === "" ? {} : { generateName: pod.generateName }),
      namespace: pod.namespace,
      uid: pod.uid,
      creationTimestamp: iso(pod.createdMs),
      ...(pod.deletingMs === undefined ? {} : { deletionTimestamp: iso(pod.deletingMs + pod.graceMs), deletionGracePeriodSeconds: pod.graceMs / 1_000 }),
      generation: pod.resourcesGeneration,
      labels: pod.labels,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(pod.owner === undefined ? {} : { ownerReferences: [{ apiVersion: pod.owner.kind === "Job" ? "batch/v1" : "apps/v1", kind: pod.owner.kind, name: pod.owner.name, uid: pod.owner.uid, blockOwnerDeletion: true, controller: true }] }),
    },
    spec: podSpec(pod),
    status: podStatus(pod, hostAddress),
  };
}

function podSpec(pod: PodRecord): Record<string, unknown> {
  const common = { ...placed(pod), preemptionPolicy: "PreemptLowerPriority", enableServiceLinks: true };
  if (pod.kind === "cni-daemon" && pod.resources !== undefined) {
    return { ...daemonPodSpec({ image: pod.container.image, resources: pod.resources, installer: pod.installer, initLimited: pod.initLimited }), ...common, priority: 2_000_001_000, priorityClassName: "system-node-critical" };
  }
  const hostNetwork = pod.kind === "host-network";
  const system = SYSTEM_NAMESPACES.has(pod.namespace);
  return {
    containers: [
      {
        name: pod.container.name,
        image: pod.container.image,
        imagePullPolicy: "IfNotPresent",
        resources: { requests: { cpu: cpuQuantity(pod.requests.cpuCores), memory: memoryQuantity(pod.requests.memoryBytes) }, ...(pod.memoryLimitBytes === undefined ? {} : { limits: { memory: memoryQuantity(pod.memoryLimitBytes) } }) },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        volumeMounts: [{ name: TOKEN_VOLUME, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true }, ...pod.mounts.map(({ mountPath }, index) => ({ name: `host-${index}`, mountPath }))],
      },
    ],
    ...common,
    dnsPolicy: "ClusterFirst",
    ...(hostNetwork ? { hostNetwork: true } : {}),
    ...(system ? { priority: 2_000_001_000, priorityClassName: "system-node-critical" } : { priority: 0 }),
    restartPolicy: pod.kind === "job" ? "Never" : "Always",
    schedulerName: "default-scheduler",
    securityContext: {},
    serviceAccount: "default",
    serviceAccountName: "default",
    terminationGracePeriodSeconds: pod.graceMs / 1_000,
    tolerations: hostNetwork ? [{ operator: "Exists" }] : [{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }],
    volumes: [
      { name: TOKEN_VOLUME, projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3_607, path: "token" } }] } },
      ...pod.mounts.map(({ hostPath, kind }, index) => ({ name: `host-${index}`, hostPath: { path: hostPath, type: kind === "file" ? "Socket" : "" } })),
    ],
  };
}

/** Bound to its node, or one of a DaemonSet that may run there alone and waits for room. */
function placed(pod: PodRecord): Record<string, unknown> {
  if (pod.scheduledMs !== undefined) return { nodeName: pod.node };
  const terms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: [pod.node] }] }];
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } };
}

function scheduledCondition({ scheduledMs, unschedulable, resourcesGeneration, createdMs }: PodRecord): Record<string, unknown> {
  const base = { type: "PodScheduled", lastProbeTime: null, observedGeneration: resourcesGeneration };
  if (scheduledMs !== undefined) return { ...base, status: "True", lastTransitionTime: iso(scheduledMs) };
  return { ...base, status: "False", lastTransitionTime: iso(unschedulable?.sinceMs ?? createdMs), reason: "Unschedulable", message: unschedulable?.message ?? "" };
}

function podStatus(pod: PodRecord, hostAddress: string): Record<string, unknown> {
  const scheduled = scheduledCondition(pod);
  const qosClass = "Burstable";
  // Until the kubelet has seen the pod, only the scheduler has written its status.
  if (pod.startMs === undefined) return { conditions: [scheduled], phase: pod.phase, qosClass };
  const startedMs = pod.startMs;
  return {
    conditions: [...kubeletConditions(pod), scheduled],
    containerStatuses: [containerStatus(pod, pod.container, pod.ready.status)],
    ...(pod.init === undefined ? {} : { initContainerStatuses: [containerStatus(pod, pod.init, pod.init.terminated?.reason === "Completed")] }),
    hostIP: hostAddress,
    hostIPs: [{ ip: hostAddress }],
    observedGeneration: pod.resourcesGeneration,
    phase: pod.phase,
    ...(pod.ip === undefined ? {} : { podIP: pod.ip, podIPs: [{ ip: pod.ip }] }),
    qosClass,
    startTime: iso(startedMs),
  };
}

function kubeletConditions(pod: PodRecord): Record<string, unknown>[] {
  const observedGeneration = pod.resourcesGeneration;
  const condition = (type: string, of: { status: boolean; sinceMs: number }, reason?: string, message?: string): Record<string, unknown> => ({
    type,
    status: of.status ? "True" : "False",
    lastProbeTime: null,
    lastTransitionTime: iso(of.sinceMs),
    observedGeneration,
    ...(of.status || reason === undefined ? {} : { reason, message }),
  });
  const unready = pod.phase === "Succeeded" ? (["PodCompleted", undefined] as const) : (["ContainersNotReady", `containers with unready status: [${pod.container.name}]`] as const);
  return [
    condition("PodReadyToStartContainers", pod.sandboxReady, "PodSandboxNotReady", pod.sandboxReady.message),
    condition("Initialized", pod.initialized, "ContainersNotInitialized", pod.init === undefined ? undefined : `containers with incomplete status: [${pod.init.name}]`),
    condition("Ready", pod.ready, ...unready),
    condition("ContainersReady", pod.ready, ...unready),
  ];
}

function containerStatus(pod: PodRecord, container: ContainerRecord, ready: boolean): Record<string, unknown> {
  return {
    name: container.name,
    image: container.image,
    imageID: container.id === undefined ? "" : `sha256:${container.name.length.toString(16).padStart(2, "0").repeat(32)}`,
    ...(container.id === undefined ? {} : { containerID: `containerd://${container.id}` }),
    ready,
    started: container.state === "running",
    restartCount: container.restarts,
    state: stateOf(container),
    lastState: container.last === undefined ? {} : { terminated: terminated(container.last) },
    ...(pod.resources === undefined || container !== pod.container ? {} : { resources: resourcesJson(pod.resources), allocatedResources: resourcesJson(pod.resources)["requests"] ?? {} }),
  };
}

function stateOf(container: ContainerRecord): Record<string, unknown> {
  if (container.state === "running") return { running: { startedAt: iso(container.startedMs ?? 0) } };
  if (container.state === "terminated" && container.terminated !== undefined) return { terminated: terminated(container.terminated) };
  return { waiting: { reason: container.waitingReason } };
}

const terminated = (of: TerminationRecord): Record<string, unknown> => ({
  containerID: `containerd://${of.containerId}`,
  exitCode: of.exitCode,
  reason: of.reason,
  startedAt: iso(of.startedMs),
  finishedAt: iso(of.finishedMs),
  ...(of.message === undefined ? {} : { message: of.message }),
});

/** Memory that a pod of the workload uses, for the pages that show it: what it asks for, as far as a small program can use it. */
export const workloadBytes = (pod: PodRecord): number => Math.min(pod.requests.memoryBytes, MOST_USED_BYTES);
