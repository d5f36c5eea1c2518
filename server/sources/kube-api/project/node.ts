import { z } from "zod";
import { parseNodeName } from "../../../domain/ids";
import type { NodeCondition, NodeObject } from "../../../domain/model";
import { MAX_TEXT_CHARS } from "../text";
import { entry, present, uid, type Lenient } from "./fields";
import { amountOf, quantity } from "./quantity";

/** Labels that say which pool a node is of, in the order in which they are believed. */
const POOL_LABELS = [
  "cloud.google.com/gke-nodepool",
  "eks.amazonaws.com/nodegroup",
  "karpenter.sh/nodepool",
  "kubernetes.azure.com/agentpool",
  "agentpool",
  "node.kubernetes.io/pool",
] as const;
const ROLE_PREFIX = "node-role.kubernetes.io/";
export const DEFAULT_POOL = "default";
const MAX_PORT = 65_535;

export function poolOf(labels: Readonly<Record<string, unknown>> | undefined): string {
  for (const label of POOL_LABELS) {
    const pool = entry(labels, label);
    if (pool !== undefined) return pool;
  }
  const roles = Object.keys(labels ?? {}).filter((label) => label.startsWith(ROLE_PREFIX) && label.length > ROLE_PREFIX.length).map((label) => label.slice(ROLE_PREFIX.length));
  return roles.sort()[0] ?? DEFAULT_POOL;
}

export function nodeProjection({ optional, text, time, flag, number, list, map }: Lenient) {
  const schema = z.object({
    metadata: z.object({ name: z.string(), uid, creationTimestamp: time, labels: map }),
    spec: optional(z.object({ unschedulable: flag, taints: list(z.object({ key: z.string(), value: text(), effect: text() })) })),
    status: optional(
      z.object({
        conditions: list(z.object({ type: z.string(), status: z.enum(["True", "False", "Unknown"]), reason: text(), message: text(MAX_TEXT_CHARS), lastTransitionTime: time })),
        addresses: list(z.object({ type: z.string(), address: z.string() })),
        daemonEndpoints: optional(z.object({ kubeletEndpoint: optional(z.object({ Port: number })) })),
        nodeInfo: optional(z.object({ kubeletVersion: text(), containerRuntimeVersion: text(), kernelVersion: text(), osImage: text() })),
        allocatable: optional(z.object({ cpu: optional(quantity), memory: optional(quantity), pods: optional(quantity) })),
      }),
    ),
  });
  return (raw: unknown): NodeObject | undefined => {
    const parsed = schema.safeParse(raw);
    if (!parsed.success) return undefined;
    const { metadata, spec, status } = parsed.data;
    const name = parseNodeName(metadata.name);
    if (name === undefined) return undefined;
    const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
    const labels = metadata.labels;
    return {
      name,
      uid: metadata.uid,
      ...present({
        createdMs: metadata.creationTimestamp,
        zone: entry(labels, "topology.kubernetes.io/zone") ?? entry(labels, "failure-domain.beta.kubernetes.io/zone"),
        kubeletPort: port !== undefined && Number.isInteger(port) && port > 0 && port <= MAX_PORT ? port : undefined,
      }),
      pool: poolOf(labels),
      unschedulable: spec?.unschedulable ?? false,
      taints: (spec?.taints ?? []).map((taint) => `${taint.key}${taint.value === undefined ? "" : `=${taint.value}`}${taint.effect === undefined ? "" : `:${taint.effect}`}`),
      conditions: (status?.conditions ?? []).map(({ type, status: value, reason, message, lastTransitionTime }): NodeCondition => ({ type, status: value, ...present({ reason, message, sinceMs: lastTransitionTime }) })),
      addresses: status?.addresses ?? [],
      versions: present({ kubelet: status?.nodeInfo?.kubeletVersion, runtime: status?.nodeInfo?.containerRuntimeVersion, kernel: status?.nodeInfo?.kernelVersion, os: status?.nodeInfo?.osImage }),
      allocatable: present({ cpuCores: amountOf(status?.allocatable?.cpu), memoryBytes: amountOf(status?.allocatable?.memory), pods: amountOf(status?.allocatable?.pods) }),
    };
  };
}
