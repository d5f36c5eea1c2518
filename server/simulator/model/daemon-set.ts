import type { NodeModel } from "./node";
import type { DaemonResources } from "./parameters";
import { cniPod, CNI_DAEMON_SET } from "./pods";
import type { Random } from "./random";
import { aboutPod, type EventRecorder } from "./recorder";
import type { OwnerRecord, PodRecord } from "./records";

const DAY_MS = 86_400_000;

export interface DaemonSetStatus {
  readonly desired: number;
  readonly current: number;
  readonly ready: number;
  readonly updated: number;
}

/** The CNI's DaemonSet and its controller: one pod a node, replaced node by node when the template changes. */
export class CniDaemonSet {
  readonly owner: OwnerRecord;
  generation = 1;
  revision: string;
  image = "registry.example/cni/multus-thick:4.3.1";
  maxUnavailable = 1;
  strategy: "RollingUpdate" | "OnDelete" = "RollingUpdate";
  private readonly pods = new Map<string, PodRecord>();
  /** As last told: pods become ready between two steps, so a step cannot compare with its own beginning. */
  private told: DaemonSetStatus = { desired: 0, current: 0, ready: 0, updated: 0 };

  constructor(
    private readonly random: Random,
    public resources: DaemonResources,
    private readonly nodes: ReadonlyMap<string, NodeModel>,
    private readonly events: EventRecorder,
    private readonly changed: () => void,
  ) {
    this.owner = { kind: "DaemonSet", name: CNI_DAEMON_SET, uid: random.uuid() };
    this.revision = random.suffix(10);
  }

  /** Every node has had its daemon for days; `own` gives a node whose pod was resized in place. */
  populate(nowMs: number, own: ReadonlyMap<string, DaemonResources>): void {
    for (const [name, node] of this.nodes) {
      const pod = cniPod(this.random, name, Math.round(nowMs - this.random.between(DAY_MS, 9 * DAY_MS)), this.owner, this.revision, this.generation, own.get(name) ?? this.resources, this.image);
      this.pods.set(name, pod);
      node.adoptPod(pod);
    }
  }

  /** A changed template is a new revision, which rolls unless the strategy says OnDelete. */
  setTemplate(change: { readonly resources: DaemonResources; readonly image: string }): void {
    this.resources = change.resources;
    this.image = change.image;
    this.generation += 1;
    this.revision = this.random.suffix(10);
    this.changed();
  }

  step(nowMs: number): void {
    for (const [name, node] of this.nodes) {
      const pod = this.pods.get(name);
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

  private roll(nowMs: number): void {
    const old = [...this.pods].filter(([, pod]) => pod.revision !== this.revision && pod.deletingMs === undefined);
    if (old.length === 0) return;
    // Those that serve nobody go first and cost nothing of what may be unavailable.
    for (const [name, pod] of old) if (!this.available(pod)) this.nodes.get(name)?.deletePod(pod, nowMs);
    let unavailable = this.nodes.size - [...this.pods.values()].filter((pod) => this.available(pod)).length;
    for (const [name, pod] of old) {
      if (unavailable >= this.maxUnavailable) return;
      if (pod.deletingMs !== undefined) continue;
      this.nodes.get(name)?.deletePod(pod, nowMs);
      unavailable += 1;
    }
  }

  private create(name: string, node: NodeModel, nowMs: number): void {
    const pod = cniPod(this.random, name, nowMs, this.owner, this.revision, this.generation, this.resources, this.image);
    this.pods.set(name, pod);
    this.events.record(nowMs, aboutPod(pod), "Normal", "Scheduled", `Successfully assigned ${pod.namespace}/${pod.name} to ${name}`);
    node.addPod(pod);
  }

  private available(pod: PodRecord): boolean {
    const node = this.nodes.get(pod.node);
    return pod.ready.status && pod.deletingMs === undefined && node !== undefined && node.ready.status === "True";
  }
}
