import type { KubeletPage } from "../../domain/observation";

/** Why a page could not be read, in words for the visibility page. */
interface Failure {
  readonly reason: string;
  /** What would help. */
  readonly hint?: string;
}

interface KubeletErrorOptions {
  readonly hint?: string;
  readonly timedOut?: boolean;
  readonly lasting?: boolean;
  readonly cause?: unknown;
}

/** A page that was not read. The message and the hint are for people. */
export class KubeletError extends Error {
  readonly hint: string | undefined;
  /** Tells a page that hangs from one that is refused. */
  readonly timedOut: boolean;
  /** True where asking again soon is of no use: a right or the page itself is missing. */
  readonly lasting: boolean;

  constructor(reason: string, options: KubeletErrorOptions = {}) {
    super(reason, { cause: options.cause });
    this.name = "KubeletError";
    this.hint = options.hint;
    this.timedOut = options.timedOut ?? false;
    this.lasting = options.lasting ?? false;
  }
}

const SELF_SIGNED = "the kubelet's certificate is self-signed: --kubelet-tls=pin, or give --kubelet-ca";
const OTHER_AUTHORITY = "another authority signed the kubelet's certificate: give it with --kubelet-ca, or --kubelet-tls=pin";

const BY_CODE: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: { reason: "connection refused" },
  ECONNRESET: { reason: "connection reset by the kubelet" },
  EPIPE: { reason: "connection closed by the kubelet" },
  EHOSTUNREACH: { reason: "no route to the node" },
  ENETUNREACH: { reason: "no route to the node's network" },
  ENOTFOUND: { reason: "the node's host name cannot be resolved" },
  EAI_AGAIN: { reason: "the node's host name cannot be resolved just now" },
  UND_ERR_SOCKET: { reason: "connection closed by the kubelet before the page was whole" },
  UND_ERR_CONNECT_TIMEOUT: { reason: "no connection: the address does not answer" },
  ETIMEDOUT: { reason: "no connection: the address does not answer" },
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: "certificate not trusted: self-signed", hint: SELF_SIGNED },
  SELF_SIGNED_CERT_IN_CHAIN: { reason: "certificate not trusted: its authority is not known", hint: SELF_SIGNED },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { reason: "certificate not trusted: its authority is not known", hint: OTHER_AUTHORITY },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { reason: "certificate not trusted: its authority is not known", hint: OTHER_AUTHORITY },
  CERT_SIGNATURE_FAILURE: { reason: "certificate not trusted: its signature does not fit the authority", hint: OTHER_AUTHORITY },
  INVALID_PURPOSE: { reason: "certificate not trusted: it is not meant for a server" },
  CERT_HAS_EXPIRED: { reason: "certificate expired", hint: "renew the kubelet's serving certificate (serverTLSBootstrap and its approval), or --kubelet-tls=pin" },
  CERT_NOT_YET_VALID: { reason: "certificate not yet valid", hint: "compare the node's clock with this machine's" },
  Z_DATA_ERROR: { reason: "wrong content: the compressed page is damaged" },
  Z_BUF_ERROR: { reason: "the compressed page ended in the middle" },
};

/** Turns whatever a connection, TLS or decompression threw into words. Unknown errors keep their own message. */
export function explain(error: unknown): KubeletError {
  if (error instanceof KubeletError) return error;
  for (const link of causes(error)) {
    if (link instanceof KubeletError) return link;
    const code = "code" in link && typeof link.code === "string" ? link.code : undefined;
    const known = code === undefined ? undefined : BY_CODE[code];
    if (known !== undefined) return new KubeletError(known.reason, { ...known, timedOut: code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT", cause: error });
  }
  return new KubeletError(error instanceof Error ? `could not be read: ${error.message}` : "could not be read", { cause: error });
}

const MAX_CAUSES = 8;

function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  let link = error;
  while (link instanceof Error && chain.length < MAX_CAUSES) {
    chain.push(link);
    if (link instanceof AggregateError) chain.push(...link.errors.filter((part): part is Error => part instanceof Error).slice(0, MAX_CAUSES));
    link = link.cause;
  }
  return chain;
}

const RIGHT: Readonly<Record<KubeletPage, string>> = { metrics: "nodes/metrics", cadvisor: "nodes/metrics", configz: "nodes/configz" };

/** What an answer other than 200 means. */
export function refusal(status: number, page: KubeletPage, mode: "direct" | "proxy"): KubeletError {
  if (status === 401)
    return new KubeletError("401: the kubelet does not know who is asking", { hint: "the kubelet must accept this token or client certificate (authentication.webhook, authentication.x509)" });
  if (status === 403) {
    const right = mode === "proxy" ? "nodes/proxy" : RIGHT[page];
    if (page === "configz" && mode === "direct")
      return new KubeletError("403: get nodes/configz is missing (1.28–1.32 without nodes/proxy): the deadline is assumed to be 4 min", {
        hint: "from 1.33 on grant get on nodes/configz; before, only nodes/proxy would open it",
        lasting: true,
      });
    return new KubeletError(`403: get ${right} is missing`, { hint: `grant get on ${right} (deploy/rbac.yaml does, except nodes/proxy)`, lasting: true });
  }
  if (status === 404) return new KubeletError("404: this kubelet has no such page", { lasting: true });
  return new KubeletError(`answered with status ${status}`);
}
