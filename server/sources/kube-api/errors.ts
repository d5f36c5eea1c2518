import { errors } from "undici";
import { firstLine } from "./text";

export type ConnectCode =
  | "kubeconfig-unreadable"
  | "kubeconfig-broken"
  | "context-unknown"
  | "credential-missing"
  | "credential-late"
  | "auth-unsupported"
  | "exec-missing"
  | "exec-failed"
  | "oidc-failed"
  | "insecure"
  | "unauthorized"
  | "refused"
  | "name-unknown"
  | "timed-out"
  | "connection-lost"
  | "certificate-untrusted"
  | "certificate-wrong-name"
  | "certificate-expired"
  | "tls-failed"
  | "proxy-failed"
  | "not-kubernetes";

/** No way to the API server. The message is one sentence that says what is wrong and what to do. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
  constructor(
    readonly code: ConnectCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The API server's own refusal, or (status 0) no answer at all; then `cause` is the ConnectError. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  constructor(
    /** HTTP status; 0 where no answer came. */
    readonly status: number,
    /** Kubernetes' reason ("NotFound", "Conflict", "Forbidden"), or the code of the ConnectError. */
    readonly reason: string,
    message: string,
    readonly retryAfterMs?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Our own limits: an answer that is too long, too late or not JSON. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  constructor(
    readonly code: "too-long" | "timed-out" | "not-json" | "ended-early" | "aborted",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const MAX_DETAIL_CHARS = 300;

const WRONG_NAME = new Set(["ERR_TLS_CERT_ALTNAME_INVALID"]);
const EXPIRED = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);
const UNTRUSTED = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "INVALID_CA",
  "CERT_REVOKED",
]);
const UNREACHABLE = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "EHOSTDOWN", "ENETDOWN"]);
const UNKNOWN_NAME = new Set(["ENOTFOUND", "EAI_AGAIN"]);
const LATE = new Set(["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** The code of an error or of one of its causes, whichever is known first. */
function codesOf(error: unknown): readonly string[] {
  const codes: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if ("code" in current && typeof current.code === "string") codes.push(current.code);
    if (current instanceof AggregateError) for (const inner of current.errors) codes.push(...codesOf(inner));
    current = current.cause;
  }
  return codes;
}

/** OpenSSL's own words alone: the message around them names a thread, a function and a file of the library, over two lines. */
function detailOf(error: unknown): string {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if ("library" in current && "reason" in current && typeof current.reason === "string") return firstLine(current.reason, MAX_DETAIL_CHARS);
    current = current.cause;
  }
  return firstLine(error instanceof Error ? error.message : String(error), MAX_DETAIL_CHARS);
}

/** What a failed connection to `server` means, in one sentence. `proxy` is the one that it goes through: what cannot be reached then is that. */
export function connectionError(error: unknown, server: string, proxy?: string): ConnectError {
  if (error instanceof ConnectError) return error;
  const codes = codesOf(error);
  const has = (known: ReadonlySet<string>) => codes.find((code) => known.has(code));
  const detail = detailOf(error);
  const make = (code: ConnectCode, message: string) => new ConnectError(code, message, { cause: error });

  if (has(WRONG_NAME)) return make("certificate-wrong-name", `The certificate of ${server} is for another name (${detail}): connect by a name that it holds, or set tls-server-name in the kubeconfig.`);
  if (has(EXPIRED)) return make("certificate-expired", `The certificate of ${server} is not valid at this time (${detail}): renew it, or set this machine's clock right.`);
  if (has(UNTRUSTED)) return make("certificate-untrusted", `The certificate of ${server} is not signed by the authority that the kubeconfig names (${detail}): put the cluster's CA into certificate-authority-data.`);
  if (error instanceof errors.SecureProxyConnectionError) return make("proxy-failed", `The proxy for ${server} could not be used (${detail}): check proxy-url in the kubeconfig.`);
  const refused = has(UNREACHABLE);
  const unreached = proxy === undefined ? undefined : (refused ?? has(UNKNOWN_NAME));
  if (unreached !== undefined) return make("proxy-failed", `The proxy ${proxy} for ${server} cannot be reached (${unreached}): check that it runs, and proxy-url in the kubeconfig.`);
  if (refused) return make("refused", `No API server answers at ${server} (${refused}): check that it runs and that the address in the kubeconfig is right.`);
  if (has(UNKNOWN_NAME)) return make("name-unknown", `The name in ${server} cannot be found: check the address in the kubeconfig and this machine's name service.`);
  if (has(LATE) || (error instanceof Error && error.name === "TimeoutError")) return make("timed-out", `${server} did not answer in time: check the network between this machine and the API server, firewalls and proxies.`);
  if (codes.some((code) => code.startsWith("ERR_OSSL_PEM") || code.startsWith("ERR_OSSL_X509") || code.startsWith("ERR_OSSL_EVP"))) return make("kubeconfig-broken", `The certificates or the key for ${server} cannot be used (${detail}): correct them in the kubeconfig.`);
  if (codes.some((code) => code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") || code.startsWith("ERR_OSSL_") || code === "EPROTO")) return make("tls-failed", `No secure connection to ${server} (${detail}): check that the address speaks TLS and that the client certificate fits.`);
  if (/Proxy response|proxy/i.test(detail)) return make("proxy-failed", `The proxy for ${server} could not be used (${detail}): check proxy-url in the kubeconfig.`);
  return make("connection-lost", `The connection to ${server} broke (${codes[0] ?? detail}): it is tried again; if it stays so, look at the API server's log.`);
}
