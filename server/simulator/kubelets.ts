import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Log } from "../log";
import { issueCertificate, type KeyPair, type Validity } from "../pki";
import { mayDo, type Users } from "./api/access";
import { ApiError } from "./api/status";
import type { ProxyPage } from "./api/server";
import type { ClusterModel } from "./model/cluster";
import type { NodeModel } from "./model/node";
import { cadvisorMetrics } from "./pages/cadvisor";
import { configz } from "./pages/configz";
import { kubeletMetrics } from "./pages/kubelet-metrics";

const TEXT = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";
const JSON_TYPE = "application/json";
/** Questions to a node that does not answer are kept open, but not more of them than this. */
const MAX_UNANSWERED = 10_000;
const CERTIFICATES_AT_ONCE = 16;
/** A kubelet keeps an idle connection this long (IdleTimeout of its server); Node would close it between any two readings. */
const IDLE_TIMEOUT_MS = 90_000;

interface Page {
  readonly subresource: string;
  readonly contentType: string;
  readonly render: (node: NodeModel) => string;
}

const PAGES: Readonly<Record<string, Page>> = {
  "/metrics": { subresource: "metrics", contentType: TEXT, render: kubeletMetrics },
  "/metrics/cadvisor": { subresource: "metrics", contentType: TEXT, render: cadvisorMetrics },
  "/configz": { subresource: "configz", contentType: JSON_TYPE, render: configz },
  "/healthz": { subresource: "healthz", contentType: "text/plain; charset=utf-8", render: () => "ok" },
};

/** The page with the kubelet's own figures asks the runtime for some of them; cAdvisor reads the cgroups. */
export const hangs = (node: NodeModel, path: string): boolean => path === "/metrics" && node.runtime.frozen;
const answers = (node: NodeModel): boolean => node.power === "on" && !node.silent;

/** The kubelets of all nodes, each with a port and a certificate of its own. */
export class SimulatedKubelets {
  readonly ports = new Map<string, number>();
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Duplex>();
  private unanswered = 0;

  constructor(
    private readonly model: ClusterModel,
    private readonly users: Users,
    private readonly log: Log,
  ) {}

  async listen(host: string, authority: KeyPair, validity: Validity): Promise<void> {
    const nodes = [...this.model.nodes.values()];
    for (let i = 0; i < nodes.length; i += CERTIFICATES_AT_ONCE) {
      await Promise.all(nodes.slice(i, i + CERTIFICATES_AT_ONCE).map((node) => this.listenFor(node, host, authority, validity)));
    }
  }

  /** The same pages for the API server's proxy subresource. */
  readonly proxy: ProxyPage = async (name, path) => {
    const node = this.model.nodes.get(name);
    if (node === undefined || !answers(node)) {
      throw new ApiError(503, "ServiceUnavailable", `error trying to reach service: dial tcp ${node?.parameters.address ?? name}:${this.ports.get(name) ?? 0}: i/o timeout`);
    }
    const page = PAGES[path];
    if (page !== undefined && hangs(node, path)) throw new ApiError(503, "ServiceUnavailable", "error trying to reach service: context deadline exceeded");
    if (page === undefined) return { status: 404, contentType: "text/plain; charset=utf-8", body: "404 page not found\n" };
    return { status: 200, contentType: page.contentType, body: page.render(node) };
  };

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(this.servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  }

  private async listenFor(node: NodeModel, host: string, authority: KeyPair, validity: Validity): Promise<void> {
    const { name, address } = node.parameters;
    const certificate = await issueCertificate(authority, { commonName: `system:node:${name}`, organisation: "system:nodes", names: [name, address], usage: "server" }, validity);
    const server = createServer({ cert: certificate.certPem, key: certificate.keyPem, minVersion: "TLSv1.2", ALPNProtocols: ["http/1.1"], keepAliveTimeout: IDLE_TIMEOUT_MS }, (request, response) => this.answer(node, request, response));
    server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket));
    });
    server.on("tlsClientError", (error) => this.log.debug({ err: error, node: name }, "a TLS handshake with a simulated kubelet failed"));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, host, () => {
        server.off("error", reject);
        resolve();
      });
    });
    this.ports.set(name, (server.address() as AddressInfo).port); // a TCP server that listens has one
    this.servers.push(server);
  }

  private answer(node: NodeModel, request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const path = (request.url ?? "").split("?")[0] ?? "";
    if (!answers(node) || hangs(node, path)) {
      // Nothing comes from a node that is off or cut off, nor a page that waits for the runtime: the caller's own time-out ends it.
      this.unanswered += 1;
      response.once("close", () => (this.unanswered -= 1));
      if (this.unanswered > MAX_UNANSWERED) response.destroy();
      return;
    }
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const user = token === undefined ? undefined : this.users.byToken(token);
    if (user === undefined) {
      response.writeHead(401, { "content-type": "text/plain; charset=utf-8" }).end("Unauthorized");
      return;
    }
    const page = PAGES[path];
    const subresource = page?.subresource ?? "proxy";
    if (!mayDo(user, { verb: "get", group: "", resource: "nodes", subresource })) {
      response.writeHead(403, { "content-type": "text/plain; charset=utf-8" }).end(`Forbidden (user=${user.name}, verb=get, resource=nodes, subresource(s)=[${subresource}])\n`);
      return;
    }
    if (page === undefined || request.method !== "GET") {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("404 page not found\n");
      return;
    }
    const body = page.render(node);
    response.writeHead(200, { "content-type": page.contentType, "content-length": Buffer.byteLength(body) }).end(body);
  }
}
