import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { webRuntime } from "@/server/http/runtime";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.stream, ({ request }) => {
  const last = request.headers.get("last-event-id") ?? "";
  return webRuntime().hub.open(/^\d{1,15}$/.test(last) ? Number(last) : undefined, request.signal);
});
