export const dynamic = "force-dynamic";

/** Pages are served. No name of the cluster is in it, so it needs no check of who asks. */
export const GET = (): Response => new Response("ok\n", { headers: { "content-type": "text/plain", "cache-control": "no-store" } });
