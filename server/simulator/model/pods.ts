import type { DaemonResources } from "./parameters";
import type { Random } from "./random";
import type { ContainerRecord, OwnerRecord, PodRecord } from "./records";

export const CNI_NAMESPACE = "kube-system";
export const CNI_DAEMON_SET = "kube-multus-ds";
export const CNI_CONTAINER = "kube-multus";
export const CNI_INIT_CONTAINER = "install-multus-binary";
export const CNI_GRACE_MS = 30_000;
/** Share of the long-running pods that ask for a second network. */
const SECOND_NETWORK_SHARE = 0.15;
export const SECOND_NETWORK = "storage-net";

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
  });
}

export function cniPod(random: Random, node: string, nowMs: number, owner: OwnerRecord, revision: string, generation: number, resources: DaemonResources, image: string): PodRecord {
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
  });
}
