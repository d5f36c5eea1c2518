import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readEvents } from "@/server/services/read-events";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.events, ({ ctx, params, query }) =>
  readEvents({ ctx, input: { name: params.name, fromMs: query.from, toMs: query.to, limit: query.limit, beforeMs: query.before } }),
);
