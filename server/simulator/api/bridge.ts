import type { ClusterModel } from "../model/cluster";
import { REVISIONS_KEPT, type TemplateRevision } from "../model/daemon-set";
import { installerOf } from "../model/installer";
import type { NodeModel } from "../model/node";
import { barePod, CNI_CONTAINER, CNI_DAEMON_SET, CNI_NAMESPACE } from "../model/pods";
import { EVENT_TTL_MS } from "../model/recorder";
import type { EventRecord, PodRecord } from "../model/records";
import { cniDaemonSetObject, daemonSetStatus, withTemplate } from "../objects/daemon-set";
import { controllerRevisionObject } from "../objects/controller-revision";
import { eventObject } from "../objects/event";
import { ATTACHMENTS, attachmentObject, CONFIG_MAPS, DAEMON_CONFIG_MAP, daemonConfigObject, fixedObjects } from "../objects/fixed";
import type { KubeObject } from "../objects/json";
import { nodeObject } from "../objects/node";
import { podObject } from "../objects/pod";
import { readResources, record } from "../objects/resources";
import { invalid, notFound } from "./status";
import { objectKey, type ObjectStore } from "./store";

const NODES = "/nodes";
const PODS = "/pods";
const EVENTS = "/events";
const DAEMON_SETS = "apps/daemonsets";
const REVISIONS = "apps/controllerrevisions";
const NETWORKS = "k8s.v1.cni.cncf.io/networks";
/** Taints that the cluster itself sets; those of people are kept beside them. */
const OWN_TAINT = /^node\.kubernetes\.io\//;

interface Overlay {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly unknown[];
}

/** Keeps the objects of the store equal to the model, and carries what clients write into the model. */
export class ClusterBridge {
  /** What clients wrote onto objects that are otherwise rendered anew; gone with the object. */
  private readonly overlays = new Map<string, Overlay>();
  private refreshes = 0;
  private revisions: KubeObject[] = [];

  constructor(
    readonly model: ClusterModel,
    readonly store: ObjectStore,
    private readonly kubeletPort: (node: string) => number,
  ) {
    for (const { resource, object } of fixedObjects(model)) store.put(resource, object);
    const daemonSet = store.put(DAEMON_SETS, cniDaemonSetObject(model.daemonSet, model.parameters.startMs));
    for (const revision of model.daemonSet.revisions) this.putRevision(withTemplate(daemonSet, { ...revision, strategy: model.daemonSet.strategy }), revision);
  }

  /** The state as it stands now, with the events of the last hour: what the model did before nobody watched. */
  load(events: Iterable<EventRecord>): void {
    this.model.takeChanges();
    this.refreshNodes(1);
    this.putDaemonSet();
    for (const node of this.model.nodes.values()) for (const pod of node.kubelet.pods.values()) this.putPod(pod);
    for (const pod of this.model.daemonSet.unplaced()) this.putPod(pod);
    for (const event of events) this.putEvent(event);
  }

  /** Brings everything over that the model changed since the last call. */
  sync(): void {
    const changes = this.model.takeChanges();
    for (const name of changes.nodes) this.putNode(name);
    if (changes.daemonSet) this.putDaemonSet();
    if (changes.daemonConfig) this.store.put(CONFIG_MAPS, daemonConfigObject(this.model));
    for (const key of changes.attachments) this.putAttachment(key);
    for (const pod of changes.gonePods) this.dropPod(pod);
    for (const pod of changes.pods) this.putPod(pod);
    for (const event of changes.events) this.putEvent(event);
  }

  /**
   * Nodes post their heartbeat into a lease; the object itself changes only every few minutes, as in a real cluster. Each
   * call refreshes every `parts`th node, another one each time.
   */
  refreshNodes(parts: number): void {
    let index = this.refreshes++;
    for (const name of this.model.nodes.keys()) if (index++ % parts === 0) this.putNode(name);
  }

  /** Events end an hour after their last change. */
  expireEvents(): void {
    for (const event of this.store.list(EVENTS)) {
      const last = Date.parse(String(event["lastTimestamp"] ?? event["eventTime"] ?? event.metadata.creationTimestamp));
      if (this.model.nowMs - last > EVENT_TTL_MS) this.store.remove(EVENTS, objectKey(event.metadata.namespace, event.metadata.name));
    }
  }

  /** Throws where the object may not look like that. */
  check(resource: string, name: string, next: KubeObject): void {
    if (resource !== DAEMON_SETS) return;
    const containers = templateContainers(next);
    for (const [index, container] of containers.entries()) {
      const read = readResources(record(container)["resources"]);
      if ("problem" in read) throw invalid("DaemonSet", "apps", name, `spec.template.spec.containers[${index}].${read.problem.field}`, read.problem.value, read.problem.message);
    }
    if (containers.length === 0) throw invalid("DaemonSet", "apps", name, "spec.template.spec.containers", "null", "Required value");
  }

  /** A client's change of an object that the model owns; the store is written by the caller or by the next sync. */
  written(resource: string, before: KubeObject, next: KubeObject): KubeObject {
    if (resource === DAEMON_SETS && before.metadata.name === CNI_DAEMON_SET && before.metadata.namespace === CNI_NAMESPACE) return this.daemonSetWritten(before, next);
    if (resource === NODES) return this.nodeWritten(next);
    if (resource === PODS) return this.podWritten(next);
    if (resource === ATTACHMENTS) this.model.attachments.put(objectKey(next.metadata.namespace, next.metadata.name), String(record(next["spec"])["config"] ?? ""));
    if (resource === CONFIG_MAPS && next.metadata.name === DAEMON_CONFIG_MAP && next.metadata.namespace === CNI_NAMESPACE) this.model.daemonConfig.set(String(record(next["data"])["daemon-config.json"] ?? ""), this.model.nowMs);
    return this.store.put(resource, next);
  }

  podByKey(namespace: string, name: string): { readonly node: NodeModel; readonly pod: PodRecord } {
    const uid = this.store.get(PODS, objectKey(namespace, name))?.metadata.uid;
    for (const node of uid === undefined ? [] : this.model.nodes.values()) {
      const pod = node.kubelet.pods.get(uid ?? "");
      if (pod !== undefined) return { node, pod };
    }
    throw notFound("pods", name);
  }

  /** On the node that it names, else on the one with the fewest pods that takes any; nothing else of its spec matters here. */
  createPod(object: KubeObject): KubeObject {
    const { name, namespace = "default", labels = {}, annotations = {} } = object.metadata;
    const [container] = containersOf(object["spec"]);
    if (container === undefined) throw invalid("Pod", "", name, "spec.containers", "null", "Required value");
    const wanted = record(object["spec"])["nodeName"];
    const nodes = [...this.model.nodes.values()].filter((n) => (wanted === undefined ? n.ready.status === "True" && !n.unschedulable : n.parameters.name === wanted) && n.kubelet.pods.size < n.parameters.maxPods);
    const node = nodes.sort((a, b) => a.kubelet.pods.size - b.kubelet.pods.size)[0];
    if (node === undefined) throw invalid("Pod", "", name, "spec.nodeName", String(wanted ?? ""), "no node of this simulated cluster takes it");
    const networks = annotations[NETWORKS];
    const pod = barePod(node.random, node.parameters.name, this.model.nowMs, {
      namespace,
      name,
      labels,
      ...(networks === undefined ? {} : { networks }),
      container: String(record(container)["name"] ?? "main"),
      image: String(record(container)["image"] ?? "none"),
    });
    node.addPod(pod);
    this.sync();
    return this.store.get(PODS, objectKey(namespace, name)) ?? object;
  }

  deletePod(namespace: string, name: string, graceSeconds: number | undefined): KubeObject {
    const { node, pod } = this.podByKey(namespace, name);
    if (graceSeconds === 0) {
      // A forced deletion takes the object away at once; what is left on the node is the node's affair.
      node.kubelet.drop(pod.uid);
      this.dropPod(pod);
      return podObject(pod, node.parameters.address);
    }
    if (graceSeconds !== undefined) pod.graceMs = graceSeconds * 1_000;
    node.deletePod(pod, this.model.nowMs);
    this.sync();
    return this.store.get(PODS, objectKey(namespace, name)) ?? podObject(pod, node.parameters.address);
  }

  /** The resize subresource: the container's resources change in place. */
  resizePod(namespace: string, name: string, next: KubeObject): KubeObject {
    const { node, pod } = this.podByKey(namespace, name);
    const container = containersOf(next["spec"]).find((c) => record(c)["name"] === pod.container.name);
    const read = readResources(record(container)["resources"]);
    if ("problem" in read) throw invalid("Pod", "", name, `spec.containers[0].${read.problem.field}`, read.problem.value, read.problem.message);
    if (pod.kind !== "cni-daemon") throw invalid("Pod", "", name, "spec", name, "only the CNI daemon's pod can be resized in this simulated cluster");
    node.resizeDaemon(pod, read.resources);
    this.sync();
    return this.store.get(PODS, objectKey(namespace, name)) ?? next;
  }

  private daemonSetWritten(before: KubeObject, next: KubeObject): KubeObject {
    const { daemonSet } = this.model;
    const spec = record(next["spec"]);
    if (JSON.stringify(before["spec"]) === JSON.stringify(next["spec"])) return this.store.put(DAEMON_SETS, next);
    const strategy = record(spec["updateStrategy"]);
    daemonSet.strategy = strategy["type"] === "OnDelete" ? "OnDelete" : "RollingUpdate";
    daemonSet.maxUnavailable = amountOf(record(strategy["rollingUpdate"])["maxUnavailable"], this.model.nodes.size);
    if (JSON.stringify(record(before["spec"])["template"]) === JSON.stringify(spec["template"])) daemonSet.generation += 1;
    else {
      const container = record(templateContainers(next).find((c) => record(c)["name"] === CNI_CONTAINER) ?? templateContainers(next)[0]);
      const read = readResources(container["resources"]);
      const init = record(initContainersOf(next)[0]);
      const command = init["command"];
      const installer = Array.isArray(command) ? { installer: installerOf(command.map(String)) } : {};
      const initLimited = record(record(init["resources"])["limits"])["memory"] !== undefined;
      if ("resources" in read) daemonSet.setTemplate({ resources: read.resources, image: String(container["image"] ?? daemonSet.image), initLimited, ...installer });
    }
    if (JSON.stringify(record(before["spec"])["template"]) !== JSON.stringify(spec["template"])) this.putRevision(next);
    const stored = this.store.put(DAEMON_SETS, { ...next, metadata: { ...next.metadata, generation: daemonSet.generation } });
    this.sync();
    return stored;
  }

  private nodeWritten(next: KubeObject): KubeObject {
    const node = this.model.nodes.get(next.metadata.name);
    if (node === undefined) throw notFound("nodes", next.metadata.name);
    const spec = record(next["spec"]);
    node.unschedulable = spec["unschedulable"] === true;
    const taints = Array.isArray(spec["taints"]) ? (spec["taints"] as readonly unknown[]).filter((taint) => !OWN_TAINT.test(String(record(taint)["key"]))) : []; // an array, just checked
    this.overlays.set(node.uid, { ...metadataOverlay(next), taints });
    this.putNode(node.parameters.name);
    return this.store.get(NODES, node.parameters.name) ?? next;
  }

  private podWritten(next: KubeObject): KubeObject {
    const { pod } = this.podByKey(next.metadata.namespace ?? "", next.metadata.name);
    this.overlays.set(pod.uid, metadataOverlay(next));
    this.putPod(pod);
    return this.store.get(PODS, objectKey(pod.namespace, pod.name)) ?? next;
  }

  private putNode(name: string): void {
    const node = this.model.nodes.get(name);
    if (node === undefined) return;
    const object = nodeObject(node, this.kubeletPort(name), this.model.nowMs);
    const overlay = this.overlays.get(node.uid);
    const taints = [...((record(object["spec"])["taints"] as readonly unknown[] | undefined) ?? []), ...(overlay?.taints ?? [])]; // written by nodeObject
    this.store.put(NODES, { ...withOverlay(object, overlay), spec: { ...record(object["spec"]), ...(taints.length === 0 ? {} : { taints }) } });
  }

  private putAttachment(key: string): void {
    const object = attachmentObject(this.model, key);
    if (object === undefined) this.store.remove(ATTACHMENTS, key);
    else this.store.put(ATTACHMENTS, object);
  }

  private putEvent(event: EventRecord): void {
    if (this.model.nowMs - event.lastMs <= EVENT_TTL_MS) this.store.put(EVENTS, eventObject(event));
  }

  private putPod(pod: PodRecord): void {
    const node = this.model.nodes.get(pod.node);
    if (node === undefined || (pod.scheduledMs !== undefined && !node.kubelet.pods.has(pod.uid))) return;
    this.store.put(PODS, withOverlay(podObject(pod, node.parameters.address), this.overlays.get(pod.uid)));
  }

  private dropPod(pod: PodRecord): void {
    const key = objectKey(pod.namespace, pod.name);
    if (this.store.get(PODS, key)?.metadata.uid === pod.uid) this.store.remove(PODS, key);
    this.overlays.delete(pod.uid);
  }

  /** As the controller does before it says that it has taken a generation in. */
  private putRevision(daemonSet: KubeObject, { hash, madeMs }: Pick<TemplateRevision, "hash" | "madeMs"> = { hash: this.model.daemonSet.revision, madeMs: this.model.nowMs }): void {
    const last = Number(this.revisions.at(-1)?.["revision"] ?? 0);
    this.revisions.push(this.store.put(REVISIONS, controllerRevisionObject(daemonSet, hash, last + 1, madeMs)));
    const [oldest] = this.revisions;
    if (this.revisions.length <= REVISIONS_KEPT || oldest === undefined) return;
    this.revisions.shift();
    this.store.remove(REVISIONS, objectKey(oldest.metadata.namespace, oldest.metadata.name));
  }

  /** Its status, and its template where the cluster changed it by itself: what a client wrote has its generation already. */
  private putDaemonSet(): void {
    const stored = this.store.get(DAEMON_SETS, objectKey(CNI_NAMESPACE, CNI_DAEMON_SET));
    if (stored === undefined) return;
    const { daemonSet } = this.model;
    const next = stored.metadata["generation"] === daemonSet.generation ? stored : withTemplate(stored, daemonSet);
    if (JSON.stringify(record(stored["spec"])["template"]) !== JSON.stringify(record(next["spec"])["template"])) this.putRevision(next);
    this.store.put(DAEMON_SETS, { ...next, metadata: { ...next.metadata, generation: daemonSet.generation }, status: daemonSetStatus(daemonSet) });
  }
}

const metadataOverlay = (object: KubeObject): Overlay => ({ labels: object.metadata.labels ?? {}, annotations: object.metadata.annotations ?? {} });

function withOverlay(object: KubeObject, overlay: Overlay | undefined): KubeObject {
  if (overlay === undefined) return object;
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...overlay.labels }, annotations: { ...overlay.annotations, ...object.metadata.annotations } } };
}

const containersOf = (spec: unknown): readonly unknown[] => {
  const containers = record(spec)["containers"];
  return Array.isArray(containers) ? (containers as readonly unknown[]) : []; // an array, just checked
};
const initContainersOf = (daemonSet: KubeObject): readonly unknown[] => {
  const containers = record(record(record(daemonSet["spec"])["template"])["spec"])["initContainers"];
  return Array.isArray(containers) ? (containers as readonly unknown[]) : []; // an array, just checked
};
const templateContainers = (daemonSet: KubeObject): readonly unknown[] => containersOf(record(record(daemonSet["spec"])["template"])["spec"]);

/** A count, or a share of the nodes as "10%", rounded up. */
function amountOf(value: unknown, nodes: number): number {
  const text = String(value ?? 1);
  const amount = text.endsWith("%") ? Math.ceil((nodes * Number(text.slice(0, -1))) / 100) : Number(text);
  return Number.isFinite(amount) && amount >= 1 ? Math.floor(amount) : 1;
}
