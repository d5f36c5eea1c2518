import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { issueCertificate, makeAuthority, type KeyPair } from "../../../pki";
import { keyOf, World, type Change } from "./world";

export { World, type ApiObject } from "./world";

/** What one request meets instead of a good answer. Used up by the first request that fits. */
export type Fault =
  | { readonly do: "status"; readonly code: number; readonly reason?: string; readonly retryAfter?: string; readonly message?: string }
  | { readonly do: "reset" }
  /** Answers after this long. */
  | { readonly do: "slow"; readonly ms: number }
  /** Begins the answer, then is silent. */
  | { readonly do: "stall" }
  | { readonly do: "text"; readonly body: string; readonly type: string }
  /** Of a list: breaks off in the middle of the body. */
  | { readonly do: "cut" }
  /** Of a watch: sends what is due, then this. */
  | { readonly do: "then"; readonly bytes: string; readonly end?: boolean }
  | { readonly do: "end" };

export interface Rule {
  /** The resource's path, such as "/api/v1/pods"; absent: any. */
  readonly path?: string;
  readonly phase?: "list" | "continue" | "watch" | "other";
  readonly fault: Fault;
  /** Once where absent. */
  readonly times?: number;
}

export interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly phase: NonNullable<Rule["phase"]>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The client's port: which TCP connection it came on. */
  readonly socket: number;
}

export interface ScriptedOptions {
  readonly world?: World;
  /** Names in its certificate. */
  readonly names?: readonly string[];
  readonly expired?: boolean;
  /** Real time between bookmarks; none where absent. */
  readonly bookmarkMs?: number;
  /** Paths that answer 404, as where a CRD is missing. */
  readonly absent?: readonly string[];
  readonly clientCa?: string;
}

const DAY_MS = 86_400_000;
const phaseOf = (url: URL): NonNullable<Rule["phase"]> => {
  if (url.searchParams.has("watch")) return "watch";
  if (url.searchParams.has("continue")) return "continue";
  return KNOWN.has(url.pathname) ? "list" : "other";
};
export const NODES = "/api/v1/nodes";
export const PODS = "/api/v1/pods";
export const EVENTS = "/api/v1/events";
export const DAEMONSETS = "/apis/apps/v1/daemonsets";
export const NADS = "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions";
const KNOWN = new Set([NODES, PODS, EVENTS, DAEMONSETS, NADS]);

/** A real HTTPS server that lists and watches a world as an API server does, and does wrong what it is told to. */
export class ScriptedApiServer {
  readonly requests: Recorded[] = [];
  readonly forbidden = new Set<string>();
  readonly absent: Set<string>;
  readonly #rules: { rule: Rule; left: number }[] = [];
  /** The TCP sockets below TLS, by the client's port; only these can be reset. */
  readonly #sockets = new Map<number, Socket>();
  readonly #streams = new Set<{ resource: string; response: ServerResponse; version: number }>();
  #timer: NodeJS.Timeout | undefined;
  /** Answers of paths that are no list: method and path → status and body. */
  readonly answers = new Map<string, (request: { body: string; headers: IncomingMessage["headers"] }) => { status: number; body: unknown; headers?: Record<string, string> }>();

  private constructor(
    readonly world: World,
    readonly caPem: string,
    readonly port: number,
    private readonly server: ReturnType<typeof createServer>,
    options: ScriptedOptions,
  ) {
    this.absent = new Set(options.absent);
    server.on("request", (request, response) => void this.#answer(request, response));
    server.on("connection", (socket: Socket) => {
      const port = socket.remotePort ?? 0;
      this.#sockets.set(port, socket);
      socket.on("close", () => this.#sockets.delete(port));
      socket.on("error", () => undefined); // broken on purpose
    });
    server.on("secureConnection", (socket: Socket) => socket.on("error", () => undefined));
    world.onChange((change) => this.#deliver(change));
    if (options.bookmarkMs !== undefined) this.#timer = setInterval(() => this.bookmark(), options.bookmarkMs);
  }

  static async start(options: ScriptedOptions = {}, port = 0, authority?: KeyPair): Promise<ScriptedApiServer> {
    const now = Date.now();
    const validity = { notBeforeMs: now - 2 * DAY_MS, notAfterMs: now + DAY_MS };
    const ca = authority ?? (await makeAuthority("scripted authority", validity));
    const { certPem, keyPem } = await issueCertificate(
      ca,
      { commonName: "scripted", names: options.names ?? ["127.0.0.1", "localhost"], usage: "server" },
      options.expired ? { notBeforeMs: now - 2 * DAY_MS, notAfterMs: now - DAY_MS } : validity,
    );
    const server = createServer({ cert: certPem, key: keyPem, ...(options.clientCa === undefined ? {} : { ca: options.clientCa, requestCert: true, rejectUnauthorized: false }) });
    server.on("tlsClientError", () => undefined); // clients that refuse our certificate
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return new ScriptedApiServer(options.world ?? new World(), ca.certPem, (server.address() as AddressInfo).port, server, options);
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** Faults are met in the order in which they were given. */
  script(...rules: readonly Rule[]): void {
    for (const rule of rules) this.#rules.push({ rule, left: rule.times ?? 1 });
  }

  get faultsLeft(): number {
    return this.#rules.length;
  }

  kubeconfig(user: Record<string, unknown> = { token: "secret" }, cluster: Record<string, unknown> = {}): string {
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "scripted",
      contexts: [{ name: "scripted", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: this.url, "certificate-authority-data": Buffer.from(this.caPem).toString("base64"), ...cluster } }],
      users: [{ name: "u", user }],
    });
  }

  bookmark(version = this.world.version): void {
    for (const stream of this.#streams) stream.response.write(line("BOOKMARK", { kind: "x", metadata: { resourceVersion: String(version) } }));
  }

  /** Writes to every open watch of the resource. */
  send(resource: string, bytes: string): void {
    for (const stream of this.#streams) if (stream.resource === resource) stream.response.write(bytes);
  }

  /** Ends every watch as a server does whose time is up. */
  endStreams(resource?: string): void {
    for (const stream of [...this.#streams]) {
      if (resource !== undefined && stream.resource !== resource) continue;
      this.#streams.delete(stream);
      stream.response.end();
    }
  }

  resetConnections(): void {
    for (const socket of this.#sockets.values()) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const socket of this.#sockets.values()) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #fault(path: string, phase: NonNullable<Rule["phase"]>): Fault | undefined {
    const at = this.#rules.findIndex(({ rule }) => (rule.path ?? path) === path && (rule.phase ?? phase) === phase);
    const found = this.#rules[at];
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.#rules.splice(at, 1);
    return found.rule.fault;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    const phase = phaseOf(url);
    this.requests.push({ method: request.method ?? "", url: request.url ?? "", phase, headers: request.headers, socket: request.socket.remotePort ?? 0 });
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const fault = this.#fault(url.pathname, phase);
    if (fault?.do === "reset") return void this.#sockets.get(request.socket.remotePort ?? 0)?.resetAndDestroy();
    if (fault?.do === "status") return refuse(response, fault.code, fault.reason ?? "", fault.message ?? "scripted", fault.retryAfter);
    if (fault?.do === "text") return void response.writeHead(200, { "content-type": fault.type }).end(fault.body);
    if (fault?.do === "slow") await new Promise((resolve) => setTimeout(resolve, fault.ms));
    const other = this.answers.get(`${request.method} ${url.pathname}`);
    if (other !== undefined) {
      const made = other({ body, headers: request.headers });
      return void response.writeHead(made.status, { "content-type": "application/json", ...made.headers }).end(JSON.stringify(made.body));
    }
    if (!KNOWN.has(url.pathname) || this.absent.has(url.pathname)) return refuse(response, 404, "NotFound", "the server could not find the requested resource");
    if (this.forbidden.has(url.pathname)) return refuse(response, 403, "Forbidden", `User "u" cannot ${phase} resource "${url.pathname.split("/").at(-1)}"`);
    if (phase === "watch") this.#watch(url, response, fault);
    else this.#list(url, response, fault);
  }

  #list(url: URL, response: ServerResponse, fault: Fault | undefined): void {
    const limit = Number(url.searchParams.get("limit") ?? 0);
    const token = url.searchParams.get("continue");
    // The token holds the version of the first page and the last key told, as a real one does.
    const [version, after] = token === null ? [this.world.version, ""] : (JSON.parse(token) as [number, string]);
    if (token !== null && version < this.world.compacted) return refuse(response, 410, "Expired", "The provided continue parameter is too old");
    const left = this.world.objects(url.pathname).filter((object) => keyOf(object) > after);
    const items = limit > 0 ? left.slice(0, limit) : left;
    const last = items.at(-1);
    const next = last !== undefined && items.length < left.length ? JSON.stringify([version, keyOf(last)]) : undefined;
    const text = JSON.stringify({ kind: "List", apiVersion: "v1", metadata: { resourceVersion: String(version), ...(next === undefined ? {} : { continue: next }) }, items });
    response.writeHead(200, { "content-type": "application/json" });
    if (fault?.do === "stall") return void response.write(text.slice(0, text.length / 2));
    if (fault?.do === "cut") return void response.write(text.slice(0, text.length / 2), () => response.destroy());
    response.end(text);
  }

  #watch(url: URL, response: ServerResponse, fault: Fault | undefined): void {
    const version = Number(url.searchParams.get("resourceVersion") ?? 0);
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    if (version < this.world.compacted) return void response.end(line("ERROR", { kind: "Status", code: 410, reason: "Expired", message: `too old resource version: ${version} (${this.world.compacted})` }));
    if (fault?.do === "stall") return;
    for (const change of this.world.since(url.pathname, version)) response.write(line(change.type, change.object));
    if (fault?.do === "end") return void response.end();
    if (fault?.do === "then") {
      if (fault.end !== false) return void response.end(fault.bytes);
      response.write(fault.bytes);
    }
    const stream = { resource: url.pathname, response, version };
    this.#streams.add(stream);
    response.on("close", () => this.#streams.delete(stream));
  }

  #deliver(change: Change): void {
    for (const stream of this.#streams) if (stream.resource === change.resource) stream.response.write(line(change.type, change.object));
  }
}

export const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

function refuse(response: ServerResponse, code: number, reason: string, message: string, retryAfter?: string): void {
  response.writeHead(code, { "content-type": "application/json", ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }) });
  response.end(JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code }));
}
