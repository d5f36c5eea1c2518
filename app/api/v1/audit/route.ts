import { stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readAudit } from "@/server/services/actions/read-runs";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.audit, ({ ctx, query }) => readAudit({ ctx: stateContextOf(ctx), input: { limit: query.limit, beforeId: query.before } }));
