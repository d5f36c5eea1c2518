import { webRuntime } from "@/server/http/runtime";

export const dynamic = "force-dynamic";

/** Longest silence of the collector that still counts as ready, seconds. */
const MAX_COLLECTOR_AGE_SECONDS = 60;

/** Pages are served and the collector writes. */
export function GET(): Response {
  const problem = notReady();
  return new Response(`${problem ?? "ok"}\n`, { status: problem === undefined ? 200 : 503, headers: { "content-type": "text/plain", "cache-control": "no-store" } });
}

function notReady(): string | undefined {
  const { reader, clock } = webRuntime();
  const status = reader.status();
  if (status === undefined) return "the collector has not written yet";
  if (!status.store.writable) return `the data file cannot be written: ${status.store.reason ?? "no reason was told"}`;
  const ageSeconds = (clock.now() - status.atMs) / 1_000 / clock.rate;
  return ageSeconds <= MAX_COLLECTOR_AGE_SECONDS ? undefined : `the collector has not written for ${Math.round(ageSeconds)} s`;
}
