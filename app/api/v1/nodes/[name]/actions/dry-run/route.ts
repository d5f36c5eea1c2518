import { nodePlanRequest, planRequest } from "@/server/http/action-body";
import { actionContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { dryRunAction } from "@/server/services/actions/dry-run-action";
import { dryRunNodeAction } from "@/server/services/actions/dry-run-node-action";

export const dynamic = "force-dynamic";
export const POST = handler(ROUTES.actionDryRun, async ({ ctx, params, body }) => {
  const acting = await actionContextOf(ctx);
  return body.action === "set-daemon-resources" ? dryRunAction({ ctx: acting, input: planRequest(params.name, body) }) : dryRunNodeAction({ ctx: acting, input: nodePlanRequest(params.name, body) });
});
