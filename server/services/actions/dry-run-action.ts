import { auditEntry, authorize } from "../../auth/authorize";
import { ServiceError } from "../../errors";
import type { DryRun } from "../../contract/schemas";
import type { ActionCtx } from "../ctx";
import { iso } from "../iso";
import { makePlan, type PlanRequest } from "./make-plan";

/** A dry run says something about the cluster for this long. */
export const DRY_RUN_VALID_MS = 5 * 60_000;

/**
 * Asks the API server to go through the writing steps without keeping them (dryRun=All), with this person's own
 * credentials. Needs the right to act, since the API server asks for it too. A refusal of the server is an answer, not an error.
 */
export async function dryRunAction({ ctx, input }: { readonly ctx: ActionCtx; readonly input: PlanRequest }): Promise<DryRun> {
  const permit = authorize(ctx.actor, "run-action", `daemonset/${input.namespace}/${input.daemonSet}`, ctx);
  const { plan } = await makePlan(ctx, input);
  if (plan.refusals.length > 0) throw new ServiceError("refused", plan.refusals.map((refusal) => refusal.message).join(" "));
  const atMs = ctx.clock.now();
  let outcome: { accepted: boolean; message: string };
  try {
    for (const step of plan.steps) if (step.call?.query["dryRun"] === "All") await ctx.cluster.send(step.call);
    outcome = { accepted: true, message: "The API server accepts every write." };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    outcome = { accepted: false, message: error.message };
  }
  await ctx.state.audit(permit, auditEntry(permit, { atMs, verb: "action.dry-run", requestId: ctx.requestId, outcome: outcome.accepted ? "done" : "refused", detail: { action: plan.action, node: plan.node, title: plan.title, message: outcome.message } }));
  return { ...outcome, at: iso(atMs), validUntil: iso(atMs + DRY_RUN_VALID_MS), version: plan.version };
}
