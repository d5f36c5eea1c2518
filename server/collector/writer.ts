import type { ClusterChange } from "../domain/cluster-changes";
import type { NodeName } from "../domain/ids";
import type { Incident, IncidentEntry, KeepStretch } from "../domain/incident/types";
import type { EventObject } from "../domain/model";
import type { NodeView } from "../domain/node-view";
import type { Sample } from "../domain/signals";
import type { Log } from "../log";
import { StoreUnwritable, type CollectorStatus, type Ingest, type IngestBatch, type KubeletKey } from "../store/types";
import type { IncidentSink } from "./incident-keeper";

/** While nothing can be written this much is kept; older samples give way, counted. About 20 minutes of 500 nodes. */
export const MAX_PENDING_SAMPLES = 400_000;
export const MAX_PENDING_EVENTS = 20_000;
export const MAX_PENDING_CHANGES = 20_000;
export const MAX_PENDING_ENTRIES = 20_000;

type Change = IngestBatch["answers"][number];
type SourceChange = IngestBatch["sources"][number];

/**
 * Gathers what the collector has to write and writes it in one transaction a tick. Where the store cannot be written
 * (full or read-only disk) everything is kept within bounds and tried again at the next tick; views are kept only as
 * their latest, so that what comes back first is the present.
 */
export class Writer implements IncidentSink {
  #samples: (Sample & { readonly node: NodeName })[] = [];
  #events = new Map<string, EventObject & { readonly node?: string }>();
  #views = new Map<string, NodeView>();
  #gone = new Set<string>();
  #answers: Change[] = [];
  #sources: SourceChange[] = [];
  #keys = new Map<string, KubeletKey>();
  readonly #incidents = new Map<number, Incident>();
  readonly #forgotten = new Set<number>();
  readonly #retold = new Set<number>();
  #entries: (IncidentEntry & { readonly incident: number })[] = [];
  readonly #kept = new Map<string, KeepStretch>();
  #clusterChanges: ClusterChange[] = [];
  #unwritable: { readonly reason: string; readonly ticks: number } | undefined;
  #droppedSamples = 0;

  constructor(
    private readonly ingest: Pick<Ingest, "write">,
    private readonly log: Log,
    private readonly written: () => void,
    private readonly count: (kind: "samples" | "events" | "views", rows: number) => void,
    /** `past`: what is known now is not written, only what belongs to its time. */
    private readonly mode: { readonly past: boolean } = { past: false },
  ) {}

  samples(node: NodeName, samples: readonly Sample[]): void {
    for (const sample of samples) this.#samples.push({ ...sample, node });
    if (this.#samples.length > MAX_PENDING_SAMPLES) {
      const excess = this.#samples.length - MAX_PENDING_SAMPLES;
      this.#samples.splice(0, excess);
      this.#droppedSamples += excess;
    }
  }
  event(event: EventObject & { readonly node?: string }): void {
    this.#events.delete(event.uid);
    this.#events.set(event.uid, event);
    if (this.#events.size > MAX_PENDING_EVENTS) {
      const oldest = this.#events.keys().next().value;
      if (oldest !== undefined) this.#events.delete(oldest);
    }
  }
  view(view: NodeView): void {
    this.#gone.delete(view.name);
    this.#views.set(view.name, view);
  }
  gone(name: string): void {
    this.#views.delete(name);
    this.#gone.add(name);
  }
  answer(change: Change): void {
    this.#answers.push(change);
    if (this.#answers.length > MAX_PENDING_CHANGES) this.#answers.shift();
  }
  source(change: SourceChange): void {
    this.#sources.push(change);
    if (this.#sources.length > MAX_PENDING_CHANGES) this.#sources.shift();
  }
  kubeletKey(key: KubeletKey): void {
    this.#keys.set(key.node, key);
  }
  clusterChange(change: ClusterChange): void {
    this.#clusterChanges.push(change);
    if (this.#clusterChanges.length > MAX_PENDING_CHANGES) this.#clusterChanges.shift();
  }

  saveIncident(incident: Incident): void {
    this.#incidents.set(incident.id, incident);
  }
  forgetIncident(id: number): void {
    this.#incidents.delete(id);
    this.#forgotten.add(id);
    this.#entries = this.#entries.filter(({ incident }) => incident !== id);
  }
  retellIncident(id: number): void {
    this.#retold.add(id);
    this.#entries = this.#entries.filter(({ incident }) => incident !== id);
  }
  incidentEntry(incident: number, entry: IncidentEntry): void {
    this.#entries.push({ ...entry, incident });
    if (this.#entries.length > MAX_PENDING_ENTRIES) this.#entries.shift();
  }
  keepSamples(stretch: KeepStretch): void {
    this.#kept.set(`${stretch.incident} ${stretch.node} ${stretch.fromMs}`, stretch);
  }

  /** What the status tells of the store. */
  get state(): { readonly writable: boolean; readonly reason?: string; readonly pendingBatches: number; readonly droppedSamples: number } {
    return {
      writable: this.#unwritable === undefined,
      ...(this.#unwritable === undefined ? {} : { reason: this.#unwritable.reason }),
      pendingBatches: this.#unwritable?.ticks ?? 0,
      droppedSamples: this.#droppedSamples,
    };
  }

  /** True when the batch, with anything that waited, is in the store. */
  flush(atMs: number, status: CollectorStatus): boolean {
    const batch: IngestBatch = {
      atMs,
      samples: this.#samples,
      events: [...this.#events.values()],
      views: this.mode.past ? [] : [...this.#views.values()],
      gone: this.mode.past ? [] : [...this.#gone],
      answers: this.#answers,
      sources: this.#sources,
      kubeletKeys: [...this.#keys.values()],
      incidents: { saved: [...this.#incidents.values()], forgotten: [...this.#forgotten], retold: [...this.#retold], entries: this.#entries, kept: [...this.#kept.values()] },
      changes: this.#clusterChanges,
      ...(this.mode.past ? {} : { status }),
    };
    try {
      this.ingest.write(batch);
    } catch (error) {
      // A fault of ours keeps everything from being written as well as a full disk does, and must not look like health.
      const reason = error instanceof StoreUnwritable ? error.message : "The store refused what was to be written; the log has the reason.";
      if (this.#unwritable?.reason !== reason) this.log.error({ err: error }, "the store cannot be written; keeping what comes");
      this.#unwritable = { reason, ticks: (this.#unwritable?.ticks ?? 0) + 1 };
      return false;
    }
    if (this.#unwritable !== undefined) this.log.warn({ droppedSamples: this.#droppedSamples }, "the store can be written again");
    this.#unwritable = undefined;
    this.count("samples", batch.samples.length);
    this.count("events", batch.events.length);
    this.count("views", batch.views.length);
    const anyone = batch.views.length > 0 || batch.gone.length > 0 || this.#incidents.size > 0 || this.#forgotten.size > 0;
    this.#samples = [];
    this.#events.clear();
    this.#views.clear();
    this.#gone.clear();
    this.#answers = [];
    this.#sources = [];
    this.#keys.clear();
    this.#incidents.clear();
    this.#forgotten.clear();
    this.#retold.clear();
    this.#entries = [];
    this.#kept.clear();
    this.#clusterChanges = [];
    if (anyone) this.written();
    return true;
  }
}
