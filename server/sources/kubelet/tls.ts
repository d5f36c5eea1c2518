import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { createSecureContext, TLSSocket, type PeerCertificate, type SecureContext } from "node:tls";
import { buildConnector } from "undici";
import { publicKeySha256 } from "../../pki";
import { KubeletError } from "./failures";

export const KUBELET_TLS_MODES = ["verify", "pin", "insecure"] as const;
/** `--kubelet-tls`. */
export type KubeletTlsMode = (typeof KUBELET_TLS_MODES)[number];

/** The keys of kubelets, kept by whoever runs the source (`pin` only). */
export interface KubeletPins {
  /** The accepted key of a node; `undefined`: none was seen yet. Asked at every new connection. */
  readonly known: (node: string) => string | undefined;
  readonly firstSeen: (node: string, sha256: string) => void;
  /** The accepted key was shown. */
  readonly shown: (node: string) => void;
  /** Another key than the accepted one was shown and refused. */
  readonly changed: (node: string, offeredSha256: string) => void;
}

export interface KubeletTls {
  readonly mode: KubeletTlsMode;
  /** PEM of the authorities that may sign kubelets (`verify`); asked at every request, so a new one is taken up without a restart. Absent: the system's. */
  readonly authorities: () => string | undefined | Promise<string | undefined>;
  readonly pins: KubeletPins;
}

export interface ClientCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

/**
 * Opens connections to the kubelet of one node and hands out only those that passed the check of the mode, so nothing is
 * sent (no token either) before. Sessions are not resumed: a resumed one would pass by the checks.
 */
export function kubeletConnector(
  node: { readonly name: string; readonly names: readonly string[] },
  tls: Pick<KubeletTls, "mode" | "pins">,
  secureContext: SecureContext,
  connectTimeoutMs: number,
): buildConnector.connector {
  const connect = buildConnector({
    allowH2: false,
    maxCachedSessions: 0,
    timeout: connectTimeoutMs,
    rejectUnauthorized: tls.mode === "verify",
    checkServerIdentity: (_reachedAs: string, certificate: PeerCertificate) => (tls.mode === "verify" ? nameFault(node.names, certificate.raw) : undefined),
    secureContext,
  });
  return (options, callback) => {
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const fault = socket instanceof TLSSocket ? refusedBy(tls, node.name, socket) : new KubeletError("the connection is not encrypted");
      if (fault === undefined) return callback(null, socket);
      socket.destroy();
      callback(fault, null);
    });
  };
}

/** What is shown and trusted, parsed once for the whole fleet: for each connection anew it would be the dearest part of opening it. Throws where a certificate or key cannot be read. */
export function kubeletSecureContext(mode: KubeletTlsMode, authorities: string | undefined, client: ClientCertificate | undefined): SecureContext {
  return createSecureContext({
    ...(mode === "verify" && authorities !== undefined ? { ca: authorities } : {}),
    ...(client === undefined ? {} : { cert: client.certPem, key: client.keyPem }),
  });
}

/** A stranger's certificate can name whatever it likes, as long as it likes. */
const MAX_NAMES_SHOWN = 200;

/** Kubelets are checked as Kubernetes' own clients do it: by the alternative names alone, never by the common name. */
function nameFault(names: readonly string[], der: Uint8Array): KubeletError | undefined {
  const certificate = new X509Certificate(der);
  const fits = (name: string): boolean => (isIP(name) === 0 ? certificate.checkHost(name, { subject: "never" }) : certificate.checkIP(name)) !== undefined;
  if (names.some(fits)) return undefined;
  const shown = certificate.subjectAltName?.slice(0, MAX_NAMES_SHOWN) ?? "it has no alternative name";
  return new KubeletError(`certificate names another host: ${shown}; expected one of ${names.join(", ")}`, {
    hint: "give the kubelet a certificate with its node's name or address (serverTLSBootstrap), or --kubelet-tls=pin",
  });
}

function refusedBy(tls: Pick<KubeletTls, "mode" | "pins">, node: string, socket: TLSSocket): KubeletError | undefined {
  if (tls.mode === "verify") return socket.authorized ? undefined : new KubeletError(`certificate not trusted: ${String(socket.authorizationError)}`);
  if (tls.mode === "insecure") return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return new KubeletError("the kubelet showed no certificate");
  const offered = publicKeySha256(certificate.raw);
  const known = tls.pins.known(node);
  if (known === undefined) {
    tls.pins.firstSeen(node, offered);
    return undefined;
  }
  if (known === offered) {
    tls.pins.shown(node);
    return undefined;
  }
  tls.pins.changed(node, offered);
  return new KubeletError(`the kubelet's key changed: ${known.slice(0, SHOWN)}… was seen first, now it shows ${offered.slice(0, SHOWN)}…`, {
    hint: "if the node was rebuilt or its certificate renewed with a new key, accept the new key; otherwise find out who answers there",
  });
}

/** Characters of a key's hash in a message; the whole one is kept. */
const SHOWN = 16;

/** Remembers keys seen first until the keeper knows them, so that two first connections cannot bring two keys. */
export function rememberPins(keeper: KubeletPins): KubeletPins {
  const first = new Map<string, string>();
  return {
    known: (node) => keeper.known(node) ?? first.get(node),
    firstSeen: (node, sha256) => {
      first.set(node, sha256);
      keeper.firstSeen(node, sha256);
    },
    shown: keeper.shown,
    changed: keeper.changed,
  };
}
