import { stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { titleIncident } from "@/server/services/incidents/title-incident";

export const dynamic = "force-dynamic";
export const POST = handler(ROUTES.titleIncident, ({ ctx, params, body }) => titleIncident({ ctx: stateContextOf(ctx), input: { id: params.id, title: body.title } }));
