import type { SecureContext } from "node:tls";
import { Client, type Dispatcher } from "undici";
import type { KubeletPage } from "../../domain/observation";
import { TLS_NOT_CHECKED } from "../../domain/kubelet-tls";
import { certificateNames, kubeletOrigin, type NodeTarget } from "./address";
import { KubeletError } from "./failures";
import { PAGE_PATHS, TEXT_FORMAT, type KubeletAnswer, type KubeletFetch } from "./fetch";
import { kubeletConnector, kubeletSecureContext, rememberPins, type ClientCertificate, type KubeletTls } from "./tls";

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

const CONNECT_TIMEOUT_MS = 5_000;
/**
 * Asks kubelets on their own port. Each reading has a connection of its own, checked for its node's names, so that a hanging page
 * never stands before another; kept until the next reading, connections would cost far more memory than opening them costs time (docs/decisions/0082).
 */
export function createDirectFetch(options: DirectOptions): KubeletFetch {
  const tls = { ...options.tls, pins: rememberPins(options.tls.pins) };
  const open = new Set<Client>();
  /** The newest only: authorities and the client's certificate are the same for every node. */
  let shared: { readonly parts: readonly (string | undefined)[]; readonly context: SecureContext } | undefined;

  const contextOf = (authorities: string | undefined, client: ClientCertificate | undefined): SecureContext => {
    const parts = [authorities, client?.certPem, client?.keyPem];
    const same = shared?.parts.every((part, index) => part === parts[index]) === true;
    if (shared === undefined || !same) shared = { parts, context: kubeletSecureContext(tls.mode, authorities, client) };
    return shared.context;
  };

  const ask = async (node: NodeTarget, page: KubeletPage, signal: AbortSignal): Promise<Dispatcher.ResponseData> => {
    const { headers, client: certificate } = await options.credentials();
    const context = contextOf(tls.mode === "verify" ? await tls.authorities() : undefined, certificate);
    const origin = kubeletOrigin(node, options.overrides);
    if (origin === undefined) throw new KubeletError("the node tells no address to reach its kubelet by", { hint: `--kubelet-address ${node.name}=https://HOST:PORT` });
    const client = new Client(origin, {
      // The caller's signal bounds the whole request; these would only add a second, different limit.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: kubeletConnector({ name: node.name, names: certificateNames(node) }, tls, context, CONNECT_TIMEOUT_MS),
    });
    open.add(client);
    const answer = client.request({ method: "GET", path: PAGE_PATHS[page], signal, headers: { ...headers, accept: page === "configz" ? "application/json" : TEXT_FORMAT, "accept-encoding": "gzip" } });
    // It closes once the body has ended, or with the signal. Closing fails only where `close` below destroyed it meanwhile, which is an end as good.
    client.close().catch(() => undefined).finally(() => open.delete(client));
    return answer;
  };

  return {
    mode: "direct",
    tls: tls.mode === "insecure" ? TLS_NOT_CHECKED : tls.mode,
    get: async (node, page, signal): Promise<KubeletAnswer> => {
      const { statusCode, headers, body } = await ask(node, page, signal);
      return { status: statusCode, contentType: text(headers["content-type"]), gzip: text(headers["content-encoding"])?.toLowerCase() === "gzip", body };
    },
    close: async () => {
      await Promise.all([...open].map((client) => client.destroy()));
    },
  };
}

const text = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);
