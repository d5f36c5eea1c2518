import { z } from "zod";
import { parseNamespace, parseNodeName, parseObjectName } from "../../../domain/ids";
import type { DaemonSetObject, PodObject } from "../../../domain/model";
import { containerSchema, containerStatusSchema, daemonDetail, earliestStartMs } from "./containers";
import { entry, present, uid, type Lenient } from "./fields";

/** Whether a pod's containers are to be kept; the second argument is the kept DaemonSet that owns it. */
export type IsDaemonPod = (pod: PodObject, daemonSet: DaemonSetObject | undefined) => boolean;

const NETWORKS = "k8s.v1.cni.cncf.io/networks";
const NETWORK_STATUS = ["k8s.v1.cni.cncf.io/network-status", "k8s.v1.cni.cncf.io/networks-status"] as const;
/** The annotation may hold a JSON list of networks with their settings. */
const MAX_NETWORKS_CHARS = 1_024;
const PHASES = ["Pending", "Running", "Succeeded", "Failed", "Unknown"] as const;
const SYSTEM_NAMESPACE = "kube-system";
const SYSTEM_PRIORITY = "system-";
const READY_TO_START = new Set(["PodReadyToStartContainers", "PodHasNetwork"]);

export interface PodContext {
  readonly isDaemonPod: IsDaemonPod;
  /** The kept DaemonSet "namespace/name". */
  readonly daemonSet: (key: string) => DaemonSetObject | undefined;
  readonly intern: <T extends string>(text: T) => T;
}

export function podProjection(fields: Lenient, context: PodContext) {
  const { optional, text, time, flag, list, map } = fields;
  const { intern } = context;
  const anything = optional(z.unknown());
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
      ownerReferences: list(z.object({ kind: z.string(), name: z.string(), controller: flag })),
    }),
    spec: optional(
      z.object({
        nodeName: text(),
        hostNetwork: flag,
        priorityClassName: text(),
        volumes: list(z.object({ persistentVolumeClaim: anything, csi: anything, ephemeral: anything })),
        resourceClaims: list(z.object({ name: z.string() })),
        containers: optional(z.array(z.unknown())),
        initContainers: optional(z.array(z.unknown())),
      }),
    ),
    status: optional(
      z.object({
        phase: optional(z.enum(PHASES)),
        podIP: text(),
        podIPs: list(z.object({ ip: z.string().min(1) })),
        conditions: list(z.object({ type: z.string(), status: z.string(), lastTransitionTime: time })),
        containerStatuses: statuses,
        initContainerStatuses: statuses,
        ephemeralContainerStatuses: statuses,
      }),
    ),
  });
  // Only for the few pods whose containers are kept.
  const containers = list(container);

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
    const scheduled = condition((type) => type === "PodScheduled");
    const readyToStart = condition((type) => READY_TO_START.has(type));
    const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? []), ...(status?.ephemeralContainerStatuses ?? [])];
    const networks = entry(metadata.annotations, NETWORKS, MAX_NETWORKS_CHARS);
    const hasNetworkStatus = NETWORK_STATUS.some((key) => entry(metadata.annotations, key) !== undefined);
    const pod: PodObject = {
      uid: metadata.uid,
      namespace: intern(namespace),
      name,
      hostNetwork: spec?.hostNetwork ?? false,
      phase: status?.phase ?? "Unknown",
      deleting: metadata.deletionTimestamp !== undefined,
      hasIp: status?.podIP !== undefined || (status?.podIPs.length ?? 0) > 0,
      hasAttachableVolumes: spec?.volumes.some((volume) => volume.persistentVolumeClaim !== undefined || volume.csi !== undefined || volume.ephemeral !== undefined) ?? false,
      hasResourceClaims: (spec?.resourceClaims.length ?? 0) > 0,
      system: namespace === SYSTEM_NAMESPACE || (spec?.priorityClassName?.startsWith(SYSTEM_PRIORITY) ?? false),
      ...present({
        node: node === undefined ? undefined : intern(node),
        createdMs: metadata.creationTimestamp,
        scheduledMs: scheduled?.status === "True" ? scheduled.lastTransitionTime : undefined,
        readyToStart: readyToStart === undefined ? undefined : { status: readyToStart.status === "True", ...present({ sinceMs: readyToStart.lastTransitionTime }) },
        containerStartedMs: earliestStartMs(all),
        owner: controller === undefined ? undefined : intern(`${controller.kind}/${controller.name}`),
        networks: networks === undefined ? undefined : intern(networks),
        hasNetworkStatus: hasNetworkStatus ? true : networks === undefined ? undefined : false,
      }),
    };
    const daemonSet = controller?.kind === "DaemonSet" ? context.daemonSet(`${namespace}/${controller.name}`) : undefined;
    if (!context.isDaemonPod(pod, daemonSet)) return pod;
    return {
      ...pod,
      daemon: daemonDetail({
        containers: containers.parse(spec?.containers),
        initContainers: containers.parse(spec?.initContainers),
        statuses: status?.containerStatuses ?? [],
        initStatuses: status?.initContainerStatuses ?? [],
        ready: condition((type) => type === "Ready")?.status === "True",
      }),
    };
  };
}
