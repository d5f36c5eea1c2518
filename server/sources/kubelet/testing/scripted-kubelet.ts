import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { issueCertificate, makeAuthority, type KeyPair, type Validity } from "../../../pki";

/** A real HTTPS server that does what a test tells it to, in the place of a kubelet. */
export interface ScriptedKubelet {
  readonly origin: string;
  readonly port: number;
  /** Each request in the order in which it came. */
  readonly requests: readonly { readonly path: string; readonly headers: IncomingMessage["headers"] }[];
  /** TLS connections that were opened. */
  readonly connections: () => number;
  /** Those that are open now. */
  readonly openConnections: () => number;
  /** Answers from now on with another certificate; connections that are open stay. */
  present(certificate: KeyPair): void;
  /** Ends every open connection, as a kubelet that restarts does. */
  dropConnections(): void;
  close(): Promise<void>;
}

export type Script = (request: IncomingMessage, response: ServerResponse) => void;

const DAY_MS = 86_400_000;
export const validNow = (): Validity => ({ notBeforeMs: Date.now() - DAY_MS, notAfterMs: Date.now() + DAY_MS });
export const expired = (): Validity => ({ notBeforeMs: Date.now() - 2 * DAY_MS, notAfterMs: Date.now() - DAY_MS });

export const authority = (name = "test authority"): Promise<KeyPair> => makeAuthority(name, validNow());
export const serving = (signer: KeyPair, names: readonly string[], validity: Validity = validNow()): Promise<KeyPair> =>
  issueCertificate(signer, { commonName: `system:node:${names[0] ?? "none"}`, organisation: "system:nodes", names, usage: "server" }, validity);

export async function startKubelet(certificate: KeyPair, script: Script): Promise<ScriptedKubelet> {
  const sockets = new Set<Socket>();
  const requests: { path: string; headers: IncomingMessage["headers"] }[] = [];
  let connections = 0;
  // The same for every certificate, as a hostile server would: sessions could be resumed over a change of certificate.
  const ticketKeys = randomBytes(48);
  const server: Server = createServer({ cert: certificate.certPem, key: certificate.keyPem, ticketKeys, keepAliveTimeout: 90_000 }, (request, response) => {
    requests.push({ path: request.url ?? "", headers: request.headers });
    script(request, response);
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("secureConnection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // an address of a listening TCP server
  const dropConnections = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    origin: `https://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    openConnections: () => sockets.size,
    present: ({ certPem, keyPem }) => server.setSecureContext({ cert: certPem, key: keyPem, ticketKeys }),
    dropConnections,
    close: async () => {
      dropConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
