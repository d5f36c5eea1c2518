import { stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { acknowledgeIncident } from "@/server/services/incidents/acknowledge-incident";

export const dynamic = "force-dynamic";
export const POST = handler(ROUTES.acknowledgeIncident, ({ ctx, params }) => acknowledgeIncident({ ctx: stateContextOf(ctx), input: { id: params.id } }));
