import { handler } from "@/server/http/handler";
import { ROUTES } from "@/server/http/routes";
import { webRuntime } from "@/server/http/runtime";

export const dynamic = "force-dynamic";
export const GET = handler(ROUTES.stream, ({ request }) => {
  // A browser resumes with Last-Event-ID; a page that was just made says in `since` what it already shows.
  const last = request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("since") ?? "";
  return webRuntime().hub.open(/^\d{1,15}$/.test(last) ? Number(last) : undefined, request.signal);
});
