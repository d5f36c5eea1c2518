import type { NodeName, RequestId } from "../../domain/ids";
import { isNodeAction } from "../../domain/actions/work-order";
import { ServiceError } from "../../errors";
import type { ActionRunDetail, ActionRuns, AuditLog } from "../../contract/schemas";
import type { ActionCtx } from "../ctx";
import { iso } from "../iso";
import { runOut, touchedOut } from "./plan-out";

const DEFAULT_LIMIT = 50;

/** Runs of actions, newest first, of one node or of all. */
export async function readRuns({ ctx, input }: { readonly ctx: ActionCtx; readonly input: { readonly node?: NodeName | undefined; readonly limit?: number | undefined } }): Promise<ActionRuns> {
  const runs = await ctx.state.runs({ limit: input.limit ?? DEFAULT_LIMIT, ...(input.node === undefined ? {} : { node: input.node }) });
  return { items: runs.map((run) => runOut(ctx.openRuns.known(run))) };
}

/** One run by the id that its request carried. */
export async function readRun({ ctx, input }: { readonly ctx: ActionCtx; readonly input: { readonly requestId: RequestId } }): Promise<ActionRunDetail> {
  const stored = await ctx.state.run(input.requestId);
  if (stored === undefined) throw new ServiceError("not-found", "There is no run by this request id.");
  const run = ctx.openRuns.known(stored);
  const work = isNodeAction(run.plan.action) ? await ctx.state.work({ runId: run.id }) : undefined;
  if (work === undefined) return runOut(run);
  const { outcome } = work;
  return { ...runOut(run), work: { state: work.state, of: work.order.objects.length, objects: (outcome?.objects ?? []).map(touchedOut), ...(outcome?.reason === undefined ? {} : { reason: outcome.reason }) } };
}

/** Who tried what, newest first. */
export async function readAudit({ ctx, input }: { readonly ctx: ActionCtx; readonly input: { readonly limit?: number | undefined; readonly beforeId?: number | undefined } }): Promise<AuditLog> {
  const entries = await ctx.state.auditEntries({ limit: input.limit ?? DEFAULT_LIMIT, ...(input.beforeId === undefined ? {} : { beforeId: input.beforeId }) });
  return {
    items: entries.map((entry) => ({ id: entry.id, at: iso(entry.atMs), actor: entry.actor, verb: entry.verb, object: entry.object, requestId: entry.requestId, outcome: entry.outcome, detail: { ...entry.detail } })),
  };
}
