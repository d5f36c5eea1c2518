import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readIncidents } from "@/server/services/incidents/read-incidents";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.incidents, ({ ctx, query }) => readIncidents({ ctx, input: { state: query.state, node: query.node, limit: query.limit, beforeId: query.before } }));
