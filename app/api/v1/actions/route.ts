import { stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readRuns } from "@/server/services/actions/read-runs";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.runs, ({ ctx, query }) => readRuns({ ctx: stateContextOf(ctx), input: query }));
