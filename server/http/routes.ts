import { z } from "zod";
import { parseNodeName } from "../domain/ids";
import { isSignalId, SIGNAL_IDS, type SignalId } from "../domain/signals";
import { MAX_TIMELINE_EVENTS, MAX_TIMELINE_POINTS } from "../domain/timeline";
import { MAX_RANGE_MS } from "../services/range";
import { MAX_AUDIT_READ, MAX_RUNS_READ } from "../store/state-types";
import { MAX_INCIDENTS_READ } from "../store/types";
import { AcceptExceptionBodySchema, CauseExceptionSchema, CauseExceptionsSchema, CauseKnowledgeListSchema, CauseKnowledgeSchema, WithdrawExceptionBodySchema, WithdrawnExceptionSchema } from "../contract/causes";
import { ExplainBodySchema, ExplainedTextSchema } from "../contract/explain";
import { AcknowledgeBodySchema, AcknowledgedSchema, IncidentDetailSchema, IncidentExportSchema, IncidentListSchema, NoteBodySchema, SaidSchema, TitleBodySchema } from "../contract/incidents";
import {
  AcceptedKeySchema, AcceptKeyBodySchema, ActionOffersSchema, ActionPlanSchema, ActionRunSchema, ActionRunsSchema, AuditLogSchema, DryRunSchema, FleetSchema, NodeDetailSchema, NodeEventsSchema, NodeExportSchema, OfferedKeysSchema, AnyPlanBodySchema, AnyRunBodySchema, ActionRunDetailSchema, StatusSchema, TimelineSchema, VisibilitySchema,
} from "../contract/schemas";
import type { OfferedCall } from "./offered";

/** Every route of the API, once: the handlers, the OpenAPI document and the tests are made from this. */
export interface Route<P extends z.ZodType = z.ZodType, Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType> {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly summary: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answer?: z.ZodType;
  readonly mediaType?: string;
  /** Largest body; MAX_BODY_BYTES unless a route says otherwise. */
  readonly maxBodyBytes?: number;
  /** A POST that only reads: a client without an Origin, which is no browser, may call it too. */
  readonly readsOnly?: boolean;
}

/** A text of the greatest length, each of its characters escaped in JSON or of several bytes. */
export const MAX_EXPLAIN_BODY_BYTES = 4 * 1_048_576;

const route = <R extends Route & OfferedCall>(definition: R): R => definition;

export const NodeNameParam = z.string().transform((text, ctx) => {
  const name = parseNodeName(text);
  if (name !== undefined) return name;
  ctx.addIssue({ code: "custom", message: "not a node name: lower-case letters, digits, '-' and '.', at most 253 characters" });
  return z.NEVER;
});
const NodeParams = z.object({ name: NodeNameParam });

/** ISO 8601 or whole milliseconds since 1970. */
export const TimeParam = z.string().max(40).transform((text, ctx) => {
  const ms = /^\d{1,16}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isFinite(ms) && Math.abs(ms) < 8.64e15) return ms;
  ctx.addIssue({ code: "custom", message: `"${text}" is not a time: ISO 8601 or milliseconds since 1970` });
  return z.NEVER;
});
const range = { from: TimeParam.optional(), to: TimeParam.optional() };
const inOrder = (value: { from?: number | undefined; to?: number | undefined }, ctx: z.RefinementCtx): void => {
  if (value.from === undefined || value.to === undefined) return;
  if (value.to <= value.from) ctx.addIssue({ code: "custom", path: ["to"], message: "must be later than from" });
  if (value.to - value.from > MAX_RANGE_MS) ctx.addIssue({ code: "custom", path: ["from"], message: `the range is over ${MAX_RANGE_MS / 86_400_000} days` });
};
const whole = (min: number, max: number) => z.string().regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`).transform(Number).pipe(z.number().min(min).max(max));
const signals = z.string().max(4_000).transform((text, ctx): SignalId[] => {
  const ids = text.split(",").filter((id) => id !== "");
  const unknown = ids.find((id) => !isSignalId(id));
  if (unknown === undefined) return ids.filter(isSignalId);
  ctx.addIssue({ code: "custom", message: `"${unknown.slice(0, 80)}" is not a signal; there are ${SIGNAL_IDS.join(", ")}` });
  return z.NEVER;
});

const CauseParams = z.object({ code: z.string().max(64) });
const IncidentParams = z.object({ id: whole(1, 999_999_999) });

export const ROUTES = {
  fleet: route({ method: "GET", path: "/api/v1/fleet", summary: "Every node with its answer, signals and counts", answer: FleetSchema }),
  node: route({ method: "GET", path: "/api/v1/nodes/{name}", summary: "One node whole", params: NodeParams, answer: NodeDetailSchema }),
  events: route({
    method: "GET", path: "/api/v1/nodes/{name}/events", summary: "Events of a node and its pods, newest first, kept past the cluster's own hour", params: NodeParams,
    query: z.object({ ...range, limit: whole(1, MAX_TIMELINE_EVENTS).optional(), before: TimeParam.optional() }).superRefine(inOrder), answer: NodeEventsSchema,
  }),
  timeline: route({
    method: "GET", path: "/api/v1/nodes/{name}/timeline", summary: "Signals of a node over a range, at most `points` points each, minimum and maximum kept", params: NodeParams,
    query: z.object({ ...range, signals: signals.optional(), points: whole(10, MAX_TIMELINE_POINTS).optional() }).superRefine(inOrder), answer: TimelineSchema,
  }),
  export: route({
    method: "GET", path: "/api/v1/nodes/{name}/export", summary: "A node and a range as one document, JSON or Markdown, to keep or to hand on", params: NodeParams,
    query: z.object({ ...range, format: z.enum(["json", "markdown"]).optional() }).superRefine(inOrder), answer: NodeExportSchema,
  }),
  actionOffers: route({ method: "GET", path: "/api/v1/nodes/{name}/actions", summary: "What may be done about a node, and why a button is greyed", params: NodeParams, answer: ActionOffersSchema }),
  actionPlan: route({ method: "POST", path: "/api/v1/nodes/{name}/actions/plan", summary: "What an action would do, to the call; changes nothing", params: NodeParams, body: AnyPlanBodySchema, answer: ActionPlanSchema }),
  actionDryRun: route({ method: "POST", path: "/api/v1/nodes/{name}/actions/dry-run", summary: "The plan's writes with dryRun=All on the server", params: NodeParams, body: AnyPlanBodySchema, answer: DryRunSchema }),
  actionRun: route({ method: "POST", path: "/api/v1/nodes/{name}/actions/run", summary: "Runs an action, at most once per request id", params: NodeParams, body: AnyRunBodySchema, answer: ActionRunSchema }),
  runs: route({ method: "GET", path: "/api/v1/actions", summary: "Runs of actions with their verdicts, newest first", query: z.object({ node: NodeNameParam.optional(), limit: whole(1, MAX_RUNS_READ).optional() }), answer: ActionRunsSchema }),
  run: route({ method: "GET", path: "/api/v1/actions/{requestId}", summary: "One run by its request id", params: z.object({ requestId: z.string().max(64) }), answer: ActionRunDetailSchema }),
  audit: route({ method: "GET", path: "/api/v1/audit", summary: "Who tried what, newest first", query: z.object({ limit: whole(1, MAX_AUDIT_READ).optional(), before: whole(1, 999_999_999).optional() }), answer: AuditLogSchema }),
  offeredKeys: route({ method: "GET", path: "/api/v1/kubelet-keys", summary: "Kubelets whose key changed and waits to be accepted", answer: OfferedKeysSchema }),
  acceptKey: route({ method: "POST", path: "/api/v1/nodes/{name}/kubelet-key", summary: "Accepts the key that a node's kubelet offers", params: NodeParams, body: AcceptKeyBodySchema, answer: AcceptedKeySchema }),
  causes: route({ method: "GET", path: "/api/v1/causes", summary: "What Sandglass knows of every cause", answer: CauseKnowledgeListSchema }),
  cause: route({ method: "GET", path: "/api/v1/causes/{code}", summary: "What Sandglass knows of one cause", params: CauseParams, answer: CauseKnowledgeSchema }),
  exceptions: route({ method: "GET", path: "/api/v1/causes/{code}/exceptions", summary: "What of a cause people accepted as it is, with who, when and why", params: CauseParams, answer: CauseExceptionsSchema }),
  acceptException: route({ method: "POST", path: "/api/v1/causes/{code}/exceptions", summary: "Accepts one subject of a cause as it is; what is accepted already gets the new reason", params: CauseParams, body: AcceptExceptionBodySchema, answer: CauseExceptionSchema }),
  withdrawException: route({ method: "POST", path: "/api/v1/causes/{code}/exceptions/withdraw", summary: "Withdraws what was accepted: the cause fires again where it is there", params: CauseParams, body: WithdrawExceptionBodySchema, answer: WithdrawnExceptionSchema }),
  incidents: route({
    method: "GET", path: "/api/v1/incidents", summary: "Incidents: those that are not over first, then closed ones, newest first",
    query: z.object({ state: z.enum(["open", "closed", "all"]).optional(), node: NodeNameParam.optional(), limit: whole(1, MAX_INCIDENTS_READ).optional(), before: whole(1, 999_999_999).optional() }), answer: IncidentListSchema,
  }),
  incident: route({ method: "GET", path: "/api/v1/incidents/{id}", summary: "One incident whole: story, causes with evidence, who is hurt, notes", params: IncidentParams, answer: IncidentDetailSchema }),
  incidentExport: route({ method: "GET", path: "/api/v1/incidents/{id}/export", summary: "An incident as one document, JSON or Markdown, to keep or to hand on", params: IncidentParams, query: z.object({ format: z.enum(["json", "markdown"]).optional() }), answer: IncidentExportSchema }),
  acknowledgeIncident: route({ method: "POST", path: "/api/v1/incidents/{id}/acknowledge", summary: "Says that somebody is on it; of several the first counts", params: IncidentParams, body: AcknowledgeBodySchema, answer: AcknowledgedSchema }),
  noteIncident: route({ method: "POST", path: "/api/v1/incidents/{id}/notes", summary: "Adds a note", params: IncidentParams, body: NoteBodySchema, answer: SaidSchema }),
  titleIncident: route({ method: "POST", path: "/api/v1/incidents/{id}/title", summary: "Gives an incident a title", params: IncidentParams, body: TitleBodySchema, answer: SaidSchema }),
  explain: route({ method: "POST", path: "/api/v1/explain", summary: "What the text of an event, a log or `kubectl get events -o json` says: cause, what says so, what to look at; reads nothing of the cluster", body: ExplainBodySchema, answer: ExplainedTextSchema, maxBodyBytes: MAX_EXPLAIN_BODY_BYTES, readsOnly: true }),
  visibility: route({ method: "GET", path: "/api/v1/visibility", summary: "What Sandglass can and cannot see, and why; with `node` every signal of that node", query: z.object({ node: NodeNameParam.optional() }), answer: VisibilitySchema }),
  status: route({ method: "GET", path: "/api/v1/status", summary: "Sandglass itself: connection, sources, store", answer: StatusSchema }),
  stream: route({ method: "GET", path: "/api/v1/stream", summary: "Server-sent events: `change` with the nodes that changed, `status` where the store turns writable or not; resumes after Last-Event-ID", mediaType: "text/event-stream" }),
  openapi: route({ method: "GET", path: "/api/v1/openapi.json", summary: "This document", answer: z.looseObject({ openapi: z.string() }) }),
} as const;
