import { webRuntime } from "@/server/http/runtime";

export const dynamic = "force-dynamic";

/** Longest silence of the collector that still counts as ready, seconds. */
const MAX_COLLECTOR_AGE_SECONDS = 60;

/** Pages are served and the collector writes. */
export function GET(): Response {
  const runtime = webRuntime();
  const status = runtime.reader.status();
  const ageSeconds = status === undefined ? undefined : (runtime.clock.now() - status.atMs) / 1_000 / runtime.clock.rate;
  const ready = ageSeconds !== undefined && ageSeconds <= MAX_COLLECTOR_AGE_SECONDS;
  const text = ageSeconds === undefined ? "the collector has not written yet" : ready ? "ok" : `the collector has not written for ${Math.round(ageSeconds)} s`;
  return new Response(`${text}\n`, { status: ready ? 200 : 503, headers: { "content-type": "text/plain", "cache-control": "no-store" } });
}
