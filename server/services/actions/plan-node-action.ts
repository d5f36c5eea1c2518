import { authorize } from "../../auth/authorize";
import type { ActionPlan } from "../../contract/schemas";
import type { ActionCtx } from "../ctx";
import { makeNodePlan, nodeObject, type NodePlanRequest } from "./make-node-plan";
import { planOut } from "./plan-out";

/** What an action of a node's agent would do, to the call. Reads only; which objects it touches the dry run tells. */
export async function planNodeAction({ ctx, input }: { readonly ctx: ActionCtx; readonly input: NodePlanRequest }): Promise<ActionPlan> {
  authorize(ctx.actor, "plan-action", nodeObject(input.node), ctx);
  return planOut(makeNodePlan(ctx, input).plan);
}
