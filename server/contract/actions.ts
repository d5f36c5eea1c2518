import { z } from "zod";
import { VERDICTS } from "../domain/actions/types";
import { NODE_ACTIONS, OBJECT_OUTCOMES } from "../domain/actions/work-order";
import { EvidenceSchema } from "./evidence";

/** Plans, dry runs and runs of actions, and the audit log, as the API tells and takes them. */
const time = z.iso.datetime();
const state = z.enum(["yes", "no", "unknown"]);

const quantity = z.string().min(1).max(32);
/** `cpuLimit: null` means none. */
export const ActionParamsSchema = z.object({ container: z.string().min(1).max(253), cpuLimit: quantity.nullable(), memoryRequest: quantity.optional(), memoryLimit: quantity.optional() });
/** Of an action that the node's agent carries out; each uses its own and ignores the others. */
export const NodeActionParamsSchema = z.object({ parallel: z.number().int().min(1).max(16).optional(), waitSeconds: z.number().int().min(1).max(3_600).optional(), /** The plan says which; what a request says of it is passed over. */ program: z.string().max(128).optional() });
/** What became of one sandbox or file, or would. */
export const TouchedSchema = z.object({ id: z.string(), name: z.string(), outcome: z.enum(OBJECT_OUTCOMES), reason: z.string().optional() });
export const ActionOffersSchema = z.object({
  node: z.string(),
  actionsAllowed: z.boolean(),
  offers: z.array(
    z.object({
      action: z.literal("set-daemon-resources"),
      namespace: z.string(),
      daemonSet: z.string(),
      container: z.string(),
      allowed: z.boolean(),
      /** Why the button is greyed. */
      reason: z.string().optional(),
      /** The values that stand now, as far as they are known. */
      current: ActionParamsSchema.optional(),
      presets: z.array(z.object({ preset: z.enum(["emergency", "lasting"]), params: ActionParamsSchema })),
    }),
  ),
  /** What the node's agent could do there. */
  nodeOffers: z.array(
    z.object({
      action: z.enum(NODE_ACTIONS),
      title: z.string(),
      allowed: z.boolean(),
      reason: z.string().optional(),
      /** A firing cause asks for it. */
      fits: z.boolean(),
      params: NodeActionParamsSchema,
    }),
  ),
});
const call = z.object({ method: z.string(), path: z.string(), body: z.string().optional() });
/** What a plan and a run say alike: where, on what object, with which values. */
const onWhat = {
  node: z.string(),
  object: z.object({ kind: z.string(), namespace: z.string(), name: z.string() }),
  /** Of an action on a DaemonSet. */
  params: ActionParamsSchema.optional(),
  /** Of an action that the node's agent carries out. */
  nodeParams: NodeActionParamsSchema.optional(),
};
export const ActionPlanSchema = z.object({
  action: z.string(),
  title: z.string(),
  ...onWhat,
  steps: z.array(z.object({ title: z.string(), writes: z.boolean(), call: call.optional() })),
  diff: z.array(z.object({ kind: z.enum(["same", "removed", "added"]), text: z.string() })),
  affected: z.object({ nodes: z.number().int(), ofNodes: z.number().int(), podsRestarted: z.number().int(), atOnce: z.string() }),
  hazards: z.array(z.object({ title: z.string(), detail: z.string() })),
  refusals: z.array(z.object({ field: z.string().optional(), message: z.string() })),
  undo: z.object({ possible: z.boolean(), how: z.string(), call: call.optional() }),
  confirm: z.object({ kind: z.enum(["click", "type"]), text: z.string() }),
  version: z.string(),
  evidence: z.array(EvidenceSchema),
  passRule: z.string(),
});
export const DryRunSchema = z.object({
  accepted: z.boolean(),
  message: z.string(),
  at: time,
  validUntil: time,
  version: z.string(),
  /** Exactly what the agent would touch, and what it would leave and why. */
  touches: z.array(TouchedSchema).optional(),
});
const readingOut = z.object({
  at: time,
  answer: state,
  atRisk: z.boolean(),
  waiting: z.number().int().optional(),
  stuck: z.number().int().optional(),
  backlog: z.number().optional(),
  dead: z.number().optional(),
  throttledShare: z.number().optional(),
  restarts: z.number().int().optional(),
  oomKills: z.number().int(),
  lastFreshAt: time.optional(),
});
export const ActionRunSchema = z.object({
  id: z.number().int(),
  requestId: z.string(),
  action: z.string(),
  title: z.string(),
  ...onWhat,
  actor: z.string(),
  state: z.enum(["running", "applied", "failed", "interrupted"]),
  started: time,
  finished: time.optional(),
  /** When the change was seen on the node; checks count from there. */
  seen: time.optional(),
  error: z.string().optional(),
  passRule: z.string(),
  undo: z.object({ possible: z.boolean(), how: z.string(), call: call.optional() }),
  before: readingOut,
  steps: z.array(z.object({ title: z.string(), state: z.enum(["running", "done", "failed"]), started: time, finished: time.optional(), before: z.string().optional(), after: z.string().optional(), error: z.string().optional() })),
  verifications: z.array(z.object({ due: time, verdict: z.enum(VERDICTS).optional(), because: z.string().optional(), done: time.optional(), after: readingOut.optional() })),
});
/** One run, with what became of each object that its agent touched or left. */
export const ActionRunDetailSchema = ActionRunSchema.extend({ work: z.object({ state: z.enum(["waiting", "taken", "ended", "lost"]), reason: z.string().optional(), of: z.number().int(), objects: z.array(TouchedSchema) }).optional() });
export const ActionRunsSchema = z.object({ items: z.array(ActionRunSchema) });
export const AuditLogSchema = z.object({
  items: z.array(z.object({ id: z.number().int(), at: time, actor: z.string(), verb: z.string(), object: z.string(), requestId: z.string(), outcome: z.enum(["allowed", "refused", "done", "failed"]), detail: z.record(z.string(), z.unknown()) })),
});
/** What a request for a plan carries; a run carries the rest as well. */
export const PlanBodySchema = z.strictObject({ action: z.literal("set-daemon-resources"), namespace: z.string().min(1).max(63), daemonSet: z.string().min(1).max(253), params: ActionParamsSchema.strict() });
/** The same for an action that the node's agent carries out. */
export const NodePlanBodySchema = z.strictObject({ action: z.enum(NODE_ACTIONS), params: NodeActionParamsSchema.strict() });
const confirmed = { requestId: z.string().max(64), version: z.string().min(1).max(600), confirm: z.string().max(253) };
export const RunBodySchema = PlanBodySchema.extend(confirmed);
export const NodeRunBodySchema = NodePlanBodySchema.extend(confirmed);
export const AnyPlanBodySchema = z.discriminatedUnion("action", [PlanBodySchema, NodePlanBodySchema]);
export const AnyRunBodySchema = z.discriminatedUnion("action", [RunBodySchema, NodeRunBodySchema]);

export type ActionParams = z.infer<typeof ActionParamsSchema>;
export type ActionOffers = z.infer<typeof ActionOffersSchema>;
export type ActionPlan = z.infer<typeof ActionPlanSchema>;
export type NodeActionParamsOut = z.infer<typeof NodeActionParamsSchema>;
export type Touched = z.infer<typeof TouchedSchema>;
export type ActionRunDetail = z.infer<typeof ActionRunDetailSchema>;
export type DryRun = z.infer<typeof DryRunSchema>;
export type ActionRunOut = z.infer<typeof ActionRunSchema>;
export type ActionRuns = z.infer<typeof ActionRunsSchema>;
export type AuditLog = z.infer<typeof AuditLogSchema>;
