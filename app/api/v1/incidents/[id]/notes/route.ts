import { stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { noteIncident } from "@/server/services/incidents/note-incident";

export const dynamic = "force-dynamic";
export const POST = handler(ROUTES.noteIncident, ({ ctx, params, body }) => noteIncident({ ctx: stateContextOf(ctx), input: { id: params.id, text: body.text } }));
