import { planRequest } from "@/server/http/action-body";
import { actionContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { planAction } from "@/server/services/actions/plan-action";

export const dynamic = "force-dynamic";
export const POST = handler(ROUTES.actionPlan, async ({ ctx, params, body }) => planAction({ ctx: await actionContextOf(ctx), input: planRequest(params.name, body) }));
