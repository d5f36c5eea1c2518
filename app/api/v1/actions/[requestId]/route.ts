import { requestIdOf } from "@/server/http/action-body";
import { stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readRun } from "@/server/services/actions/read-runs";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.run, ({ ctx, params }) => readRun({ ctx: stateContextOf(ctx), input: { requestId: requestIdOf(params.requestId) } }));
