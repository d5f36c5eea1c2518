import type { ClusterChange } from "../domain/cluster-changes";
import type { NodeName } from "../domain/ids";
import type { Incident, IncidentEntry, KeepStretch } from "../domain/incident/types";
import type { DaemonSetObject, EventObject } from "../domain/model";
import type { NodeView } from "../domain/node-view";
import type { Sample } from "../domain/signals";
import type { Log } from "../log";
import { StoreUnwritable, type CollectorStatus, type Ingest, type IngestBatch, type KubeletKey } from "../store/types";
import type { IncidentSink } from "./incident-keeper";
import { EMPTY_BATCH, part, writeApart, type BatchPart } from "./write-apart";

/** While nothing can be written this much is kept; older samples give way, counted. About 20 minutes of 500 nodes. */
export const MAX_PENDING_SAMPLES = 400_000;
export const MAX_PENDING_EVENTS = 20_000;
export const MAX_PENDING_CHANGES = 20_000;
export const MAX_PENDING_ENTRIES = 20_000;
export const MAX_PENDING_INCIDENTS = 20_000;
/** A storm of a few thousand nodes keeps one or two stretches of each. */
export const MAX_PENDING_STRETCHES = 50_000;
/** So many of the oldest incidents give way at once: what belongs to them is looked for each time. */
const INCIDENTS_GIVEN_UP = 1_000;
const MAX_REFUSED_CHARS = 300;

/** What is in the store was written: a failure that is over by that is not told of in it. */
function whenWritten(status: CollectorStatus): CollectorStatus {
  const { reason, ...store } = status.store;
  return reason === undefined ? status : { ...status, store: { ...store, writable: true, pendingBatches: 0 } };
}

type Change = IngestBatch["answers"][number];
type SourceChange = IngestBatch["sources"][number];

/**
 * Gathers what the collector has to write and writes it in one transaction a tick. Where the store cannot be written
 * (full or read-only disk) everything is kept within bounds and tried again at the next tick; views are kept only as
 * their latest, so that what comes back first is the present. A row that the store refuses for a fault of ours is given up
 * alone, counted and told.
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
  #daemonSets: readonly DaemonSetObject[] | undefined;
  #unwritable: { readonly reason: string; readonly ticks: number } | undefined;
  #droppedSamples = 0;
  #refusedRows = 0;
  #lastRefused = "";

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

  /** All of them, as a start after a pause is to find them. */
  daemonSets(daemonSets: readonly DaemonSetObject[]): void {
    this.#daemonSets = daemonSets;
  }

  saveIncident(incident: Incident): void {
    this.#incidents.set(incident.id, incident);
    if (this.#incidents.size > MAX_PENDING_INCIDENTS) this.#giveUpIncidents();
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
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_PENDING_STRETCHES && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** What the status tells of the store. */
  get state(): { readonly writable: boolean; readonly reason?: string; readonly pendingBatches: number; readonly droppedSamples: number; readonly refused?: { readonly rows: number; readonly last: string } } {
    return {
      writable: this.#unwritable === undefined,
      ...(this.#unwritable === undefined ? {} : { reason: this.#unwritable.reason }),
      pendingBatches: this.#unwritable?.ticks ?? 0,
      droppedSamples: this.#droppedSamples,
      ...(this.#refusedRows === 0 ? {} : { refused: { rows: this.#refusedRows, last: this.#lastRefused } }),
    };
  }

  /** True when the batch, with anything that waited, is in the store, but for rows that nothing could make it take. */
  flush(atMs: number, status: CollectorStatus): boolean {
    const parts = this.#parts(status);
    const counts = { samples: this.#samples.length, events: this.#events.size, views: this.mode.past ? 0 : this.#views.size };
    const anyone = counts.views > 0 || (!this.mode.past && this.#gone.size > 0) || this.#incidents.size > 0 || this.#forgotten.size > 0;
    try {
      this.#write(parts, atMs);
    } catch (error) {
      // Not even an empty batch goes in: that must not look like health, whatever it is.
      const reason = error instanceof StoreUnwritable ? error.message : "The store refused what was to be written; the log has the reason.";
      if (this.#unwritable?.reason !== reason) this.log.error({ err: error }, "the store cannot be written; keeping what comes");
      this.#unwritable = { reason, ticks: (this.#unwritable?.ticks ?? 0) + 1 };
      return false;
    }
    if (this.#unwritable !== undefined) this.log.warn({ droppedSamples: this.#droppedSamples }, "the store can be written again");
    this.#unwritable = undefined;
    for (const kind of ["samples", "events", "views"] as const) this.count(kind, counts[kind]);
    if (anyone) this.written();
    return true;
  }

  /** Samples that no tier can hold are lost as those are that gave way, and counted with them. */
  readonly #put: Pick<Ingest, "write"> = {
    write: (batch) => {
      const result = this.ingest.write(batch);
      this.#droppedSamples += result.skippedSamples;
      return result;
    },
  };

  /** In one transaction; where that is refused for a fault of ours, apart, so that one row keeps nothing else from being written. */
  #write(parts: readonly BatchPart[], atMs: number): void {
    const batch = parts.reduce<IngestBatch>((whole, one) => ({ ...whole, ...one.of(one.items) }), { ...EMPTY_BATCH, atMs });
    try {
      this.#put.write(batch);
      for (const one of parts) one.clear();
      return;
    } catch (error) {
      if (error instanceof StoreUnwritable) throw error;
      this.log.error({ err: error }, "a batch was refused; writing it apart");
    }
    for (const { part: name, rows, error } of writeApart(this.#put, parts, atMs)) {
      this.#refusedRows += rows;
      this.#lastRefused = `${name}: ${error instanceof Error ? error.message : String(error)}`.slice(0, MAX_REFUSED_CHARS);
      this.log.error({ err: error, part: name, rows }, "rows that the store refuses were given up");
    }
  }

  /** In the order in which they may be written apart: an incident before what belongs to it, the status last. */
  #parts(status: CollectorStatus): readonly BatchPart[] {
    const { past } = this.mode;
    return [
      part("samples", this.#samples, (samples) => ({ samples }), () => (this.#samples = [])),
      part("events", [...this.#events.values()], (events) => ({ events }), () => this.#events.clear()),
      part("views", past ? [] : [...this.#views.values()], (views) => ({ views }), () => this.#views.clear()),
      part("nodes that left", past ? [] : [...this.#gone], (gone) => ({ gone }), () => this.#gone.clear()),
      part("answers", this.#answers, (answers) => ({ answers }), () => (this.#answers = [])),
      part("sources", this.#sources, (sources) => ({ sources }), () => (this.#sources = [])),
      part("kubelet keys", [...this.#keys.values()], (kubeletKeys) => ({ kubeletKeys }), () => this.#keys.clear()),
      part("incidents", this.#incidentNumbers(), (numbers) => ({ incidents: this.#incidentsOf(new Set(numbers)) }), () => this.#clearIncidents()),
      part("changes", this.#clusterChanges, (changes) => ({ changes }), () => (this.#clusterChanges = [])),
      // After the changes: a rollout that was not told must not be known.
      part("daemon sets", past || this.#daemonSets === undefined ? [] : [this.#daemonSets], ([daemonSets]) => (daemonSets === undefined ? {} : { daemonSets }), () => (this.#daemonSets = undefined)),
      part("status", past ? [] : [status], ([one]) => (one === undefined ? {} : { status: whenWritten(one) }), () => {}),
    ];
  }

  /** The oldest with all that belongs to them; the store would refuse a part without its incident. */
  #giveUpIncidents(): void {
    const lost = new Set([...this.#incidents.keys()].slice(0, INCIDENTS_GIVEN_UP));
    for (const id of lost) this.#incidents.delete(id);
    this.#entries = this.#entries.filter(({ incident }) => !lost.has(incident));
    for (const [key, { incident }] of this.#kept) if (lost.has(incident)) this.#kept.delete(key);
    this.log.error({ incidents: lost.size }, "incidents were given up, since too many waited to be written");
  }

  #incidentNumbers(): readonly number[] {
    return [...new Set([...this.#incidents.keys(), ...this.#forgotten, ...this.#retold, ...this.#entries.map(({ incident }) => incident), ...[...this.#kept.values()].map(({ incident }) => incident)])];
  }

  #incidentsOf(numbers: ReadonlySet<number>): NonNullable<IngestBatch["incidents"]> {
    const has = (id: number): boolean => numbers.has(id);
    return {
      saved: [...this.#incidents.values()].filter(({ id }) => has(id)),
      forgotten: [...this.#forgotten].filter(has),
      retold: [...this.#retold].filter(has),
      entries: this.#entries.filter(({ incident }) => has(incident)),
      kept: [...this.#kept.values()].filter(({ incident }) => has(incident)),
    };
  }

  #clearIncidents(): void {
    this.#incidents.clear();
    this.#forgotten.clear();
    this.#retold.clear();
    this.#entries = [];
    this.#kept.clear();
  }
}
