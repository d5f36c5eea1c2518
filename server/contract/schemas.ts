import { z } from "zod";
import { SIGNAL_IDS } from "../domain/signals";
import { SOURCES } from "../domain/sources";
import { CauseBriefSchema, DiagnosisSchema } from "./causes";
import { EvidenceSchema } from "./evidence";
import { HostSchema } from "./host";

/** What is larger has a file by its resource; all of it is imported from here. */
export * from "./actions";

/**
 * The API's answers, version 1. The OpenAPI document is made from these, and a test holds every answer against them.
 * Times are ISO 8601 outside; units last in names.
 */
const time = z.iso.datetime();
const source = z.enum(SOURCES);
const state = z.enum(["yes", "no", "unknown"]);

export const AnswerSchema = z.object({
  state,
  atRisk: z.boolean(),
  idle: z.boolean(),
  since: time,
  row: z.number().int().min(1).max(6),
  summary: z.string(),
  proof: z.array(EvidenceSchema),
});

export const SignalSchema = z.object({
  signal: z.enum(SIGNAL_IDS),
  instance: z.string(),
  source,
  state: z.enum(["fresh", "stale", "unknown"]),
  unit: z.string(),
  value: z.number().optional(),
  at: time.optional(),
  reason: z.string().optional(),
});

export const SourceStatusSchema = z.object({
  source,
  freshness: z.enum(["fresh", "stale", "absent"]),
  last: time.optional(),
  reason: z.string().optional(),
  /** By how many seconds the source's clock is behind (less than 0: ahead); its times are corrected by it. Absent below 2 s. */
  clockBehindSeconds: z.number().int().optional(),
});

/** Reports that the node's agent gave up since it started, since it could not send them. Absent where it does not tell: not known, which is not none. */
export const LostReportsSchema = z.object({ thinned: z.number().int(), tooOld: z.number().int(), from: time.optional(), to: time.optional() });

export const NodeCountsSchema = z.object({
  /** False where the node's pods cannot be seen now: the figures are those of before, or 0 where there never were any. */
  seen: z.boolean(),
  pods: z.number().int(),
  waiting: z.number().int(),
  waitingSystem: z.number().int(),
  stuck: z.number().int(),
  ownRequest: z.number().int(),
  other: z.number().int(),
  oldestWaitSince: time.optional(),
});

export const NodeSummarySchema = z.object({
  name: z.string(),
  pool: z.string(),
  zone: z.string().optional(),
  answer: AnswerSchema,
  ready: z.enum(["True", "False", "Unknown"]),
  readyMessage: z.string().optional(),
  schedulable: z.boolean(),
  taints: z.array(z.string()),
  versions: z.object({ kubelet: z.string().optional(), runtime: z.string().optional(), kernel: z.string().optional(), os: z.string().optional() }),
  sources: z.array(SourceStatusSchema),
  signals: z.array(SignalSchema),
  counts: NodeCountsSchema,
  /** Firing causes that no other one explains, the gravest first. */
  causes: z.array(CauseBriefSchema),
  lastFreshAt: time.optional(),
  deadline: z.object({ seconds: z.number(), assumed: z.boolean() }),
});

export const ClusterSchema = z.object({
  uid: z.string(),
  name: z.string(),
  server: z.string(),
  version: z.string().optional(),
  user: z.string(),
  simulated: z.boolean(),
});

export const FleetSchema = z.object({
  cluster: ClusterSchema.optional(),
  at: time,
  seq: z.number().int(),
  /** Waiting pods of the nodes whose pods are seen; which those are, each node's own counts say. */
  counts: z.object({ nodes: z.number().int(), no: z.number().int(), unknown: z.number().int(), yes: z.number().int(), atRisk: z.number().int(), idle: z.number().int(), podsWaiting: z.number().int(), podsWaitingSystem: z.number().int() }),
  /** The same counts one hour ago where the history reaches that far. */
  hourAgo: z.object({ no: z.number().int(), unknown: z.number().int(), yes: z.number().int() }).optional(),
  nodes: z.array(NodeSummarySchema),
  history: z.array(z.object({ at: time, no: z.number().int(), unknown: z.number().int() })),
  changes: z.array(z.object({ node: z.string(), at: time, state: z.string(), before: z.string().optional(), atRisk: z.boolean(), summary: z.string() })),
});

export const WaitingPodSchema = z.object({
  uid: z.string(),
  namespace: z.string(),
  name: z.string(),
  system: z.boolean(),
  hold: z.enum(["waiting", "own-request", "other"]),
  since: time,
  stuck: z.boolean(),
  because: z.string().optional(),
  lastError: z.object({ text: z.string(), at: time }).optional(),
  attemptsSeen: z.number().int(),
});

export const DaemonSchema = z.object({
  daemonSet: z.string(),
  pod: z.string(),
  container: z.string(),
  ready: z.boolean(),
  restarts: z.number().int(),
  cpuLimitCores: z.number().optional(),
  memoryLimitBytes: z.number().optional(),
  memoryRequestBytes: z.number().optional(),
  lastTermination: z.object({ reason: z.string(), exitCode: z.number().int(), at: time.optional() }).optional(),
  oomKills: z.array(time),
});

export const SocketSchema = z.object({
  name: z.string(),
  path: z.string(),
  state: z.string(),
  latencySeconds: z.number().optional(),
  detail: z.string().optional(),
  effective: z.boolean(),
});

export const BlindSchema = z.object({ what: z.string(), reason: z.string(), fix: z.string().optional() });

export const NodeDetailSchema = NodeSummarySchema.extend({
  seq: z.number().int(),
  conditions: z.array(z.object({ type: z.string(), status: z.string(), reason: z.string().optional(), message: z.string().optional(), since: time.optional() })),
  waitingPods: z.array(WaitingPodSchema),
  daemons: z.array(DaemonSchema),
  sockets: z.array(SocketSchema),
  config: z.object({ dir: z.string(), effectiveFile: z.string().optional(), pluginTypes: z.array(z.string()), missingBinaries: z.array(z.string()) }).optional(),
  host: HostSchema.optional(),
  lostReports: LostReportsSchema.optional(),
  blind: z.array(BlindSchema),
  diagnosis: DiagnosisSchema,
  /** Its incident that is not over. */
  incident: z.object({ id: z.number().int(), state: z.enum(["open", "unknown", "recovering"]), severity: z.enum(["blocks", "risks"]) }).optional(),
  previous: z.string().optional(),
  next: z.string().optional(),
});

export const EventSchema = z.object({
  uid: z.string(),
  reason: z.string(),
  type: z.enum(["Normal", "Warning"]),
  message: z.string(),
  count: z.number().int(),
  first: time,
  last: time,
  about: z.object({ kind: z.string(), namespace: z.string().optional(), name: z.string() }),
});

export const NodeEventsSchema = z.object({ node: z.string(), from: time, to: time, items: z.array(EventSchema), truncated: z.boolean() });

export const TimelineSchema = z.object({
  node: z.string(),
  from: time,
  to: time,
  /** Width of one point; 0 where points are raw samples. */
  stepSeconds: z.number(),
  tier: z.enum(["raw", "1m", "5m"]),
  /** `at` in whole milliseconds since 1970: columns, to keep 18,000 points small. */
  series: z.array(z.object({ signal: z.enum(SIGNAL_IDS), instance: z.string(), unit: z.string(), at: z.array(z.number()), min: z.array(z.number()), max: z.array(z.number()), last: z.array(z.number()) })),
  gaps: z.array(z.object({ source, from: time, to: time, reason: z.string() })),
  answers: z.array(z.object({ from: time, to: time, state, atRisk: z.boolean(), idle: z.boolean(), summary: z.string() })),
  events: z.array(z.object({ at: time, reason: z.string(), type: z.enum(["Normal", "Warning"]), message: z.string(), count: z.number().int(), about: z.string() })),
  eventsTruncated: z.boolean(),
});

/** The port for agents since the start: what came to it, and why messages were dropped. */
export const AgentsStatusSchema = z.object({
  listening: z.boolean(),
  reporting: z.number().int(),
  accepted: z.number().int().optional(),
  dropped: z.record(z.string(), z.number()),
  /** Connections that were closed at once because there were too many. */
  turnedAway: z.number().int().optional(),
  /** Why the service-account tokens of agents cannot be checked. */
  identityTrouble: z.object({ reason: z.string(), since: time }).optional(),
});

export const VisibilitySchema = z.object({
  kinds: z.array(z.object({ kind: z.string(), state: z.string(), reason: z.string().optional(), last: time.optional(), objects: z.number().int() })),
  agents: AgentsStatusSchema.optional(),
  nodes: z.array(z.object({ name: z.string(), sources: z.array(SourceStatusSchema), lostReports: LostReportsSchema.optional(), blind: z.array(BlindSchema) })),
  /** Every signal over all nodes; a node counts by the best of its instances. */
  signals: z.array(
    z.object({
      signal: z.enum(SIGNAL_IDS),
      unit: z.string(),
      meaning: z.string(),
      possibleSources: z.array(source),
      sources: z.array(source),
      seen: z.number().int(),
      stale: z.number().int(),
      unseen: z.number().int(),
      /** Nodes where there is nothing of it to see now: no call finished, no pod waits. */
      none: z.number().int(),
      last: time.optional(),
      reasons: z.array(z.object({ reason: z.string(), nodes: z.number().int(), fix: z.string().optional() })),
    }),
  ),
  /** The signals of the node that was asked for, each with what to do where it is not seen. */
  node: z.object({ name: z.string(), signals: z.array(SignalSchema.extend({ meaning: z.string(), nothingToSee: z.boolean(), fix: z.string().optional() })) }).optional(),
});

export const StatusSchema = z.object({
  version: z.string(),
  cluster: ClusterSchema.optional(),
  started: time.optional(),
  at: time,
  /** Age of the newest thing the collector wrote; absent before its first write. */
  collectorAgeSeconds: z.number().optional(),
  api: z.object({ reachable: z.boolean(), since: time, reason: z.string().optional() }).optional(),
  kubelet: z.object({ mode: z.string(), tls: z.string(), scraped: z.number().int(), failing: z.number().int(), skipped: z.number().int(), lateMs: z.number() }).optional(),
  agents: AgentsStatusSchema.optional(),
  store: z.object({ writable: z.boolean(), reason: z.string().optional(), pendingBatches: z.number().int(), droppedSamples: z.number().int(), fileBytes: z.number().optional(), refused: z.object({ rows: z.number().int(), last: z.string() }).optional() }).optional(),
  /** Set where a copy of the data file is read, since nothing can be written beside it: why. What is written later does not show then. */
  copyReason: z.string().optional(),
  backfill: z.object({ doneShare: z.number() }).optional(),
  /** Incidents that are not over, and how many of those keep pods from starting. */
  incidents: z.object({ open: z.number().int(), blocking: z.number().int() }).optional(),
  actionsAllowed: z.boolean(),
});

/** The export of one node and a range, version 1. */
export const NodeExportSchema = z.object({
  format: z.literal("sandglass/node"),
  version: z.literal(1),
  madeAt: time,
  madeBy: z.string(),
  cluster: ClusterSchema.optional(),
  window: z.object({ from: time, to: time }),
  node: NodeDetailSchema.omit({ seq: true, previous: true, next: true }),
  timeline: TimelineSchema,
  events: z.object({ items: z.array(EventSchema), truncated: z.boolean() }),
  definitions: z.array(z.object({ signal: z.string(), unit: z.string(), sources: z.array(source), meaning: z.string() })),
});

/** Kubelets whose key changed (`--kubelet-tls=pin`); they are refused until a person accepts the new key. */
export const OfferedKeysSchema = z.object({ items: z.array(z.object({ node: z.string(), sha256: z.string(), seen: time, offeredSha256: z.string() })) });
export const AcceptKeyBodySchema = z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be the SHA-256 of the offered key in hex") });
export const AcceptedKeySchema = z.object({ node: z.string(), sha256: z.string() });

/** RFC 9457. */
export const ProblemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string().optional(),
  code: z.string(),
  /** Which field, which value, which limit. */
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  requestId: z.string(),
});

/** One message of the event stream: nodes that changed since `since`, whole; the collector's status when that changed. */
export const ChangeMessageSchema = z.object({
  seq: z.number().int(),
  at: time,
  nodes: z.array(NodeSummarySchema),
  gone: z.array(z.string()),
  status: StatusSchema.optional(),
  /** Numbers of incidents that changed; a page that shows one reads it anew. */
  incidents: z.array(z.number().int()).optional(),
});

export type Fleet = z.infer<typeof FleetSchema>;
export type NodeSummary = z.infer<typeof NodeSummarySchema>;
export type NodeDetail = z.infer<typeof NodeDetailSchema>;
export type NodeEvents = z.infer<typeof NodeEventsSchema>;
export type Timeline = z.infer<typeof TimelineSchema>;
export type NodeExport = z.infer<typeof NodeExportSchema>;
export type OfferedKeys = z.infer<typeof OfferedKeysSchema>;
export type Visibility = z.infer<typeof VisibilitySchema>;
export type Status = z.infer<typeof StatusSchema>;
export type Problem = z.infer<typeof ProblemSchema>;
export type ChangeMessage = z.infer<typeof ChangeMessageSchema>;
export type SignalNowOut = z.infer<typeof SignalSchema>;
export type WaitingPodOut = z.infer<typeof WaitingPodSchema>;
export type DaemonOut = z.infer<typeof DaemonSchema>;
export type SocketOut = z.infer<typeof SocketSchema>;
