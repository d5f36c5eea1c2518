import { runRequest } from "@/server/http/action-body";
import { actionContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { runAction } from "@/server/services/actions/run-action";

export const dynamic = "force-dynamic";
export const POST = handler(ROUTES.actionRun, async ({ ctx, params, body }) => runAction({ ctx: await actionContextOf(ctx), input: runRequest(params.name, body) }));
