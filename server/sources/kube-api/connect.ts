import { readFile as readFileFromDisk } from "node:fs/promises";
import path from "node:path";
import { isIPv6 } from "node:net";
import { makeConnection, type Connection } from "./connection";
import { tokenFileCredentials, userCredentials, watchedFile } from "./credentials";
import { ConnectError } from "./errors";
import { loadKubeconfig, type ReadFile, type ResolvedContext } from "./kubeconfig";

export { ConnectError, KubeError, AnswerError } from "./errors";
export type { Connection } from "./connection";

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
export const IN_CLUSTER_NAME = "in-cluster";

/** What finding a cluster needs of the environment; `config.ts` reads it. */
export interface ConnectEnvironment {
  readonly kubeconfigVariable?: string;
  readonly home: string;
  readonly serviceHost?: string;
  readonly servicePort?: string;
  /** Handed to credential plugins, which need PATH, HOME and their provider's own settings. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

export interface ConnectOptions {
  /** `--kubeconfig`: this file and no other. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly environment: ConnectEnvironment;
  readonly readFile?: ReadFile;
  /** Where the service account's files lie; another folder in tests only. */
  readonly serviceAccountDir?: string;
}

/**
 * Finds the cluster: the given kubeconfig, KUBECONFIG, the default file, the pod's own account. `undefined` where nothing
 * is configured. Asks nobody over the network; `identify` does. Throws a ConnectError where what is configured is not usable.
 */
export async function loadConnection(options: ConnectOptions): Promise<Connection | undefined> {
  const { environment } = options;
  const readFile = options.readFile ?? ((file) => readFileFromDisk(file));
  const load = (files: readonly string[]) => loadKubeconfig(files, options.context, readFile);
  const from = (found: ResolvedContext) => kubeconfigConnection(found, environment.variables ?? {}, readFile);

  if (options.kubeconfig !== undefined) {
    const found = await load([options.kubeconfig]);
    if (found === undefined) throw new ConnectError("kubeconfig-unreadable", `The kubeconfig ${options.kubeconfig} does not exist or is empty: check the path after --kubeconfig.`);
    return from(found);
  }
  const listed = (environment.kubeconfigVariable ?? "").split(path.delimiter).filter((file) => file !== "");
  if (listed.length > 0) {
    const found = await load(listed);
    if (found !== undefined) return from(found);
    if (!listed.every((file) => file === "/dev/null")) throw new ConnectError("kubeconfig-unreadable", `KUBECONFIG names ${listed.join(", ")}, which does not exist or is empty: correct it, unset it, or start with --simulate.`);
  } else {
    const found = await load([path.join(environment.home, ".kube", "config")]);
    if (found !== undefined) return from(found);
  }
  const inside = await inClusterConnection(options, readFile);
  if (inside !== undefined) return inside;
  if (options.context !== undefined) throw new ConnectError("context-unknown", `There is no kubeconfig to take the context "${options.context}" from: give one with --kubeconfig.`);
  return undefined;
}

function kubeconfigConnection(found: ResolvedContext, variables: Readonly<Record<string, string | undefined>>, readFile: ReadFile): Connection {
  const { cluster, context, user } = found;
  if (cluster.skipTLSVerify) throw new ConnectError("insecure", `The kubeconfig switches off the certificate check of cluster "${cluster.name}" (insecure-skip-tls-verify), and Sandglass never connects unchecked: remove that line and put the cluster's CA into certificate-authority-data.`);
  const ending = new AbortController();
  const ca = cluster.caData === undefined || cluster.caData === "" ? cluster.caFile : undefined;
  const caPem = cluster.caData ? constant(Buffer.from(cluster.caData, "base64").toString("utf8")) : ca ? watchedFile(ca, "certificate authority", readFile).get : constant(undefined);
  return makeConnection({
    name: context.name,
    server: serverUrl(cluster.server, `cluster "${cluster.name}" of the kubeconfig`),
    origin: found.files.join(path.delimiter),
    userHint: user.name === "" ? "nobody (the kubeconfig names no user)" : `${user.name} (as the kubeconfig calls it)`,
    caPem,
    ...(cluster.tlsServerName ? { tlsServerName: cluster.tlsServerName } : {}),
    ...(cluster.proxyUrl ? { proxyUrl: proxyUrl(cluster.proxyUrl) } : {}),
    credentials: userCredentials(found, { variables, signal: ending.signal }, readFile),
    ending,
  });
}

const constant = <T>(value: T) => () => Promise.resolve(value);

async function inClusterConnection(options: ConnectOptions, readFile: ReadFile): Promise<Connection | undefined> {
  const { serviceHost, servicePort } = options.environment;
  if (serviceHost === undefined || serviceHost === "" || servicePort === undefined) return undefined;
  const dir = options.serviceAccountDir ?? SERVICE_ACCOUNT;
  const tokenFile = path.join(dir, "token");
  try {
    await readFile(tokenFile);
  } catch (error) {
    // A pod without an account: no cluster is configured.
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
    throw new ConnectError("credential-missing", `The service account's token ${tokenFile} cannot be read: check the pod's user and fsGroup.`, { cause: error });
  }
  return makeConnection({
    name: IN_CLUSTER_NAME,
    server: serverUrl(`https://${isIPv6(serviceHost) ? `[${serviceHost}]` : serviceHost}:${servicePort}`, "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT"),
    origin: IN_CLUSTER_NAME,
    userHint: "the pod's service account",
    caPem: watchedFile(path.join(dir, "ca.crt"), "certificate authority", readFile).get,
    credentials: tokenFileCredentials(tokenFile, readFile),
  });
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function serverUrl(text: string, where: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:") || url.search !== "" || url.hash !== "") throw new ConnectError("kubeconfig-broken", `The server "${text}" in ${where} is not an https address: correct it.`);
  if (url.username !== "" || url.password !== "") throw new ConnectError("kubeconfig-broken", `The server in ${where} holds a user name or password: put them into the user entry instead.`);
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) throw new ConnectError("insecure", `The server "${text}" in ${where} is plain http, which is allowed for loopback only: use its https address.`);
  return url;
}

const PROXY_PROTOCOLS = new Set(["http:", "https:", "socks5:"]);

function proxyUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !PROXY_PROTOCOLS.has(url.protocol)) throw new ConnectError("kubeconfig-broken", `The proxy-url in the kubeconfig must begin with http://, https:// or socks5://: correct it.`);
  return text;
}
