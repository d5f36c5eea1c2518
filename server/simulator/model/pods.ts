import type { Installer } from "./installer";
import type { DaemonResources } from "./parameters";
import type { Random } from "./random";
import type { ContainerRecord, HostMount, OwnerRecord, PodRecord } from "./records";

export const CNI_NAMESPACE = "kube-system";
export const CNI_DAEMON_SET = "kube-multus-ds";
export const CNI_CONTAINER = "kube-multus";
export const CNI_INIT_CONTAINER = "install-multus-binary";
export const CNI_GRACE_MS = 30_000;
/** Share of the long-running pods that ask for a second network. */
const SECOND_NETWORK_SHARE = 0.15;
export const SECOND_NETWORK = "storage-net";
export const SECOND_NETWORK_CONFIG = JSON.stringify({ cniVersion: "1.0.0", name: SECOND_NETWORK, type: "macvlan", master: "eth1", mode: "bridge", ipam: { type: "host-local", subnet: "10.250.0.0/24" } });
export const NAMESPACES_WITH_SECOND_NETWORK = ["shop", "billing", "data", "platform"] as const;

const SERVICES = [
  ["shop", "storefront"], ["shop", "cart"], ["shop", "search"], ["shop", "checkout"], ["shop", "catalog"],
  ["billing", "ledger"], ["billing", "invoices"], ["billing", "payments"],
  ["data", "ingest"], ["data", "stream-worker"], ["data", "feature-cache"], ["data", "exporter"],
  ["platform", "gateway"], ["platform", "identity"], ["platform", "mailer"],
] as const;
const JOBS = [["data", "rollup"], ["billing", "reconcile"], ["shop", "reindex"], ["platform", "cleanup"]] as const;
const HOST_NETWORK = [["kube-system", "kube-proxy"], ["monitoring", "node-exporter"], ["kube-system", "csi-node"], ["monitoring", "log-shipper"], ["kube-system", "node-local-dns"]] as const;
export const NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease", "monitoring", "shop", "billing", "data", "platform"] as const;

const DEFAULT_GRACE_MS = 30_000;
/** What a pod of the workload asks for. */
const REQUEST_CORES = 0.01;
const LEAST_REQUEST_BYTES = 32 * 2 ** 20;
const REQUEST_STEP_BYTES = 16 * 2 ** 20;
const REQUEST_STEPS = 4;
const SYSTEM_LIMIT_BYTES = 256 * 2 ** 20;
/** Told apart by their names, so that they differ. */
const requestBytes = (name: string): number => LEAST_REQUEST_BYTES + (name.length % REQUEST_STEPS) * REQUEST_STEP_BYTES;

const container = (name: string, image: string): ContainerRecord => ({ name, image, id: undefined, state: "waiting", waitingReason: "ContainerCreating", startedMs: undefined, restarts: 0, terminated: undefined, last: undefined });

interface Base {
  readonly namespace: string;
  readonly name: string;
  readonly generateName: string;
  readonly owner?: OwnerRecord;
  readonly kind: PodRecord["kind"];
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  readonly containerName: string;
  readonly graceMs?: number;
  readonly networks?: string;
  readonly init?: ContainerRecord;
  readonly resources?: DaemonResources;
  readonly revision?: string;
  readonly installer?: Installer;
  readonly initLimited?: boolean;
  readonly mounts?: readonly HostMount[];
  readonly device?: string;
  readonly memoryRequestBytes?: number;
  readonly memoryLimitBytes?: number;
}

function make(random: Random, node: string, nowMs: number, base: Base): PodRecord {
  return {
    uid: random.uuid(),
    namespace: base.namespace,
    name: base.name,
    generateName: base.generateName,
    owner: base.owner,
    kind: base.kind,
    labels: base.labels,
    node,
    createdMs: nowMs,
    scheduledMs: nowMs,
    unschedulable: undefined,
    graceMs: base.graceMs ?? DEFAULT_GRACE_MS,
    networks: base.networks,
    networkStatus: undefined,
    phase: "Pending",
    startMs: undefined,
    deletingMs: undefined,
    sandboxReady: { status: false, sinceMs: nowMs, message: "no pod sandbox exists" },
    initialized: { status: base.init === undefined, sinceMs: nowMs },
    ready: { status: false, sinceMs: nowMs },
    ip: undefined,
    container: container(base.containerName, base.image),
    init: base.init,
    resources: base.resources,
    revision: base.revision ?? "",
    installer: base.installer ?? "install_multus",
    initLimited: base.initLimited ?? false,
    mounts: base.mounts ?? [],
    device: base.device,
    requests: { cpuCores: base.resources?.cpuRequestCores ?? REQUEST_CORES, memoryBytes: base.memoryRequestBytes ?? base.resources?.memoryRequestBytes ?? requestBytes(base.name) },
    memoryLimitBytes: base.memoryLimitBytes ?? base.resources?.memoryLimitBytes,
    resourcesGeneration: 1,
  };
}

/** A pod that a client makes by itself: it runs until it is deleted, and nothing replaces it. */
export function barePod(random: Random, node: string, nowMs: number, given: { readonly namespace: string; readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly networks?: string; readonly container: string; readonly image: string }): PodRecord {
  const { namespace, name, labels, networks, container: containerName, image } = given;
  return make(random, node, nowMs, { namespace, name, generateName: "", kind: "bare", labels, image, containerName, ...(networks === undefined ? {} : { networks }) });
}

/** Uids of owners follow from their names, so that every pod of a ReplicaSet names the same one. */
const ownerUid = (random: Random, text: string): string => random.fork(`owner/${text}`).uuid();

/** A pod of one of the cluster's Deployments; `cluster` is the stream that all nodes share for owners. */
export function servicePod(random: Random, cluster: Random, node: string, nowMs: number): PodRecord {
  const [namespace, app] = random.pick(SERVICES, SERVICES[0]);
  const hash = cluster.fork(`rs/${app}`).suffix(10);
  const set = `${app}-${hash}`;
  return make(random, node, nowMs, {
    namespace,
    name: `${set}-${random.suffix(5)}`,
    generateName: `${set}-`,
    owner: { kind: "ReplicaSet", name: set, uid: ownerUid(cluster, set) },
    kind: "service",
    labels: { app, "pod-template-hash": hash },
    image: `registry.example/${namespace}/${app}:2.${app.length}`,
    containerName: app,
    ...(random.float() < SECOND_NETWORK_SHARE ? { networks: SECOND_NETWORK } : {}),
  });
}

export function jobPod(random: Random, cluster: Random, node: string, nowMs: number, cronJob: number): PodRecord {
  const [namespace, app] = JOBS[cronJob % JOBS.length] ?? JOBS[0];
  const job = `${app}-${Math.floor(nowMs / 60_000)}-${random.suffix(3)}`;
  return make(random, node, nowMs, {
    namespace,
    name: `${job}-${random.suffix(5)}`,
    generateName: `${job}-`,
    owner: { kind: "Job", name: job, uid: ownerUid(cluster, job) },
    kind: "job",
    labels: { app, "job-name": job },
    image: `registry.example/${namespace}/${app}:1.4`,
    containerName: app,
  });
}

export function hostNetworkPod(random: Random, cluster: Random, node: string, nowMs: number, index: number): PodRecord {
  const [namespace, app] = HOST_NETWORK[index % HOST_NETWORK.length] ?? HOST_NETWORK[0];
  const set = index < HOST_NETWORK.length ? app : `${app}-${Math.floor(index / HOST_NETWORK.length) + 1}`;
  return make(random, node, nowMs, {
    namespace,
    name: `${set}-${random.suffix(5)}`,
    generateName: `${set}-`,
    owner: { kind: "DaemonSet", name: set, uid: ownerUid(cluster, set) },
    kind: "host-network",
    labels: { "app.kubernetes.io/name": set, "pod-template-generation": "1" },
    image: `registry.example/system/${app}:1.9`,
    containerName: app,
    memoryLimitBytes: SYSTEM_LIMIT_BYTES,
  });
}

/** From what a DaemonSet makes its pods. */
export interface DaemonTemplate {
  readonly resources: DaemonResources;
  readonly image: string;
  readonly installer: Installer;
  /** Whether its init container has limits: without one the pod's own cgroup has none either. */
  readonly initLimited: boolean;
}

export function cniPod(random: Random, node: string, nowMs: number, owner: OwnerRecord, revision: string, generation: number, { resources, image, installer, initLimited }: DaemonTemplate): PodRecord {
  return make(random, node, nowMs, {
    namespace: CNI_NAMESPACE,
    name: `${CNI_DAEMON_SET}-${random.suffix(5)}`,
    generateName: `${CNI_DAEMON_SET}-`,
    owner,
    kind: "cni-daemon",
    labels: { app: "multus", name: "multus", tier: "node", "controller-revision-hash": revision, "pod-template-generation": String(generation) },
    image,
    containerName: CNI_CONTAINER,
    graceMs: CNI_GRACE_MS,
    init: container(CNI_INIT_CONTAINER, image),
    resources,
    revision,
    installer,
    initLimited,
  });
}

/** A pod that some controller keeps on this node beside the usual ones. */
export interface ExtraPods {
  readonly namespace: string;
  readonly app: string;
  readonly count: number;
  /** One of a DaemonSet's, or of a Deployment's. */
  readonly of: "DaemonSet" | "ReplicaSet";
  readonly hostNetwork?: boolean;
  readonly networks?: string;
  readonly mounts?: readonly Pick<HostMount, "hostPath" | "mountPath" | "kind">[];
  /** Each is given one of the node's functions of a network card. */
  readonly device?: string;
  readonly memoryRequestBytes?: number;
  readonly memoryLimitBytes?: number;
}

export function extraPod(random: Random, cluster: Random, node: string, nowMs: number, of: ExtraPods): PodRecord {
  const { namespace, app } = of;
  const owner = of.of === "DaemonSet" ? app : `${app}-${cluster.fork(`rs/${app}`).suffix(10)}`;
  return make(random, node, nowMs, {
    namespace,
    name: `${owner}-${random.suffix(5)}`,
    generateName: `${owner}-`,
    owner: { kind: of.of, name: owner, uid: ownerUid(cluster, owner) },
    kind: of.hostNetwork === true ? "host-network" : "extra",
    labels: { app },
    image: `registry.example/${namespace}/${app}:1.2`,
    containerName: app,
    mounts: (of.mounts ?? []).map((mount) => ({ ...mount, inode: undefined, pid: undefined })),
    ...(of.networks === undefined ? {} : { networks: of.networks }),
    ...(of.device === undefined ? {} : { device: of.device }),
    ...(of.memoryRequestBytes === undefined ? {} : { memoryRequestBytes: of.memoryRequestBytes }),
    ...(of.memoryLimitBytes === undefined ? {} : { memoryLimitBytes: of.memoryLimitBytes }),
  });
}
