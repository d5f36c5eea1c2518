import type { NodeModel } from "./node";
import { RESERVED_BYTES, type DaemonResources } from "./parameters";
import { DAEMON_IMAGE } from "./images";
import { cniPod, CNI_DAEMON_SET, type DaemonTemplate } from "./pods";
import type { Random } from "./random";
import { aboutPod, type EventRecorder } from "./recorder";
import type { OwnerRecord, PodRecord } from "./records";

const DAY_MS = 86_400_000;

/** The scheduler says again after this long that it found no room. */
const SAID_AGAIN_MS = 300_000;

/** What a node has too little of for a pod: "memory", "cpu". */
function shortOf(node: NodeModel, pod: PodRecord): string | undefined {
  let memoryBytes = 0;
  let cpuCores = 0;
  for (const { requests, phase } of node.kubelet.pods.values()) {
    if (phase === "Succeeded" || phase === "Failed") continue;
    memoryBytes += requests.memoryBytes;
    cpuCores += requests.cpuCores;
  }
  if (memoryBytes + pod.requests.memoryBytes > node.parameters.memoryBytes - RESERVED_BYTES) return "memory";
  return cpuCores + pod.requests.cpuCores > node.parameters.cores ? "cpu" : undefined;
}

export interface DaemonSetStatus {
  readonly desired: number;
  readonly current: number;
  readonly ready: number;
  readonly updated: number;
}

/** The API server keeps so many of each DaemonSet. */
export const REVISIONS_KEPT = 10;

/** A template as it was once set; `hash` is the label that its pods bear. */
export interface TemplateRevision {
  readonly hash: string;
  readonly template: DaemonTemplate;
  readonly madeMs: number;
}

/** The CNI's DaemonSet and its controller: one pod a node, replaced node by node when the template changes. */
export class CniDaemonSet {
  readonly owner: OwnerRecord;
  generation = 1;
  revision: string;
  template: DaemonTemplate;
  maxUnavailable = 1;
  strategy: "RollingUpdate" | "OnDelete" = "RollingUpdate";
  private made: readonly TemplateRevision[] = [];
  private nowMs = 0;
  private readonly pods = new Map<string, PodRecord>();
  /** As last told: pods become ready between two steps, so a step cannot compare with its own beginning. */
  private told: DaemonSetStatus = { desired: 0, current: 0, ready: 0, updated: 0 };

  constructor(
    private readonly random: Random,
    resources: DaemonResources,
    private readonly nodes: ReadonlyMap<string, NodeModel>,
    private readonly events: EventRecorder,
    private readonly changed: () => void,
  ) {
    this.owner = { kind: "DaemonSet", name: CNI_DAEMON_SET, uid: random.uuid() };
    this.revision = random.suffix(10);
    this.template = { resources, image: DAEMON_IMAGE, installer: "install_multus", initLimited: true };
  }

  /** Of its templates, the present one last. */
  get revisions(): readonly TemplateRevision[] {
    return this.made;
  }

  get resources(): DaemonResources {
    return this.template.resources;
  }

  get image(): string {
    return this.template.image;
  }

  /** Every node has had its daemon for days; `own` gives a node whose pod was resized in place. */
  populate(nowMs: number, own: ReadonlyMap<string, DaemonResources>): void {
    this.nowMs = nowMs;
    this.made = [{ hash: this.revision, template: this.template, madeMs: nowMs }];
    for (const [name, node] of this.nodes) {
      const pod = cniPod(this.random, name, Math.round(nowMs - this.random.between(DAY_MS, 9 * DAY_MS)), this.owner, this.revision, this.generation, { ...this.template, resources: own.get(name) ?? this.template.resources });
      this.pods.set(name, pod);
      node.adoptPod(pod);
    }
  }

  /** A changed template is a new revision, which rolls unless the strategy says OnDelete. */
  setTemplate(change: Partial<DaemonTemplate>): void {
    this.template = { ...this.template, ...change };
    this.generation += 1;
    this.revision = this.random.suffix(10);
    this.made = [...this.made, { hash: this.revision, template: this.template, madeMs: this.nowMs }].slice(-REVISIONS_KEPT);
    this.changed();
  }

  step(nowMs: number): void {
    this.nowMs = nowMs;
    for (const [name, node] of this.nodes) {
      const pod = this.pods.get(name);
      if (pod !== undefined && pod.scheduledMs === undefined) {
        this.place(pod, node, nowMs);
        continue;
      }
      if (pod !== undefined && node.kubelet.pods.has(pod.uid)) continue;
      this.pods.delete(name);
      if (node.power === "on" && !node.silent) this.create(name, node, nowMs);
    }
    if (this.strategy === "RollingUpdate") this.roll(nowMs);
    const now = this.status();
    if (now.ready === this.told.ready && now.updated === this.told.updated && now.current === this.told.current) return;
    this.told = now;
    this.changed();
  }

  status(): DaemonSetStatus {
    let ready = 0;
    let updated = 0;
    for (const pod of this.pods.values()) {
      if (this.available(pod)) ready += 1;
      if (pod.revision === this.revision) updated += 1;
    }
    return { desired: this.nodes.size, current: this.pods.size, ready, updated };
  }

  podOn(node: string): PodRecord | undefined {
    return this.pods.get(node);
  }

  /** Its pods for which no node has room. */
  unplaced(): readonly PodRecord[] {
    return [...this.pods.values()].filter(({ scheduledMs }) => scheduledMs === undefined);
  }

  private roll(nowMs: number): void {
    const old = [...this.pods].filter(([, pod]) => pod.revision !== this.revision && pod.deletingMs === undefined);
    if (old.length === 0) return;
    // Those that serve nobody go first and cost nothing of what may be unavailable.
    for (const [name, pod] of old) if (!this.available(pod)) this.end(name, pod, nowMs);
    let unavailable = this.nodes.size - [...this.pods.values()].filter((pod) => this.available(pod)).length;
    for (const [name, pod] of old) {
      if (unavailable >= this.maxUnavailable) return;
      if (pod.deletingMs !== undefined) continue;
      this.end(name, pod, nowMs);
      unavailable += 1;
    }
  }

  /** One that no node has taken yet is gone at once. */
  private end(name: string, pod: PodRecord, nowMs: number): void {
    const node = this.nodes.get(name);
    if (pod.scheduledMs !== undefined) {
      node?.deletePod(pod, nowMs);
      return;
    }
    this.pods.delete(name);
    node?.sink.podGone(pod);
  }

  private create(name: string, node: NodeModel, nowMs: number): void {
    const pod = cniPod(this.random, name, nowMs, this.owner, this.revision, this.generation, this.template);
    this.pods.set(name, pod);
    pod.scheduledMs = undefined;
    this.place(pod, node, nowMs);
  }

  /** Binds a pod to the only node that it may run on, or says that there is no room. */
  private place(pod: PodRecord, node: NodeModel, nowMs: number): void {
    const short = shortOf(node, pod);
    if (short === undefined) {
      pod.scheduledMs = nowMs;
      pod.unschedulable = undefined;
      this.events.record(nowMs, aboutPod(pod), "Normal", "Scheduled", `Successfully assigned ${pod.namespace}/${pod.name} to ${pod.node}`);
      node.addPod(pod);
      return;
    }
    if (pod.unschedulable !== undefined && nowMs - pod.unschedulable.saidMs < SAID_AGAIN_MS) return;
    const all = this.nodes.size;
    const others = all > 1 ? `, ${all - 1} node(s) didn't satisfy plugin(s) [NodeAffinity]` : "";
    const message = `0/${all} nodes are available: 1 Insufficient ${short}${others}. preemption: 0/${all} nodes are available: 1 ${all > 1 ? "No preemption victims found for incoming pod" : "Preemption is not helpful for scheduling"}${all > 1 ? `, ${all - 1} Preemption is not helpful for scheduling` : ""}.`;
    pod.unschedulable = { sinceMs: pod.unschedulable?.sinceMs ?? nowMs, saidMs: nowMs, message };
    this.events.record(nowMs, aboutPod(pod), "Warning", "FailedScheduling", message);
    node.sink.pod(pod);
  }

  private available(pod: PodRecord): boolean {
    const node = this.nodes.get(pod.node);
    return pod.ready.status && pod.deletingMs === undefined && node !== undefined && node.ready.status === "True";
  }
}
