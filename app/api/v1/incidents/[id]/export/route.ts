import { stateContextOf } from "@/server/http/context";
import { handler } from "@/server/http/handler";
import { SAFE_HEADERS } from "@/server/http/problem";
import { ROUTES } from "@/server/http/routes";
import { exportIncident } from "@/server/services/incidents/export-incident";
import { incidentMarkdown } from "@/server/services/incidents/incident-markdown";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.incidentExport, async ({ ctx, params, query }) => {
  const made = await exportIncident({ ctx: stateContextOf(ctx), input: { id: params.id } });
  const markdown = query.format === "markdown";
  return new Response(markdown ? incidentMarkdown(made) : JSON.stringify(made, undefined, 1), {
    headers: { ...SAFE_HEADERS, "content-type": markdown ? "text/markdown; charset=utf-8" : "application/json", "content-disposition": `attachment; filename="sandglass-incident-${params.id}.${markdown ? "md" : "json"}"` },
  });
});
