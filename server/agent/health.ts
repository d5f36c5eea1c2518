import { createServer, type Server } from "node:http";

/**
 * Whether the agent still goes its rounds, for the kubelet's probe: a page on loopback, which needs no pod network, no runtime and no
 * server. That the server is away or the runtime hangs is no reason to end the agent: its buffer would be lost.
 */
export interface Health {
  /** A round ended. */
  beat(): void;
  close(): void;
}

const HOST = "127.0.0.1";
const MAX_CONNECTIONS = 8;
const REQUEST_TIMEOUT_MS = 5_000;
/** A round that waits for everything that hangs takes less than this. */
const LONGEST_ROUND_MS = 60_000;
const PERIODS = 3;

/** Rejects where the port is taken. `nowMs` runs on while the node's clock is set. */
export async function serveHealth(port: number, periodMs: number, nowMs: () => number): Promise<Health> {
  let lastMs = nowMs();
  const server: Server = createServer((request, response) => {
    const silentMs = nowMs() - lastMs;
    const alive = silentMs <= PERIODS * periodMs + LONGEST_ROUND_MS;
    const status = request.method !== "GET" || request.url !== "/healthz" ? 404 : alive ? 200 : 503;
    response.writeHead(status, { "content-type": "text/plain", "connection": "close" });
    response.end(status === 404 ? "only GET /healthz is here\n" : alive ? "ok\n" : `no round ended for ${String(Math.round(silentMs / 1_000))} s\n`);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = REQUEST_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, () => {
      server.off("error", reject);
      resolve();
    });
  });
  server.unref();
  return {
    beat: () => {
      lastMs = nowMs();
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
