import type { ActionOffers, ActionParams, ActionPlan, ActionRunDetail, ActionRunOut, ActionRuns, AuditLog, DryRun, NodeActionParamsOut } from "@/server/contract/schemas";
import { fetchJson, postJson } from "@/components/live/fetch-json";
import type { NodeOffer, Offer } from "./values";

/** A change of a daemon may take the API server this long to accept; each step has its own limit in the server. */
const RUN_TIMEOUT_MS = 60_000;
const PLAN_TIMEOUT_MS = 20_000;
/** An agent hears of it with the answer to its next report. */
const TRY_TIMEOUT_MS = 40_000;

/** What a plan is for; the same body goes to plan, dry run and run. */
export type Wanted =
  | { readonly node: string; readonly offer: Pick<Offer, "action" | "namespace" | "daemonSet">; readonly params: ActionParams }
  /** The node's agent does it. */
  | { readonly node: string; readonly nodeAction: NodeOffer["action"]; readonly params: NodeActionParamsOut };

export const ACTION_KEYS = {
  offers: (node: string) => ["actions", "offers", node] as const,
  plan: (wanted: Wanted) => ["actions", "plan", wanted.node, JSON.stringify(body(wanted))] as const,
  run: (requestId: string) => ["actions", "run", requestId] as const,
  runs: (node: string | undefined) => ["actions", "runs", node ?? "all"] as const,
  audit: ["actions", "audit"],
} as const;

const of = (node: string): string => `/api/v1/nodes/${encodeURIComponent(node)}/actions`;
const body = (wanted: Wanted): object =>
  "offer" in wanted ? { action: wanted.offer.action, namespace: wanted.offer.namespace, daemonSet: wanted.offer.daemonSet, params: wanted.params } : { action: wanted.nodeAction, params: wanted.params };

export const readOffers = (node: string, signal?: AbortSignal): Promise<ActionOffers> => fetchJson(of(node), signal);
export const readRun = (requestId: string, signal?: AbortSignal): Promise<ActionRunDetail> => fetchJson(`/api/v1/actions/${encodeURIComponent(requestId)}`, signal);
export const readRuns = (node: string | undefined, limit: number, signal?: AbortSignal): Promise<ActionRuns> =>
  fetchJson(`/api/v1/actions?limit=${limit}${node === undefined ? "" : `&node=${encodeURIComponent(node)}`}`, signal);
export const readAudit = (limit: number, signal?: AbortSignal): Promise<AuditLog> => fetchJson(`/api/v1/audit?limit=${limit}`, signal);

export const makePlan = (wanted: Wanted, signal?: AbortSignal): Promise<ActionPlan> => postJson(`${of(wanted.node)}/plan`, body(wanted), { timeoutMs: PLAN_TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) });
export const tryPlan = (wanted: Wanted): Promise<DryRun> => postJson(`${of(wanted.node)}/dry-run`, body(wanted), { timeoutMs: TRY_TIMEOUT_MS });
/** At most once per request id, so sending it again after a time-out is safe. */
export const sendRun = (wanted: Wanted, sent: { readonly requestId: string; readonly version: string; readonly confirm: string }): Promise<ActionRunOut> =>
  postJson(`${of(wanted.node)}/run`, { ...body(wanted), ...sent }, { timeoutMs: RUN_TIMEOUT_MS });
