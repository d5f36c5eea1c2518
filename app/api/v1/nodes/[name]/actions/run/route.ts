import { nodeRunRequest, runRequest } from "@/server/http/action-body";
import { actionContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { runAction } from "@/server/services/actions/run-action";
import { runNodeAction } from "@/server/services/actions/run-node-action";

export const dynamic = "force-dynamic";
export const POST = handler(ROUTES.actionRun, async ({ ctx, params, body }) => {
  const acting = await actionContextOf(ctx);
  return body.action === "set-daemon-resources" ? runAction({ ctx: acting, input: runRequest(params.name, body) }) : runNodeAction({ ctx: acting, input: nodeRunRequest(params.name, body) });
});
