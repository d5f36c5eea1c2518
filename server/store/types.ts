import type { ClusterChange, KnownDaemonSets } from "../domain/cluster-changes";
import type { AcceptedException } from "../domain/causes/types";
import type { NodeName } from "../domain/ids";
import type { IncidentState } from "../domain/incident/machine";
import type { Incident, IncidentEntry, KeepStretch } from "../domain/incident/types";
import type { DaemonSetObject, EventObject } from "../domain/model";
import type { NodeView } from "../domain/node-view";
import type { ClusterIdentity, KindStatus } from "../domain/observation";
import type { Sample, SignalId } from "../domain/signals";
import type { Source } from "../domain/sources";
import type { NodeTimeline } from "../domain/timeline";
import type { Verifications, Work } from "./state-types";

/**
 * What the store offers, without a word of SQLite, so that another store can stand in its place. Two halves: `Ingest`
 * is the collector's, `Reader` is everybody's. The web process cannot import the module that makes an Ingest (lint).
 */
export interface Ingest {
  /** One transaction for all of it. Throws StoreUnwritable where nothing can be written; the caller keeps the batch and tries again. */
  write(batch: IngestBatch): WriteResult;
  /** Rolls samples up into the next tier and drops what is older than its retention, in small steps. True: more to do. */
  maintain(nowMs: number): boolean;
  /** Where a collector that starts goes on: the views as they were last written. */
  loadViews(): readonly NodeView[];
  /** The same for incidents: those that are not closed, or closed since then; the last number that was given; when the last look was. */
  loadIncidents(closedSinceMs: number): { readonly items: readonly Incident[]; readonly lastId: number; readonly lastLookMs: number | undefined };
  /** The same for the DaemonSets: what a rollout that began meanwhile is compared with. */
  loadDaemonSets(): KnownDaemonSets;
  /** What became of the actions that people ran. */
  readonly verifications: Verifications;
  /** What people accepted as it is, at most MAX_EXCEPTIONS. */
  exceptions(): readonly AcceptedException[];
  /** What agents are asked to do, and what they tell of it. */
  readonly work: Work;
  /** Keys of kubelets seen first (`--kubelet-tls=pin`). */
  kubeletKeys(): ReadonlyMap<string, KubeletKey>;
  /** What the store takes on the disk, its log included; `undefined` where it cannot be told. */
  sizeBytes(): number | undefined;
  close(): void;
}

export interface WriteResult {
  /** The batch's sequence number: monotonic, also over restarts. */
  readonly seq: number;
  /** Samples that no tier can hold: older than the longest retention, or not a finite number. */
  readonly skippedSamples: number;
}

export interface KubeletKey {
  readonly node: string;
  readonly sha256: string;
  readonly seenMs: number;
  /** A key that differs from the accepted one and waits to be accepted; absent once the kubelet shows the accepted one again. */
  readonly offeredSha256?: string;
}

export interface IngestBatch {
  readonly atMs: number;
  readonly samples: readonly (Sample & { readonly node: NodeName })[];
  /** Inserted or updated by uid; one row per identity. `node`: whose it is, where the event alone does not tell (its pod was bound there). */
  readonly events: readonly (EventObject & { readonly node?: string })[];
  /** Views that changed; each gets the batch's sequence number. */
  readonly views: readonly NodeView[];
  readonly gone: readonly string[];
  /** Answers that changed their state or marks, for the lane and the fleet's history. */
  readonly answers: readonly { readonly node: string; readonly atMs: number; readonly state: "yes" | "no" | "unknown"; readonly atRisk: boolean; readonly idle: boolean; readonly summary: string }[];
  /** A source of a node turned fresh or stale. */
  readonly sources: readonly { readonly node: string; readonly source: Source; readonly atMs: number; readonly fresh: boolean; readonly reason: string }[];
  readonly kubeletKeys: readonly KubeletKey[];
  /** What became of incidents at these looks. */
  readonly incidents?: IncidentBatch;
  /** The DaemonSets whose rollouts are told of, all of them, where their generations changed. */
  readonly daemonSets?: readonly DaemonSetObject[];
  /** Restarts, rollouts, changed files; each is told once. */
  readonly changes?: readonly ClusterChange[];
  /** The collector's own state, as the status route shows it. */
  readonly status?: CollectorStatus;
}

export interface IncidentBatch {
  /** Whole; each gets the batch's sequence number. */
  readonly saved: readonly Incident[];
  /** Signs that did not hold. Anything else of this number stays. */
  readonly forgotten: readonly number[];
  /** Of these the entries that are stored go, and those of the batch are all of them. */
  readonly retold: readonly number[];
  /** In order; the incident of each is saved by this batch or one before. */
  readonly entries: readonly (IncidentEntry & { readonly incident: number })[];
  /** Samples to keep as they came, as long as the incident. */
  readonly kept: readonly KeepStretch[];
}

export interface CollectorStatus {
  readonly cluster: ClusterIdentity;
  readonly startedMs: number;
  readonly atMs: number;
  readonly kinds: readonly KindStatus[];
  readonly api: { readonly reachable: boolean; readonly sinceMs: number; readonly reason?: string };
  readonly kubelet: { readonly mode: string; readonly tls: string; readonly scraped: number; readonly failing: number; readonly skipped: number; readonly lateMs: number };
  readonly agents: {
    readonly listening: boolean;
    readonly reporting: number;
    /** Since the start: reports taken, messages dropped by reason, connections closed at once because there were too many. */
    readonly accepted?: number;
    readonly dropped: Readonly<Record<string, number>>;
    readonly turnedAway?: number;
    /** Connections that are open now. */
    readonly connections?: number;
    /** Why agents' service-account tokens cannot be checked. */
    readonly identityTrouble?: { readonly reason: string; readonly sinceMs: number };
  };
  readonly store: { readonly writable: boolean; readonly reason?: string; readonly pendingBatches: number; readonly droppedSamples: number; readonly fileBytes?: number; /** Rows given up since the start, since the store refused them and nothing else. */ readonly refused?: { readonly rows: number; readonly last: string } };
  readonly backfill?: { readonly doneShare: number };
  readonly actionsAllowed: boolean;
}

export interface FleetRow {
  readonly view: NodeView;
  readonly seq: number;
}

/** An incident with what people said of it. */
export interface IncidentRow {
  readonly incident: Incident;
  readonly seq: number;
  readonly people: IncidentPeople;
  /** Set where nobody keeps it up: why its state is unknown. */
  readonly silent?: string;
}

export interface IncidentPeople {
  readonly title?: { readonly text: string; readonly by: string; readonly atMs: number };
  readonly acknowledged?: { readonly by: string; readonly atMs: number };
  /** How many there are; the text of each is in `incident`. */
  readonly notes: number;
}

export interface IncidentNote {
  readonly id: number;
  readonly atMs: number;
  readonly by: string;
  readonly text: string;
}

export interface IncidentWhole extends IncidentRow {
  readonly entries: readonly IncidentEntry[];
  /** Oldest first. */
  readonly notes: readonly IncidentNote[];
  /** Of a fleet incident its members, in the order of their numbers, at most MAX_INCIDENTS_READ. */
  readonly members: readonly IncidentRow[];
  /** Stretches whose samples are kept as they came. */
  readonly kept: readonly KeepStretch[];
}

export interface IncidentQuery {
  readonly states: readonly Exclude<IncidentState, "watched">[];
  readonly node?: string;
  /** Members of a fleet incident are told under it, and not beside it, unless a node is asked for. */
  readonly members?: boolean;
  readonly limit: number;
  /** The last number of the page before. */
  readonly beforeId?: number;
}

export const MAX_INCIDENTS_READ = 500;

export interface Reader {
  /** Set where a copy is served because the file's folder is read-only or its disk full: one sentence. What is written later does not show then. */
  readonly copyReason: string | undefined;
  /** All nodes, or those changed after `sinceSeq`. `seq` is the newest sequence number in the file. */
  fleet(sinceSeq?: number): { readonly rows: readonly FleetRow[]; readonly gone: readonly string[]; readonly seq: number };
  node(name: NodeName): FleetRow | undefined;
  /** The newest sequence number in the file. */
  seq(): number;
  /** Names of all nodes, ascending. */
  names(): readonly string[];
  status(): CollectorStatus | undefined;
  /** `points`: most points of a series; the finest tier that holds the whole range and fits is used. */
  timeline(query: { readonly node: NodeName; readonly fromMs: number; readonly toMs: number; readonly signals: readonly SignalId[]; readonly points: number }): NodeTimeline;
  events(query: { readonly node: NodeName; readonly fromMs: number; readonly toMs: number; readonly limit: number; readonly beforeMs?: number }): { readonly items: readonly EventObject[]; readonly truncated: boolean };
  /** How many nodes were no and unknown in each of `buckets` equal steps, worst moment of each step; `known`: how many had an answer when it began. */
  fleetHistory(query: { readonly fromMs: number; readonly toMs: number; readonly buckets: number }): readonly { readonly atMs: number; readonly no: number; readonly unknown: number; readonly known: number }[];
  /** Newest first. */
  answerChanges(query: { readonly fromMs: number; readonly limit: number }): readonly { readonly node: string; readonly atMs: number; readonly state: string; readonly before?: string; readonly atRisk: boolean; readonly summary: string }[];
  /** Newest number first. */
  incidents(query: IncidentQuery): { readonly rows: readonly IncidentRow[]; readonly truncated: boolean };
  incident(id: number): IncidentWhole | undefined;
  /** How many are not closed, members of fleet incidents not counted, and how many of those block. */
  openIncidents(): { readonly open: number; readonly blocking: number };
  /** Numbers of those that changed after `sinceSeq`, at most MAX_INCIDENTS_READ. */
  changedIncidents(sinceSeq: number): readonly number[];
  /** Changes of a node, and of the cluster, oldest first; of too many, the newest. */
  clusterChanges(query: { readonly node: string; readonly fromMs: number; readonly toMs: number; readonly limit: number }): readonly ClusterChange[];
  /** What people accepted as it is, by cause and subject, at most MAX_EXCEPTIONS. */
  exceptions(): readonly AcceptedException[];
  close(): void;
}

/** Nothing can be written: read-only file, full disk, or the file is held by another. */
export class StoreUnwritable extends Error {
  constructor(
    readonly reason: "read-only" | "full" | "busy" | "failed",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "StoreUnwritable";
  }
}

/** Kept this long by default, milliseconds. */
export const RETENTION = { rawMs: 6 * 3_600_000, minuteMs: 24 * 3_600_000, fiveMinutesMs: 30 * 86_400_000, eventsMs: 30 * 86_400_000 } as const;
