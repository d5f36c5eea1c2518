import { z } from "zod";
import { CAUSE_CODES } from "../domain/causes/codes";
import { HURT_ROLES } from "../domain/incident/hurt";
import { STORY_KINDS } from "../domain/incident/story";
import { SOURCES } from "../domain/sources";
import { EvidenceSchema } from "./evidence";
import { written, writtenLine } from "./written";

const time = z.iso.datetime();
const code = z.enum(CAUSE_CODES as [(typeof CAUSE_CODES)[number], ...(typeof CAUSE_CODES)[number][]]); // the list is not empty
const certainty = z.enum(["named", "suspected"]);
const severity = z.enum(["blocks", "risks"]);
const state = z.enum(["open", "unknown", "recovering", "closed"]);
const who = z.object({ by: z.string(), at: time });

export const IncidentCauseBriefSchema = z.object({ code, detail: z.string().optional(), title: z.string(), certainty, severity, state: z.enum(["firing", "ended", "unseen"]) });

export const HurtSchema = z.object({
  namespace: z.string(),
  kind: z.string(),
  name: z.string(),
  role: z.enum(HURT_ROLES).optional(),
  /** Its pods that wait now, and at most. */
  waiting: z.number().int(),
  mostWaiting: z.number().int(),
  /** Of all pods of its owner: how many have a sandbox, how many there are; absent where they were not counted. */
  started: z.number().int().optional(),
  replicas: z.number().int().optional(),
  since: time,
  until: time.optional(),
});

export const IncidentSummarySchema = z.object({
  id: z.number().int(),
  scope: z.enum(["node", "fleet"]),
  node: z.string().optional(),
  pool: z.string().optional(),
  zone: z.string().optional(),
  /** The fleet incident that it is part of. */
  fleet: z.number().int().optional(),
  /** Of a fleet incident: how many nodes, their names (bounded), and how they are now. */
  members: z.object({ count: z.number().int(), nodes: z.array(z.string()), open: z.number().int(), unknown: z.number().int(), recovering: z.number().int(), closed: z.number().int() }).optional(),
  state,
  stateSince: time,
  severity,
  /** A person's title, else one made of what is known. */
  title: z.string(),
  titled: who.optional(),
  /** One sentence: how it stands. */
  lead: z.string(),
  /** Told apart by fresh sandboxes; absent where the answer never was no. */
  nature: z.enum(["wedge", "flap", "undecided"]).optional(),
  sign: time,
  opened: time,
  recovered: time.optional(),
  closed: time.optional(),
  closedBecause: z.enum(["recovered", "node-gone"]).optional(),
  relapses: z.number().int(),
  reopened: z.number().int(),
  /** Roots, the one that it is about first. */
  causes: z.array(IncidentCauseBriefSchema),
  hurt: z.object({ workloads: z.number().int(), waiting: z.number().int(), system: z.array(z.string()) }),
  acknowledged: who.optional(),
  notes: z.number().int(),
});

export const IncidentListSchema = z.object({
  at: time,
  seq: z.number().int(),
  counts: z.object({ open: z.number().int(), blocking: z.number().int() }),
  items: z.array(IncidentSummarySchema),
  /** Older ones are there: ask again with `before`. */
  truncated: z.boolean(),
});

export const AttemptGroupSchema = z.object({
  cause: code,
  detail: z.string().optional(),
  plugin: z.string(),
  confidence: z.enum(["high", "medium", "low"]),
  because: z.array(z.string()),
  text: z.string(),
  events: z.number().int(),
  pods: z.number().int(),
  first: time,
  last: time,
  named: z.array(z.object({ pod: z.string(), attempts: z.number().int(), runs: z.array(z.object({ from: z.number().int(), to: z.number().int(), first: time, last: time, text: z.string() })) })),
});

export const StoryItemSchema = z.object({
  at: time,
  until: time.optional(),
  kind: z.enum(STORY_KINDS),
  tone: z.enum(["bad", "ok", "warn", "unknown", "plain"]),
  title: z.string(),
  detail: z.string().optional(),
  node: z.string().optional(),
  source: z.enum(SOURCES).optional(),
  diff: z.string().optional(),
  attempts: AttemptGroupSchema.optional(),
  requestId: z.string().optional(),
  repeats: z.literal(true).optional(),
});

export const IncidentCauseSchema = IncidentCauseBriefSchema.extend({
  first: time,
  since: time,
  seen: time,
  until: time.optional(),
  /** How often it began. */
  times: z.number().int(),
  summary: z.string(),
  evidence: z.array(EvidenceSchema),
  pods: z.array(z.string()),
  /** Why it cannot be looked for. */
  reason: z.string().optional(),
  /** The cause that brought it about. */
  under: code.optional(),
});

export const SharedSchema = z.object({
  /** One or more sentences; also where nothing tells them apart. */
  words: z.string(),
  sick: z.number().int(),
  well: z.number().int(),
  traits: z.array(z.object({ trait: z.string(), value: z.string(), sick: z.number().int(), sickKnown: z.number().int(), well: z.number().int(), wellKnown: z.number().int(), chance: z.number() })),
  compared: z.array(z.string()),
});

export const IncidentDetailSchema = IncidentSummarySchema.extend({
  at: time,
  seq: z.number().int(),
  natureWords: z.string().optional(),
  /** The range that the story covers. */
  from: time,
  to: time,
  answer: z.object({ state: z.enum(["yes", "no", "unknown"]), summary: z.string(), since: time }).optional(),
  peak: z.object({ waiting: z.number().int(), waitingSystem: z.number().int(), at: time }).optional(),
  allCauses: z.array(IncidentCauseSchema),
  hurtWorkloads: z.array(HurtSchema),
  story: z.array(StoryItemSchema),
  /** The middle of the story is left out. */
  storyTruncated: z.boolean(),
  noteList: z.array(z.object({ id: z.number().int(), at: time, by: z.string(), text: z.string() })),
  memberIncidents: z.array(IncidentSummarySchema),
  shared: SharedSchema.optional(),
  /** Where the node stood and what it ran when it turned. */
  traits: z.record(z.string(), z.string()).optional(),
  /** Stretches whose samples are kept as they came. */
  kept: z.array(z.object({ from: time, to: time })),
});

export const IncidentExportSchema = z.object({
  format: z.literal("sandglass/incident"),
  version: z.literal(1),
  madeAt: time,
  madeBy: z.string(),
  cluster: z.object({ uid: z.string(), name: z.string(), server: z.string(), version: z.string().optional(), user: z.string(), simulated: z.boolean() }).optional(),
  incident: IncidentDetailSchema.omit({ seq: true, at: true }),
});

export const MAX_NOTE_CHARS = 4_000;
export const MAX_TITLE_CHARS = 200;
export const AcknowledgeBodySchema = z.strictObject({});
export const NoteBodySchema = z.strictObject({ text: written(MAX_NOTE_CHARS) });
export const TitleBodySchema = z.strictObject({ title: writtenLine(MAX_TITLE_CHARS) });
export const AcknowledgedSchema = z.object({ id: z.number().int(), by: z.string(), at: time });
export const SaidSchema = z.object({ id: z.number().int() });

export type IncidentSummary = z.infer<typeof IncidentSummarySchema>;
export type IncidentList = z.infer<typeof IncidentListSchema>;
export type IncidentDetail = z.infer<typeof IncidentDetailSchema>;
export type IncidentExport = z.infer<typeof IncidentExportSchema>;
export type IncidentCauseOut = z.infer<typeof IncidentCauseSchema>;
export type HurtOut = z.infer<typeof HurtSchema>;
export type StoryItemOut = z.infer<typeof StoryItemSchema>;
export type AttemptGroupOut = z.infer<typeof AttemptGroupSchema>;
export type SharedOut = z.infer<typeof SharedSchema>;
export type Acknowledged = z.infer<typeof AcknowledgedSchema>;
