import { createHash } from "node:crypto";
import { Agent, ProxyAgent, type Dispatcher } from "undici";
import type { Credentials, Headers, Shown } from "./credentials";
import { ConnectError, connectionError } from "./errors";

export const CONNECT_TIMEOUT_MS = 10_000;
/** Longer than the period of any caller, so that none pays a TLS handshake each time; undici's own is 4 s. */
export const KEEP_ALIVE_MS = 60_000;
/** One watch a kind, the rest for requests; more wait in line. */
export const MAX_CONNECTIONS = 32;
const TCP_KEEP_ALIVE_MS = 30_000;
const USER_AGENT = "sandglass";

export interface WireRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As `pathOf` and `queryOf` made it. */
  readonly path: string;
  readonly headers?: Headers;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Until the answer begins. */
  readonly headersTimeoutMs: number;
  /** Longest silence inside the body; 0: none, the caller watches it itself. */
  readonly bodyTimeoutMs: number;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Dispatcher.ResponseData["body"];
}

/** One cluster as one user. All its requests share one pool of connections. */
export interface Connection {
  /** The context's name, or "in-cluster". */
  readonly name: string;
  /** Without credentials, for people and messages. */
  readonly server: string;
  /** The cluster's authority as configured; absent: the system's authorities. */
  readonly caPem: () => Promise<string | undefined>;
  /** Who asks, as far as the configuration says. */
  readonly userHint: string;
  /** Where it was found: a kubeconfig's path, or "in-cluster". */
  readonly origin: string;
  /** What a request of this user shows; for other ports of the cluster that take the same credentials. */
  readonly credentials: () => Promise<Shown>;
  /** One request. Throws a ConnectError where no answer comes, the signal's reason where it was aborted. */
  send(request: WireRequest): Promise<WireResponse>;
  /** Breaks off what is under way and closes every socket. */
  close(): Promise<void>;
}

export interface ConnectionParts {
  readonly name: string;
  readonly server: URL;
  readonly origin: string;
  readonly userHint: string;
  readonly caPem: () => Promise<string | undefined>;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  readonly credentials: Credentials;
  /** Aborted when the connection is closed: ends a credential plugin that is running. */
  readonly ending?: AbortController;
}

export function makeConnection(parts: ConnectionParts): Connection {
  const server = parts.server.origin + parts.server.pathname.replace(/\/+$/, "");
  const basePath = parts.server.pathname.replace(/\/+$/, "");
  const proxy = parts.proxyUrl === undefined ? undefined : new URL(parts.proxyUrl).host;
  /** The pool in use, and older ones that still carry a watch begun with another certificate. */
  let current: { readonly key: string; readonly dispatcher: Dispatcher } | undefined;
  const open = new Set<Dispatcher>();
  let closed = false;

  const dispatcherFor = (shown: Shown, ca: string | undefined): Dispatcher => {
    const hash = createHash("sha256");
    for (const part of [ca, shown.cert, shown.key]) hash.update(`${part?.length ?? -1}:${part ?? ""}`);
    const key = hash.digest("hex");
    if (current?.key === key) return current.dispatcher;
    const dispatcher = makeDispatcher(parts, shown, ca);
    open.add(dispatcher);
    const old = current?.dispatcher;
    current = { key, dispatcher };
    // Ends by itself once its last request is done.
    if (old !== undefined) old.close().finally(() => open.delete(old)).catch(() => undefined);
    return dispatcher;
  };

  const once = async (request: WireRequest): Promise<WireResponse & { readonly shown: Shown }> => {
    if (closed) throw new ConnectError("connection-lost", `The connection to ${server} was closed.`);
    const shown = await unlessAborted(parts.credentials.get(), request.signal, parts.credentials.madeBy);
    const dispatcher = dispatcherFor(shown, await parts.caPem());
    request.signal.throwIfAborted();
    try {
      const answer = await dispatcher.request({
        origin: parts.server.origin,
        path: basePath + request.path,
        method: request.method,
        headers: mutable({ accept: "application/json", "user-agent": USER_AGENT, ...request.headers, ...shown.headers }),
        ...(request.body === undefined ? {} : { body: request.body }),
        signal: request.signal,
        headersTimeout: request.headersTimeoutMs,
        bodyTimeout: request.bodyTimeoutMs,
      });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body, shown };
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      throw connectionError(error, server, proxy);
    }
  };

  return {
    name: parts.name,
    server,
    origin: parts.origin,
    userHint: parts.userHint,
    caPem: parts.caPem,
    credentials: () => parts.credentials.get(),
    send: async (request) => {
      const { shown, ...answer } = await once(request);
      if (answer.status !== 401 || !parts.credentials.refused(shown)) return answer;
      await answer.body.dump({ limit: 64 * 1024 }).catch(() => undefined); // its socket is free for the next one
      const { shown: _, ...second } = await once(request);
      return second;
    },
    close: async () => {
      closed = true;
      parts.ending?.abort();
      await Promise.all([...open].map((dispatcher) => dispatcher.destroy()));
      open.clear();
    },
  };
}

/** A credential plugin may take its time; whoever asks need not wait for it. Where the time is up, it is not the API server that did not answer. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, madeBy: string | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      const reason: unknown = signal.reason;
      if (!(reason instanceof Error)) reject(new Error("aborted"));
      else if (reason.name !== "TimeoutError") reject(reason);
      else reject(new ConnectError("credential-late", `${madeBy ?? "What the credentials are read from"} has given no credentials in time: run kubectl with the same kubeconfig to see why; a new login is often all it needs.`, { cause: reason }));
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function mutable(headers: Headers): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]));
}

function makeDispatcher(parts: ConnectionParts, shown: Shown, ca: string | undefined): Dispatcher {
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(shown.cert === undefined ? {} : { cert: shown.cert }),
    ...(shown.key === undefined ? {} : { key: shown.key }),
    ...(parts.tlsServerName === undefined ? {} : { servername: parts.tlsServerName }),
    rejectUnauthorized: true,
  };
  const pool = { connections: MAX_CONNECTIONS, pipelining: 1, keepAliveTimeout: KEEP_ALIVE_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS, allowH2: false };
  const tcp = { timeout: CONNECT_TIMEOUT_MS, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS };
  try {
    if (parts.proxyUrl !== undefined) return new ProxyAgent({ ...pool, uri: parts.proxyUrl, requestTls: { ...tls, ...tcp }, connect: tcp });
    return new Agent({ ...pool, connect: { ...tls, ...tcp } });
  } catch (error) {
    throw new ConnectError("kubeconfig-broken", `The certificates or the proxy-url for ${parts.server.origin} cannot be used (${error instanceof Error ? error.message : String(error)}): correct the kubeconfig.`, { cause: error });
  }
}
