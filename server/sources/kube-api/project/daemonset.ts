import { z } from "zod";
import { cniDaemonOf } from "../../../domain/cni-daemons";
import { parseNamespace, parseObjectName } from "../../../domain/ids";
import type { DaemonSetObject, Toleration } from "../../../domain/model";
import { containerSchema, resourcesOf } from "./containers";
import { present, uid, type Lenient } from "./fields";

const MAX_PATH_CHARS = 1_024;
/** Labels that every node has; a selector of these leaves out only other systems. */
const EVERY_NODES_LABELS: ReadonlySet<string> = new Set(["kubernetes.io/os", "beta.kubernetes.io/os"]);
const MAX_RV_CHARS = 128;

export function daemonSetProjection(fields: Lenient) {
  const { optional, text, time, number, list, map } = fields;
  const container = containerSchema(fields);
  const schema = z.object({
    metadata: z.object({ name: z.string(), namespace: z.string(), uid, resourceVersion: text(MAX_RV_CHARS), generation: number, creationTimestamp: time }),
    spec: optional(
      z.object({
        selector: optional(z.object({ matchLabels: map })),
        updateStrategy: optional(z.object({ type: text(), rollingUpdate: optional(z.object({ maxUnavailable: optional(z.union([z.string(), z.number()])) })) })),
        template: optional(
          z.object({
            spec: optional(
              z.object({
                containers: list(container),
                initContainers: list(container),
                volumes: list(z.object({ hostPath: optional(z.object({ path: text(MAX_PATH_CHARS) })) })),
                nodeSelector: map,
                priorityClassName: text(),
                affinity: optional(z.object({ nodeAffinity: optional(z.object({ requiredDuringSchedulingIgnoredDuringExecution: optional(z.unknown()) })) })),
                tolerations: list(z.object({ key: text(), operator: text(), value: text(), effect: text() })),
              }),
            ),
          }),
        ),
      }),
    ),
    status: optional(z.object({ observedGeneration: number, desiredNumberScheduled: number, numberReady: number, updatedNumberScheduled: number })),
  });
  return (raw: unknown): DaemonSetObject | undefined => {
    const parsed = schema.safeParse(raw);
    if (!parsed.success) return undefined;
    const { metadata, spec, status } = parsed.data;
    const namespace = parseNamespace(metadata.namespace);
    const name = parseObjectName(metadata.name);
    if (namespace === undefined || name === undefined) return undefined;
    const pod = spec?.template?.spec;
    const containers = [...(pod?.initContainers ?? []).map((one) => ({ one, init: true })), ...(pod?.containers ?? []).map((one) => ({ one, init: false }))];
    const maxUnavailable = spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
    return {
      uid: metadata.uid,
      namespace,
      name,
      ...present({ createdMs: metadata.creationTimestamp }),
      resourceVersion: metadata.resourceVersion ?? "",
      generation: metadata.generation ?? 0,
      ...present({ observedGeneration: status?.observedGeneration }),
      containers: containers.map(({ one, init }) => resourcesOf(one, init)),
      images: [...new Set(containers.flatMap(({ one }) => (one.image === undefined ? [] : [one.image])))],
      matchLabels: Object.fromEntries(Object.entries(spec?.selector?.matchLabels ?? {}).filter((pair): pair is [string, string] => typeof pair[1] === "string")),
      tolerations: (pod?.tolerations ?? []).map(({ key, operator, value, effect }): Toleration => present({ key, value: operator === "Exists" ? undefined : (value ?? ""), effect })),
      picksNodes: Object.keys(pod?.nodeSelector ?? {}).some((label) => !EVERY_NODES_LABELS.has(label)) || pod?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined,
      ...present({ priorityClass: pod?.priorityClassName }),
      hostPaths: [...new Set((pod?.volumes ?? []).flatMap((volume) => (volume.hostPath?.path === undefined ? [] : [volume.hostPath.path])))],
      updateStrategy: spec?.updateStrategy?.type === "OnDelete" ? "OnDelete" : "RollingUpdate",
      ...present({ maxUnavailable: maxUnavailable === undefined ? undefined : String(maxUnavailable) }),
      desired: status?.desiredNumberScheduled ?? 0,
      ready: status?.numberReady ?? 0,
      updated: status?.updatedNumberScheduled ?? 0,
    };
  };
}

const SYSTEM_NAMESPACE = "kube-system";
const SYSTEM_PRIORITY = "system-";

/** Kept: what lives in kube-system or has a priority of the system's, and every CNI daemon that the table or a mount gives away. */
export function isInterestingDaemonSet(daemonSet: DaemonSetObject): boolean {
  return daemonSet.namespace === SYSTEM_NAMESPACE || daemonSet.priorityClass?.startsWith(SYSTEM_PRIORITY) === true || cniDaemonOf(daemonSet, []) !== undefined;
}
