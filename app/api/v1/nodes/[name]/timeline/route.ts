import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { readTimeline } from "@/server/services/read-timeline";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.timeline, ({ ctx, params, query }) =>
  readTimeline({ ctx, input: { name: params.name, fromMs: query.from, toMs: query.to, signals: query.signals, points: query.points } }),
);
