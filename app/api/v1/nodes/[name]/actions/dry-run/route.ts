import { planRequest } from "@/server/http/action-body";
import { actionContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { dryRunAction } from "@/server/services/actions/dry-run-action";

export const dynamic = "force-dynamic";
export const POST = handler(ROUTES.actionDryRun, async ({ ctx, params, body }) => dryRunAction({ ctx: await actionContextOf(ctx), input: planRequest(params.name, body) }));
