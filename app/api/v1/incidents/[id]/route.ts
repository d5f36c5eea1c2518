import { stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readIncident } from "@/server/services/incidents/read-incident";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.incident, ({ ctx, params }) => readIncident({ ctx: stateContextOf(ctx), input: { id: params.id } }));
