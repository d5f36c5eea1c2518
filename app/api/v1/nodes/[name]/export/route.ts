import { handler } from "@/server/http/handler";
import { SAFE_HEADERS } from "@/server/http/problem";
import { ROUTES } from "@/server/http/routes";
import { exportMarkdown } from "@/server/services/export-markdown";
import { exportNode } from "@/server/services/export-node";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.export, async ({ ctx, params, query }) => {
  const made = await exportNode({ ctx, input: { name: params.name, fromMs: query.from, toMs: query.to } });
  const markdown = query.format === "markdown";
  // A node's name holds nothing that a file name may not.
  const file = `sandglass-${params.name}-${made.window.from.replaceAll(/[:.]/g, "")}.${markdown ? "md" : "json"}`;
  return new Response(markdown ? exportMarkdown(made) : JSON.stringify(made, undefined, 1), {
    headers: { ...SAFE_HEADERS, "content-type": markdown ? "text/markdown; charset=utf-8" : "application/json", "content-disposition": `attachment; filename="${file}"` },
  });
});
