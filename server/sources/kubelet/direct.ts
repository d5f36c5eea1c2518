import { createHash } from "node:crypto";
import { Pool, type Dispatcher } from "undici";
import type { KubeletPage } from "../../domain/observation";
import { certificateNames, kubeletOrigin, type NodeTarget } from "./address";
import { KubeletError } from "./failures";
import { PAGE_PATHS, TEXT_FORMAT, type KubeletAnswer, type KubeletFetch } from "./fetch";
import { kubeletConnector, rememberPins, type ClientCertificate, type KubeletTls } from "./tls";

/** Who asks: a bearer token in a header, or a client certificate, as the kubeconfig has it. */
export interface KubeletCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly client?: ClientCertificate;
}

export interface DirectOptions {
  readonly tls: KubeletTls;
  /** Asked at every request, since tokens are renewed. */
  readonly credentials: () => Promise<KubeletCredentials>;
  /** `--kubelet-address`: node name → origin. */
  readonly overrides: ReadonlyMap<string, string>;
}

/** One for each page, so that a hanging page never stands before another. */
const CONNECTIONS_PER_NODE = 3;
/** Longer than the longest period, shorter than the 90 s after which a kubelet closes an idle connection. */
const KEEP_ALIVE_MS = 80_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A kept connection that the kubelet just closed fails with one of these before any answer; one more try is safe. */
const STALE_CONNECTION = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

interface Kept {
  readonly key: string;
  readonly pool: Pool;
}

/** Asks kubelets on their own port. Each node has its own small pool, for its connections are checked for its own names. */
export function createDirectFetch(options: DirectOptions): KubeletFetch {
  const tls = { ...options.tls, pins: rememberPins(options.tls.pins) };
  const pools = new Map<string, Kept>();
  /** No longer used, but with requests that are still under way. */
  const retiring = new Set<Pool>();

  const retire = (pool: Pool): void => {
    retiring.add(pool);
    // Closing fails only where `close` below destroyed the pool meanwhile, which is an end as good.
    pool.close().catch(() => undefined).finally(() => retiring.delete(pool));
  };

  const poolOf = (node: NodeTarget, authorities: string | undefined, client: ClientCertificate | undefined): Pool => {
    const origin = kubeletOrigin(node, options.overrides);
    if (origin === undefined) throw new KubeletError("the node tells no address to reach its kubelet by", { hint: `--kubelet-address ${node.name}=https://HOST:PORT` });
    const names = certificateNames(node);
    const key = digest([origin, ...names, authorities ?? "", client?.certPem ?? ""]);
    const kept = pools.get(node.name);
    if (kept?.key === key) return kept.pool;
    if (kept !== undefined) retire(kept.pool);
    const pool = new Pool(origin, {
      connections: CONNECTIONS_PER_NODE,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The caller's signal bounds the whole request; these would only add a second, different limit.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: kubeletConnector({ name: node.name, names }, tls, { authorities, client }, CONNECT_TIMEOUT_MS),
    });
    pools.set(node.name, { key, pool });
    return pool;
  };

  const ask = async (node: NodeTarget, page: KubeletPage, signal: AbortSignal): Promise<Dispatcher.ResponseData> => {
    const { headers, client } = await options.credentials();
    const pool = poolOf(node, tls.mode === "verify" ? await tls.authorities() : undefined, client);
    const request = (): Promise<Dispatcher.ResponseData> =>
      pool.request({ method: "GET", path: PAGE_PATHS[page], signal, headers: { ...headers, accept: page === "configz" ? "application/json" : TEXT_FORMAT, "accept-encoding": "gzip" } });
    try {
      return await request();
    } catch (error) {
      if (signal.aborted || !(error instanceof Error && "code" in error && STALE_CONNECTION.has(String(error.code)))) throw error;
      return request();
    }
  };

  return {
    mode: "direct",
    tls: tls.mode === "insecure" ? "insecure: certificates are not checked" : tls.mode,
    get: async (node, page, signal): Promise<KubeletAnswer> => {
      const { statusCode, headers, body } = await ask(node, page, signal);
      return { status: statusCode, contentType: text(headers["content-type"]), gzip: text(headers["content-encoding"])?.toLowerCase() === "gzip", body };
    },
    forget: (nodeName) => {
      const kept = pools.get(nodeName);
      pools.delete(nodeName);
      if (kept !== undefined) retire(kept.pool);
    },
    close: async () => {
      const all = [...[...pools.values()].map(({ pool }) => pool), ...retiring];
      pools.clear();
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
}

const text = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);
const digest = (parts: readonly string[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("hex");
