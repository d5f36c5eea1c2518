import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../../clock";
import type { Log } from "../../log";
import type { KeyPair } from "../../pki";
import { KUBELET_VERSION } from "../objects/node";
import { authorize, type SimulatedUser, type Users } from "./access";
import type { ClusterBridge } from "./bridge";
import { Pager } from "./paging";
import { decode, parseJson, readBody, readUrl, send } from "./http";
import { discovery, parsePath, resourceKey, type ResourcePath } from "./resources";
import { review, REVIEWS } from "./reviews";
import { fieldSelector, labelSelector, type Selector } from "./selectors";
import { ApiError, noSuchPath, notFound, statusOf } from "./status";
import { objectKey } from "./store";
import { WatchStream } from "./watch";
import { Writes } from "./writes";

const MAX_WATCHES = 10_000;

/** Reads a page of a kubelet for the proxy subresource. */
export type ProxyPage = (node: string, path: string) => Promise<{ readonly status: number; readonly contentType: string; readonly body: string }>;

export interface ApiServerOptions {
  readonly bridge: ClusterBridge;
  readonly users: Users;
  readonly certificate: KeyPair;
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly proxy: ProxyPage;
}

/** A Kubernetes API server over HTTPS, for the one simulated cluster. */
export class SimulatedApiServer {
  private server: Server | undefined;
  private port = 0;
  private readonly sockets = new Set<Duplex>();
  private readonly watches = new Set<WatchStream>();
  private readonly pager = new Pager();
  private readonly writes: Writes;
  /** While set, every request is refused with 503: it answers, but it is not well. */
  failing = false;

  constructor(private readonly options: ApiServerOptions) {
    this.writes = new Writes(options.bridge);
  }

  /** Listens; the same port again after a cut. Rejects where the port cannot be had. */
  async listen(): Promise<number> {
    const { certificate, host, log } = this.options;
    const server = createServer({ cert: certificate.certPem, key: certificate.keyPem, minVersion: "TLSv1.2", ALPNProtocols: ["http/1.1"] }, (request, response) => {
      this.handle(request, response).catch((error: unknown) => {
        log.error({ err: error }, "a request to the simulated API server failed");
        response.destroy();
      });
    });
    server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket));
    });
    server.on("tlsClientError", (error) => log.debug({ err: error }, "a TLS handshake with the simulated API server failed"));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.port === 0 ? this.options.port : this.port, host, () => {
        server.off("error", reject);
        resolve();
      });
    });
    this.server = server;
    this.port = (server.address() as AddressInfo).port; // a TCP server that listens has one
    return this.port;
  }

  /** Stops listening and breaks every connection, watches in the middle of a line. */
  async close(): Promise<void> {
    this.cutWatches();
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of this.sockets) socket.destroy();
    });
  }

  get listening(): boolean {
    return this.server !== undefined;
  }

  cutWatches(): void {
    for (const watch of [...this.watches]) watch.cut();
  }

  /** As after a compaction, or five minutes of paging: old versions and pages are gone. */
  forgetOld(): void {
    this.options.bridge.store.forgetHistory();
    this.pager.expire();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request);
      if (this.failing) throw new ApiError(503, "ServiceUnavailable", "the simulated API server is failing on purpose");
      await this.answer(request, response, body);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (response.headersSent) response.destroy();
      else send(response, error.code, statusOf(error));
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const url = readUrl(request.url);
    const segments = url.pathname.split("/").filter((part) => part !== "").map(decode);
    const method = request.method ?? "GET";
    const path = segments.join("/");
    if (path === "healthz" || path === "livez" || path === "readyz") {
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end("ok");
      return;
    }
    const user = this.options.users.authenticate(request.headers.authorization);
    if (method === "GET" && path === "version") {
      send(response, 200, VERSION);
      return;
    }
    const document = method === "GET" ? discovery(segments) : undefined;
    if (document !== undefined) {
      send(response, 200, document);
      return;
    }
    if (method === "POST" && segments[0] === "apis" && segments[2] === "v1" && segments.length === 4 && REVIEWS[segments[3] ?? ""] === segments[1]) {
      authorize(user, { verb: "create", group: segments[1] ?? "", resource: segments[3] ?? "" });
      send(response, 201, review(this.options.users, user, segments[3] ?? "", parseJson(body)));
      return;
    }
    const target = parsePath(segments);
    if (target === undefined) throw noSuchPath();
    await this.resource(request, response, { user, target, method, query: url.searchParams, body });
  }

  private async resource(request: IncomingMessage, response: ServerResponse, call: { user: SimulatedUser; target: ResourcePath; method: string; query: URLSearchParams; body: string }): Promise<void> {
    const { user, target, method, query, body } = call;
    const { info, namespace, name, subresource } = target;
    const watching = query.get("watch") === "true" || query.get("watch") === "1";
    const verb = verbOf(method, name, watching);
    authorize(user, { verb, group: info.group, resource: info.resource, ...(subresource === undefined ? {} : { subresource }), ...(namespace === undefined ? {} : { namespace }), ...(name === undefined ? {} : { name }) });
    if (subresource === "proxy") {
      await this.proxied(response, name ?? "", target.rest, method);
      return;
    }
    const selector = selectorOf(info.resource, namespace, query);
    const write = { path: target, contentType: request.headers["content-type"] ?? "", body, dryRun: query.getAll("dryRun").includes("All") };
    switch (verb) {
      case "watch":
        this.watch(response, info, selector, query);
        return;
      case "list":
        send(response, 200, this.list(target, selector, query));
        return;
      case "get":
        send(response, 200, this.get(target));
        return;
      case "create":
        if (subresource === "eviction") send(response, 201, this.writes.evict(write));
        else if (subresource === undefined && name === undefined && info.verbs.includes("create")) send(response, 201, this.writes.create(write));
        else throw notAllowed();
        return;
      case "patch":
        if (!info.verbs.includes("patch") || subresource === "eviction") throw notAllowed();
        send(response, 200, subresource === "resize" ? this.writes.resize(write) : this.writes.patch(write));
        return;
      case "update":
        if (!info.verbs.includes("update") || subresource !== undefined) throw notAllowed();
        send(response, 200, this.writes.replace(write));
        return;
      case "delete":
        if (!info.verbs.includes("delete") || subresource !== undefined) throw notAllowed();
        send(response, 200, this.writes.delete(write, query));
        return;
      default:
        if (!info.verbs.includes("deletecollection")) throw notAllowed();
        send(response, 200, this.writes.deleteAll(write, selector));
    }
  }

  private list({ info }: ResourcePath, selector: Selector, query: URLSearchParams): unknown {
    const { store } = this.options.bridge;
    const page = this.pager.page(() => store.list(resourceKey(info.group, info.resource)).filter(selector), store.currentVersion, query.get("limit"), query.get("continue"));
    return {
      kind: `${info.kind}List`,
      apiVersion: info.group === "" ? info.version : `${info.group}/${info.version}`,
      metadata: { resourceVersion: String(page.version), ...(page.continue === undefined ? {} : { continue: page.continue }), ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }) },
      items: page.items,
    };
  }

  private get({ info, namespace, name = "", subresource }: ResourcePath): unknown {
    if (subresource !== undefined && subresource !== "status") throw notAllowed();
    const found = this.options.bridge.store.get(resourceKey(info.group, info.resource), objectKey(namespace, name));
    if (found === undefined) throw notFound(info.resource, name, info.group);
    return found;
  }

  private watch(response: ServerResponse, info: ResourcePath["info"], selector: Selector, query: URLSearchParams): void {
    if (this.watches.size >= MAX_WATCHES) throw new ApiError(429, "TooManyRequests", `more than ${MAX_WATCHES} watches`);
    let stream: WatchStream | undefined = undefined;
    let closed = false;
    stream = new WatchStream(this.options.bridge.store, response, { info, selector, query }, this.options.clock, () => {
      closed = true;
      if (stream !== undefined) this.watches.delete(stream);
    });
    if (!closed) this.watches.add(stream);
  }

  private async proxied(response: ServerResponse, node: string, path: string, method: string): Promise<void> {
    if (method !== "GET") throw notAllowed();
    if (this.options.bridge.model.nodes.get(node) === undefined) throw notFound("nodes", node);
    const page = await this.options.proxy(node, path);
    response.writeHead(page.status, { "content-type": page.contentType }).end(page.body);
  }
}

const VERSION = {
  major: "1",
  minor: KUBELET_VERSION.split(".")[1] ?? "",
  gitVersion: KUBELET_VERSION,
  gitCommit: "simulated",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "none",
  platform: "linux/amd64",
};

const notAllowed = (): ApiError => new ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});

function verbOf(method: string, name: string | undefined, watching: boolean): string {
  if (method === "GET" || method === "HEAD") return watching ? "watch" : name === undefined ? "list" : "get";
  if (method === "POST") return "create";
  if (method === "PUT") return "update";
  if (method === "PATCH") return "patch";
  if (method === "DELETE") return name === undefined ? "deletecollection" : "delete";
  throw notAllowed();
}

function selectorOf(resource: string, namespace: string | undefined, query: URLSearchParams): Selector {
  const fields = fieldSelector(resource, query.get("fieldSelector") ?? "");
  const labels = labelSelector(query.get("labelSelector") ?? "");
  return (object) => (namespace === undefined || object.metadata.namespace === namespace) && fields(object) && labels(object);
}
