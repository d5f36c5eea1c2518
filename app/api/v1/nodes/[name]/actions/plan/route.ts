import { nodePlanRequest, planRequest } from "@/server/http/action-body";
import { actionContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { planAction } from "@/server/services/actions/plan-action";
import { planNodeAction } from "@/server/services/actions/plan-node-action";

export const dynamic = "force-dynamic";
export const POST = handler(ROUTES.actionPlan, async ({ ctx, params, body }) => {
  const acting = await actionContextOf(ctx);
  return body.action === "set-daemon-resources" ? planAction({ ctx: acting, input: planRequest(params.name, body) }) : planNodeAction({ ctx: acting, input: nodePlanRequest(params.name, body) });
});
