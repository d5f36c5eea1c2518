import type { Clock } from "../clock";
import type { ServeConfig } from "../config";
import type { NodeObject } from "../domain/model";
import type { Observe } from "../domain/observation";
import { actionableError } from "../errors";
import type { Log } from "../log";
import { can } from "../sources/kube-api/identify";
import { IN_CLUSTER_NAME, type Connection } from "../sources/kube-api/connect";
import { pathOf } from "../sources/kube-api/path";
import { errorOf } from "../sources/kube-api/request";
import { readAuthorities } from "../sources/kubelet/ca-file";
import { createDirectFetch } from "../sources/kubelet/direct";
import { chooseMode } from "../sources/kubelet/mode";
import { createProxyFetch, type ProxyGet } from "../sources/kubelet/proxy";
import { startKubeletSource, type KubeletSource } from "../sources/kubelet/scraper";
import { kubeletPins, type KubeletPinsOptions } from "./kubelet-pins";

export interface KubeletsOptions extends KubeletPinsOptions {
  readonly config: Pick<ServeConfig, "kubelet" | "kubeletAddress" | "kubeletCa" | "kubeletTls">;
  readonly connection: Connection;
  readonly observe: Observe;
  readonly log: Log;
  readonly nodes: () => Iterable<NodeObject>;
  readonly wanted: (namespace: string, pod: string) => boolean;
  readonly cadvisorFast: (node: NodeObject["name"]) => boolean;
}

/** Starts to read kubelets, directly or through the API server, as the options and this user's rights allow. */
export async function startKubelets(options: KubeletsOptions): Promise<{ readonly source: KubeletSource; readonly why: string }> {
  const { config, connection, clock, log } = options;
  const inCluster = connection.origin === IN_CLUSTER_NAME;
  const { mode, why } = chooseMode({ setting: config.kubelet, inCluster, canProxy: config.kubelet === "auto" && !inCluster ? await mayProxy(connection, log) : undefined });
  const fetch =
    mode === "proxy"
      ? createProxyFetch(throughApi(connection))
      : createDirectFetch({
          tls: { mode: config.kubeletTls, authorities: authorities(config.kubeletCa, connection, clock, log), pins: kubeletPins(options) },
          overrides: config.kubeletAddress,
          credentials: async () => {
            const shown = await connection.credentials();
            const headers = Object.fromEntries(Object.entries(shown.headers).map(([name, value]) => [name, typeof value === "string" ? value : value.join(", ")]));
            return shown.cert === undefined || shown.key === undefined ? { headers } : { headers, client: { certPem: shown.cert, keyPem: shown.key } };
          },
        });
  const source = startKubeletSource({ nodes: options.nodes, fetch, observe: options.observe, clock, log, wanted: options.wanted, cadvisorFast: options.cadvisorFast, random: Math.random });
  return { source, why };
}

/** Until a kubelet's answer through the API server begins. */
const PROXY_ANSWER_MS = 10_000;

const throughApi =
  (connection: Connection): ProxyGet =>
  async (node, page, { signal, accept }) => {
    const segments = ["api", "v1", "nodes", node, "proxy", ...page.split("/").filter((part) => part !== "")];
    const answer = await connection.send({ method: "GET", path: pathOf(segments), headers: { accept }, signal, headersTimeoutMs: PROXY_ANSWER_MS, bodyTimeoutMs: PROXY_ANSWER_MS });
    if (answer.status >= 400) throw await errorOf(answer, connection.server);
    return answer.body;
  };

async function mayProxy(connection: Connection, log: Log): Promise<boolean | undefined> {
  try {
    return (await can(connection, { verb: "get", group: "", resource: "nodes", subresource: "proxy" })).allowed;
  } catch (err) {
    log.warn({ err }, "whether nodes/proxy may be used could not be asked");
    return undefined;
  }
}

/** `--kubelet-ca`, or the cluster's own authority; both are read again when they are renewed. */
function authorities(file: string | undefined, connection: Connection, clock: Clock, log: Log): () => string | undefined | Promise<string | undefined> {
  if (file === undefined) return () => connection.caPem();
  try {
    return readAuthorities(file, clock, log);
  } catch (cause) {
    throw actionableError(`The file after --kubelet-ca, ${file}, cannot be used: ${cause instanceof Error ? cause.message : "unknown reason"}.`, cause);
  }
}
