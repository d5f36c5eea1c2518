import { SIMULATED_UID_PREFIX } from "../../domain/observation";
import { NetworkAttachments } from "./attachments";
import { DaemonConfigMap } from "./daemon-config";
import { CniDaemonSet } from "./daemon-set";
import { NodeModel } from "./node";
import { NAMESPACES_WITH_SECOND_NETWORK, SECOND_NETWORK, SECOND_NETWORK_CONFIG, type DaemonTemplate } from "./pods";
import type { DaemonResources, NodeParameters } from "./parameters";
import { Random } from "./random";
import { aboutNode, EventRecorder } from "./recorder";
import type { ChangeSink, EventRecord, PodRecord } from "./records";
import { Workload } from "./workload";

/** Controllers look once a second; between two looks the nodes run on their own. */
export const STEP_MS = 1_000;
/** A node that has not posted its status for this long is Unknown; its pods are given up after five minutes more. */
const NODE_GRACE_MS = 50_000;
const EVICTION_MS = 300_000;
const STOPPED_POSTING = "Kubelet stopped posting node status.";

export interface ClusterParameters {
  readonly seed: string;
  readonly startMs: number;
  readonly nodes: readonly NodeParameters[];
  readonly daemonResources: DaemonResources;
  /** How the CNI's DaemonSet differs from the usual one. */
  readonly daemonTemplate?: Partial<DaemonTemplate>;
  /** Network attachments beside the usual ones, "namespace/name" → config. */
  readonly attachments?: ReadonlyMap<string, string>;
  /** Nodes whose daemon pod has resources of its own, as after an in-place resize. */
  readonly ownResources?: ReadonlyMap<string, DaemonResources>;
}

/** What changed since it was last asked: the records themselves, to be read now. */
export interface Changes {
  readonly pods: ReadonlySet<PodRecord>;
  readonly gonePods: readonly PodRecord[];
  readonly events: ReadonlySet<EventRecord>;
  readonly nodes: ReadonlySet<string>;
  readonly daemonSet: boolean;
  /** Network attachments by "namespace/name". */
  readonly attachments: ReadonlySet<string>;
  /** The ConfigMap with the daemon's config. */
  readonly daemonConfig: boolean;
}

/** All nodes with the controllers above them. Moves in whole seconds, so the steps that a caller takes change nothing. */
export class ClusterModel implements ChangeSink {
  readonly nodes = new Map<string, NodeModel>();
  readonly daemonSet: CniDaemonSet;
  readonly attachments: NetworkAttachments;
  readonly daemonConfig: DaemonConfigMap;
  readonly random: Random;
  /** Tells a simulated cluster from every other, and one scenario and seed from another. */
  readonly systemUid: string;
  nowMs: number;
  private readonly workloads = new Map<string, Workload>();
  private readonly script: { readonly atMs: number; readonly run: () => void }[] = [];
  private readonly controllerEvents: EventRecorder;
  private changes = emptyChanges();
  private evictedMs = new Map<string, number>();
  /** What kubelets that are cut off could not tell. */
  private withheld = emptyChanges();

  constructor(readonly parameters: ClusterParameters) {
    this.random = new Random(parameters.seed);
    this.nowMs = parameters.startMs;
    this.systemUid = `${SIMULATED_UID_PREFIX}${parameters.seed}`;
    const scheduler = new EventRecorder(this.random.fork("scheduler"), "default-scheduler", undefined, this);
    this.controllerEvents = new EventRecorder(this.random.fork("node-controller"), "node-controller", undefined, this);
    this.attachments = new NetworkAttachments((key) => this.changes.attachments.add(key));
    this.daemonConfig = new DaemonConfigMap(parameters.startMs, () => {
      this.changes.daemonConfig = true;
    });
    for (const [key, config] of parameters.attachments ?? []) this.attachments.put(key, config);
    for (const namespace of NAMESPACES_WITH_SECOND_NETWORK) this.attachments.put(`${namespace}/${SECOND_NETWORK}`, SECOND_NETWORK_CONFIG);
    for (const node of parameters.nodes) {
      const model = new NodeModel(node, this.random.fork(`node/${node.name}`), { sink: this, attachments: this.attachments, daemonConfig: this.daemonConfig }, node.beginsMs ?? parameters.startMs);
      this.nodes.set(node.name, model);
      this.workloads.set(node.name, new Workload(model, this.random.fork(`workload/${node.name}`), this.random, scheduler));
    }
    this.daemonSet = new CniDaemonSet(this.random.fork("daemon-set"), parameters.daemonResources, this.nodes, scheduler, () => {
      this.changes.daemonSet = true;
    });
    this.daemonSet.template = { ...this.daemonSet.template, ...parameters.daemonTemplate };
    this.daemonSet.populate(parameters.startMs, parameters.ownResources ?? new Map());
    for (const [name, workload] of this.workloads) {
      workload.populate();
      this.changes.nodes.add(name);
    }
    this.changes.daemonSet = true;
  }

  /** Runs once when the model reaches that moment. */
  at(atMs: number, run: () => void): void {
    this.script.push({ atMs, run });
    this.script.sort((a, b) => a.atMs - b.atMs);
  }

  /** Takes the whole seconds up to `toMs`. */
  advance(toMs: number): void {
    while (this.nowMs + STEP_MS <= toMs) this.step(this.nowMs + STEP_MS);
  }

  takeChanges(): Changes {
    const taken = this.changes;
    this.changes = emptyChanges();
    return taken;
  }

  workload(node: string): Workload | undefined {
    return this.workloads.get(node);
  }

  findPod(uid: string): PodRecord | undefined {
    for (const node of this.nodes.values()) {
      const pod = node.kubelet.pods.get(uid);
      if (pod !== undefined) return pod;
    }
    return undefined;
  }

  pod(pod: PodRecord): void {
    this.heard(pod.node).pods.add(pod);
    this.workloads.get(pod.node)?.touch();
  }

  podGone(pod: PodRecord): void {
    const changes = this.heard(pod.node);
    changes.pods.delete(pod);
    changes.gonePods.push(pod);
    this.workloads.get(pod.node)?.touch();
  }

  event(event: EventRecord): void {
    this.heard(event.host).events.add(event);
  }

  node(name: string): void {
    this.changes.nodes.add(name);
  }

  private heard(node: string | undefined): MutableChanges {
    return node !== undefined && this.nodes.get(node)?.silent === true ? this.withheld : this.changes;
  }

  /** A kubelet that is heard again tells what it could not. */
  private catchUp(): void {
    const { pods, events, gonePods } = this.withheld;
    if (pods.size + events.size + gonePods.length === 0) return;
    this.withheld = emptyChanges();
    for (const pod of pods) this.pod(pod);
    for (const pod of gonePods) this.podGone(pod);
    for (const event of events) this.event(event);
  }

  private step(toMs: number): void {
    for (let next = this.script[0]; next !== undefined && next.atMs <= this.nowMs; next = this.script[0]) {
      this.script.shift();
      next.run();
    }
    for (const node of this.nodes.values()) if (node.createdMs < toMs) node.advance(toMs);
    this.nowMs = toMs;
    this.catchUp();
    for (const node of this.nodes.values()) if (node.createdMs < toMs) this.watchNode(node);
    this.daemonSet.step(toMs);
    for (const workload of this.workloads.values()) workload.step(toMs);
  }

  /** The node controller: a node that is silent becomes Unknown, and after a while its pods are given up. */
  private watchNode(node: NodeModel): void {
    const { name } = node.parameters;
    const silentMs = this.nowMs - node.heartbeatMs;
    if (silentMs <= NODE_GRACE_MS) {
      this.evictedMs.delete(name);
      if (node.ready.status === "Unknown") {
        node.ready = { status: "True", sinceMs: this.nowMs, reason: "KubeletReady", message: "kubelet is posting ready status" };
        this.controllerEvents.record(this.nowMs, aboutNode(name), "Normal", "NodeReady", `Node ${name} status is now: NodeReady`);
        this.node(name);
      }
      return;
    }
    if (node.ready.status !== "Unknown") {
      node.ready = { status: "Unknown", sinceMs: this.nowMs, reason: "NodeStatusUnknown", message: STOPPED_POSTING };
      this.controllerEvents.record(this.nowMs, aboutNode(name), "Normal", "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
      this.node(name);
    }
    if (silentMs > NODE_GRACE_MS + EVICTION_MS && !this.evictedMs.has(name)) {
      this.evictedMs.set(name, this.nowMs);
      this.giveUp(node);
    }
  }

  /** Where the machine itself is off, its objects go at once; where it only cannot be heard, they wait for it. */
  private giveUp(node: NodeModel): void {
    for (const pod of [...node.kubelet.pods.values()]) {
      if (pod.kind === "cni-daemon" || pod.kind === "host-network") continue;
      if (node.power !== "off") {
        node.deletePod(pod, this.nowMs);
        this.changes.pods.add(pod);
      }
      else {
        node.kubelet.drop(pod.uid);
        this.podGone(pod);
      }
    }
  }
}

interface MutableChanges {
  readonly pods: Set<PodRecord>;
  readonly gonePods: PodRecord[];
  readonly events: Set<EventRecord>;
  readonly nodes: Set<string>;
  daemonSet: boolean;
  readonly attachments: Set<string>;
  daemonConfig: boolean;
}

const emptyChanges = (): MutableChanges => ({ pods: new Set(), gonePods: [], events: new Set(), nodes: new Set(), daemonSet: false, attachments: new Set(), daemonConfig: false });
