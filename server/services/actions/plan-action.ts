import { authorize } from "../../auth/authorize";
import type { ActionPlan } from "../../contract/schemas";
import type { ActionCtx } from "../ctx";
import { makePlan, type PlanRequest } from "./make-plan";
import { planOut } from "./plan-out";

/** What an action would do, to the call. Reads only. */
export async function planAction({ ctx, input }: { readonly ctx: ActionCtx; readonly input: PlanRequest }): Promise<ActionPlan> {
  authorize(ctx.actor, "plan-action", `node/${input.node}`, ctx);
  return planOut((await makePlan(ctx, input)).plan);
}
