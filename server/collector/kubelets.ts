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
import type { KubeletKey } from "../store/types";

export interface KubeletsOptions {
  readonly config: Pick<ServeConfig, "kubelet" | "kubeletAddress" | "kubeletCa" | "kubeletTls">;
  readonly connection: Connection;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly log: Log;
  readonly nodes: () => Iterable<NodeObject>;
  readonly wanted: (namespace: string, pod: string) => boolean;
  readonly cadvisorFast: (node: NodeObject["name"]) => boolean;
  /** The keys as the store has them now, accepted ones included. */
  readonly storedKeys: () => ReadonlyMap<string, KubeletKey>;
  readonly onKey: (key: KubeletKey) => void;
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
          tls: { mode: config.kubeletTls, authorities: authorities(config.kubeletCa, connection, clock, log), pins: pinsOf(options) },
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

/** How often it is looked whether a person accepted a key meanwhile. */
const KEYS_EVERY_MS = 10_000;

function pinsOf({ clock, storedKeys, onKey }: KubeletsOptions) {
  let keys = new Map(storedKeys());
  let readMs = clock.now();
  const put = (key: KubeletKey): void => {
    keys.set(key.node, key);
    onKey(key);
  };
  return {
    known: (node: string) => {
      if (clock.now() - readMs > KEYS_EVERY_MS) {
        readMs = clock.now();
        keys = new Map([...keys, ...storedKeys()]);
      }
      return keys.get(node)?.sha256;
    },
    firstSeen: (node: string, sha256: string) => put({ node, sha256, seenMs: clock.now() }),
    changed: (node: string, offeredSha256: string) => {
      const known = keys.get(node);
      if (known !== undefined && known.offeredSha256 !== offeredSha256) put({ ...known, offeredSha256 });
    },
  };
}
