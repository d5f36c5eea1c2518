import { z } from "zod";
import { parseNamespace, parseNodeName, parseObjectName } from "../../../domain/ids";
import type { DaemonPodDetail, DaemonSetObject, PodObject } from "../../../domain/model";
import { MAX_TEXT_CHARS } from "../text";
import { containerSchema, containerStatusSchema, daemonDetail, earliestStartMs } from "./containers";
import { entry, hasAny, present, uid, type Lenient } from "./fields";
import { filledIn, LIMIT_RANGER, MAX_LIMIT_RANGER_CHARS } from "./filled-in";
import { requestReader } from "./requests";
import { isSocketVolume, socketMountsOf } from "./socket-mounts";

/** Whether a pod's containers are to be kept; the second argument is the kept DaemonSet that owns it. */
export type IsDaemonPod = (pod: PodObject, daemonSet: DaemonSetObject | undefined) => boolean;

const NETWORKS = "k8s.v1.cni.cncf.io/networks";
const REVISION = "controller-revision-hash";
const NETWORK_STATUS = ["k8s.v1.cni.cncf.io/network-status", "k8s.v1.cni.cncf.io/networks-status"] as const;
/** The annotation may hold a JSON list of networks with their settings. */
const MAX_NETWORKS_CHARS = 1_024;
const PHASES = ["Pending", "Running", "Succeeded", "Failed", "Unknown"] as const;
const SYSTEM_NAMESPACE = "kube-system";
const SYSTEM_PRIORITY = "system-";
const READY_TO_START: ReadonlySet<string> = new Set(["PodReadyToStartContainers", "PodHasNetwork"]);
const SCHEDULED = "PodScheduled";
const READY = "Ready";
/** Volumes that something else must provide before the kubelet may try a sandbox. */
const ATTACHABLE = ["persistentVolumeClaim", "csi", "ephemeral"] as const;
/** An item whose type cannot be read passes, so that it is counted as dropped. */
const isUsedCondition = (item: unknown): boolean => {
  if (typeof item !== "object" || item === null || !("type" in item) || typeof item.type !== "string") return true;
  return item.type === SCHEDULED || item.type === READY || READY_TO_START.has(item.type);
};

export interface PodContext {
  readonly isDaemonPod: IsDaemonPod;
  /** The kept DaemonSet "namespace/name". */
  readonly daemonSet: (key: string) => DaemonSetObject | undefined;
  readonly intern: <T extends string>(text: T) => T;
}

export function podProjection(fields: Lenient, context: PodContext) {
  const { optional, text, time, flag, list, map } = fields;
  const { intern } = context;
  const anything = z.unknown();
  const container = containerSchema(fields);
  const statuses = list(containerStatusSchema(fields));
  const schema = z.object({
    metadata: z.object({
      name: z.string(),
      namespace: z.string(),
      uid,
      creationTimestamp: time,
      deletionTimestamp: text(),
      annotations: map,
      labels: map,
      ownerReferences: list(z.object({ kind: z.string(), name: z.string(), controller: flag })),
    }),
    spec: optional(
      z.object({
        nodeName: text(),
        hostNetwork: flag,
        priorityClassName: text(),
        affinity: optional(anything),
        volumes: list(anything, (volume) => hasAny(volume, ATTACHABLE) || isSocketVolume(volume)),
        resourceClaims: list(anything),
        overhead: optional(anything),
        resources: optional(anything),
        containers: optional(z.array(z.unknown())),
        initContainers: optional(z.array(z.unknown())),
      }),
    ),
    status: optional(
      z.object({
        phase: optional(z.enum(PHASES)),
        podIP: text(),
        podIPs: list(z.object({ ip: z.string().min(1) })),
        conditions: list(z.object({ type: z.string(), status: z.string(), lastTransitionTime: time, message: optional(anything) }), isUsedCondition),
        containerStatuses: statuses,
        initContainerStatuses: statuses,
        ephemeralContainerStatuses: statuses,
      }),
    ),
  });
  // Only for the few pods whose containers are kept.
  const containers = list(container);
  const requestsOf = requestReader();
  const affinitySchema = z.object({
    nodeAffinity: z.object({ requiredDuringSchedulingIgnoredDuringExecution: z.object({ nodeSelectorTerms: z.array(z.object({ matchFields: z.array(z.object({ key: z.string(), values: z.array(z.string()).length(1) })) })).length(1) }) }),
  });
  const message = text(MAX_TEXT_CHARS);

  function unscheduledOf(affinity: unknown, scheduled: { readonly message?: unknown; readonly lastTransitionTime?: number | undefined } | undefined): DaemonPodDetail["unscheduled"] {
    const parsed = affinitySchema.safeParse(affinity);
    const field = parsed.success ? parsed.data.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]?.matchFields.find(({ key }) => key === "metadata.name") : undefined;
    const forNode = field?.values[0] === undefined ? undefined : parseNodeName(field.values[0]);
    return present({ forNode: forNode === undefined ? undefined : intern(forNode), message: message.parse(scheduled?.message), sinceMs: scheduled?.lastTransitionTime });
  }

  return (raw: unknown): PodObject | undefined => {
    const parsed = schema.safeParse(raw);
    if (!parsed.success) return undefined;
    const { metadata, spec, status } = parsed.data;
    const namespace = parseNamespace(metadata.namespace);
    const name = parseObjectName(metadata.name);
    if (namespace === undefined || name === undefined) return undefined;
    const controller = metadata.ownerReferences.find((reference) => reference.controller === true);
    const node = spec?.nodeName === undefined ? undefined : parseNodeName(spec.nodeName);
    const condition = (match: (type: string) => boolean) => status?.conditions.find((one) => match(one.type));
    const scheduled = condition((type) => type === SCHEDULED);
    const readyToStart = condition((type) => READY_TO_START.has(type));
    const startedMs = earliestStartMs([...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? []), ...(status?.ephemeralContainerStatuses ?? [])]);
    const deleteByMs = metadata.deletionTimestamp === undefined ? Number.NaN : Date.parse(metadata.deletionTimestamp);
    const networks = entry(metadata.annotations, NETWORKS, MAX_NETWORKS_CHARS);
    const requests = requestsOf(spec ?? {});
    const socketMounts = spec === undefined || spec.volumes.length === 0 ? undefined : socketMountsOf(spec.volumes, spec.containers ?? [], status?.containerStatuses ?? []);
    const hasNetworkStatus = NETWORK_STATUS.some((key) => entry(metadata.annotations, key) !== undefined);
    const pod: PodObject = {
      uid: metadata.uid,
      namespace: intern(namespace),
      name,
      hostNetwork: spec?.hostNetwork ?? false,
      phase: status?.phase ?? "Unknown",
      deleting: metadata.deletionTimestamp !== undefined,
      hasIp: status?.podIP !== undefined || (status?.podIPs.length ?? 0) > 0,
      hasAttachableVolumes: spec?.volumes.some((volume) => hasAny(volume, ATTACHABLE)) ?? false,
      hasResourceClaims: (spec?.resourceClaims.length ?? 0) > 0,
      system: namespace === SYSTEM_NAMESPACE || (spec?.priorityClassName?.startsWith(SYSTEM_PRIORITY) ?? false),
      // One by one: spread from a single helper object each pod would cost 24 bytes more.
      ...(node === undefined ? {} : { node: intern(node) }),
      ...(metadata.creationTimestamp === undefined ? {} : { createdMs: metadata.creationTimestamp }),
      ...(scheduled?.status !== "True" || scheduled.lastTransitionTime === undefined ? {} : { scheduledMs: scheduled.lastTransitionTime }),
      ...(readyToStart === undefined ? {} : { readyToStart: { status: readyToStart.status === "True", ...(readyToStart.lastTransitionTime === undefined ? {} : { sinceMs: readyToStart.lastTransitionTime }) } }),
      ...(startedMs === undefined ? {} : { containerStartedMs: startedMs }),
      ...(controller === undefined ? {} : { owner: intern(`${controller.kind}/${controller.name}`) }),
      ...(Number.isNaN(deleteByMs) ? {} : { deleteByMs }),
      ...(requests === undefined ? {} : { requests }),
      ...(networks === undefined ? {} : { networks: intern(networks) }),
      ...(socketMounts === undefined ? {} : { socketMounts }),
      ...(hasNetworkStatus ? { hasNetworkStatus: true } : networks === undefined ? {} : { hasNetworkStatus: false }),
    };
    const daemonSet = controller?.kind === "DaemonSet" ? context.daemonSet(`${namespace}/${controller.name}`) : undefined;
    if (!context.isDaemonPod(pod, daemonSet)) return pod;
    const ready = condition((type) => type === READY);
    return {
      ...pod,
      daemon: daemonDetail({
        containers: containers.parse(spec?.containers),
        initContainers: containers.parse(spec?.initContainers),
        statuses: status?.containerStatuses ?? [],
        initStatuses: status?.initContainerStatuses ?? [],
        ready: ready?.status === "True",
        readySinceMs: ready?.lastTransitionTime,
        unscheduled: node === undefined ? unscheduledOf(spec?.affinity, scheduled) : undefined,
        revision: entry(metadata.labels, REVISION),
        filledIn: filledIn(entry(metadata.annotations, LIMIT_RANGER, MAX_LIMIT_RANGER_CHARS)),
      }),
    };
  };
}
