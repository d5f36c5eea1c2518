import { randomUUID } from "node:crypto";
import { authorize } from "../../auth/authorize";
import { actionReading } from "../../domain/actions/reading";
import type { Plan } from "../../domain/actions/types";
import { isNodeAction, ORDER_VALID_MS, type NodeActionParams, type WorkOrder } from "../../domain/actions/work-order";
import type { RequestId } from "../../domain/ids";
import { actorName } from "../../domain/permit";
import { ServiceError, type ErrorCode } from "../../errors";
import type { ActionRunOut } from "../../contract/schemas";
import type { ActionRun } from "../../store/state-types";
import type { ActionCtx } from "../ctx";
import { DRY_RUN_VALID_MS } from "./dry-run-action";
import { audited, runEntry } from "./attempt";
import { makeNodePlan, nodeObject, type NodePlanRequest } from "./make-node-plan";
import { runOut } from "./plan-out";
import { COOLDOWN_MS } from "./run-action";

export interface NodeRunRequest extends NodePlanRequest {
  readonly requestId: RequestId;
  /** Of the plan that the person saw, and of the dry run that listed the objects. */
  readonly version: string;
}

/** Newest runs of a node among which one under way is looked for. */
const LOOK_BACK_RUNS = 20;

/**
 * Orders a node's agent to touch exactly what its dry run listed. Once per request id; the run, the order and the audit entry are one
 * transaction, so either all of them are there or nothing was asked for. The agent looks at each object again, and its words make the
 * steps and the end of the run.
 */
export async function runNodeAction({ ctx, input }: { readonly ctx: ActionCtx; readonly input: NodeRunRequest }): Promise<ActionRunOut> {
  const known = await ctx.state.run(input.requestId);
  if (known !== undefined) return knownRun(known, input);
  const asking = authorize(ctx.actor, "plan-action", nodeObject(input.node), ctx);
  const { plan, view } = await audited(ctx, asking, input, () => makeNodePlan(ctx, input));
  const refuse = async (code: ErrorCode, message: string): Promise<never> => {
    await ctx.state.audit(asking, runEntry(ctx, asking, input.requestId, "refused", { ...facts(plan), message }));
    throw new ServiceError(code, message);
  };
  if (!ctx.actionsAllowed) return refuse("forbidden", "Actions are off. Start Sandglass with --allow-actions to be able to change this cluster.");
  if (plan.refusals.length > 0) return refuse("refused", plan.refusals.map((refusal) => refusal.message).join(" "));
  if (plan.version !== input.version) return refuse("conflict", "The node's answer changed since the plan was made. Look at the new plan first.");
  const right = await ctx.cluster.can(plan.needs).catch(async (error: unknown) => refuse("cluster-unreachable", error instanceof ServiceError ? error.message : "The cluster did not say whether you may."));
  if (!right.allowed) return refuse("forbidden", `You may not ${plan.needs.verb} the node ${plan.node}: ${right.reason}.`);
  const nowMs = ctx.clock.now();
  const tried = await ctx.state.triedDry({ node: plan.node, version: plan.version, sinceMs: nowMs - DRY_RUN_VALID_MS });
  const objects = (tried?.outcome?.state === "ended" ? tried.outcome.objects : []).flatMap(({ id, outcome }) => (outcome === "would" ? [id] : []));
  if (objects.length === 0) return refuse("refused", "It needs a dry run first: what the agent lists there is what it may touch.");
  const busy = (await ctx.state.runs({ node: plan.node, limit: LOOK_BACK_RUNS })).find((run) => run.requestId !== input.requestId && run.state === "running" && isNodeAction(run.plan.action));
  if (busy !== undefined) return refuse("too-many", `The agent of ${plan.node} still carries out "${busy.plan.title}". Wait for its end.`);
  const permit = authorize(ctx.actor, "run-action", asking.object, ctx);
  const order: WorkOrder = { id: randomUUID(), node: plan.node, action: input.action, dry: false, planVersion: plan.version, requestedBy: actorName(ctx.actor), issuedMs: nowMs, expiresMs: nowMs + ORDER_VALID_MS, params: plan.params, objects };
  const { run, started } = await ctx.state.startRun(permit, runEntry(ctx, permit, input.requestId, "allowed", { ...facts(plan), order: order.id, objects: objects.length }), {
    requestId: input.requestId,
    plan,
    before: actionReading(view, nowMs),
    startedMs: nowMs,
    aloneSinceMs: nowMs - COOLDOWN_MS,
    order,
  });
  if (!started && run.requestId === input.requestId) return knownRun(run, input);
  if (!started) return refuse("too-many", `An action on ${plan.node} began ${Math.round((nowMs - run.startedMs) / 1_000)} s ago. Wait ${COOLDOWN_MS / 1_000} s and see what it does.`);
  return runOut(run);
}

/** A request id belongs to one request: another one that carries it is a mistake, not a retry. */
function knownRun(run: ActionRun, input: NodeRunRequest): ActionRunOut {
  const { plan } = run;
  if (plan.node !== input.node || plan.action !== input.action || plan.version !== input.version) throw new ServiceError("conflict", "This request id was used for another run. Open the plan again.");
  return runOut(run);
}

const facts = (plan: Plan<NodeActionParams>): Record<string, unknown> => ({ action: plan.action, node: plan.node, title: plan.title, params: plan.params });
