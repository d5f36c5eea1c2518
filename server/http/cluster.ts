import { clusterEnvironment, type Environment, type WebConfig } from "../config";
import { ServiceError } from "../errors";
import type { ClusterPort } from "../services/cluster-port";
import { loadConnection, ConnectError, type Connection } from "../sources/kube-api/connect";
import { KubeError } from "../sources/kube-api/errors";
import { can, identify } from "../sources/kube-api/identify";
import { makeProjector } from "../sources/kube-api/project";
import { request } from "../sources/kube-api/request";

/** The web process's own way to the cluster, opened when it is first needed, with the same configuration as the collector's. */
export function createClusterPort(config: WebConfig["cluster"], env: Environment): ClusterPort {
  let opening: Promise<Opened> | undefined;
  const opened = (): Promise<Opened> => {
    opening ??= load(config, env).catch((error: unknown) => {
      opening = undefined; // the next click tries again
      throw error;
    });
    return opening;
  };
  const open = async (): Promise<Connection> => (await opened()).connection;
  const daemonSets = makeProjector({ isDaemonPod: () => false });

  return {
    user: () => translated(async () => (await opened()).user),
    daemonSet: (namespace, name) =>
      translated(async () => {
        try {
          return daemonSets.daemonSet(await request(await open(), { segments: ["apis", "apps", "v1", "namespaces", namespace, "daemonsets", name] }));
        } catch (error) {
          if (error instanceof KubeError && error.status === 404) return undefined;
          throw error;
        }
      }),
    can: (needs) => translated(async () => can(await open(), needs)),
    send: (call) =>
      translated(async () =>
        request(await open(), {
          method: call.method,
          segments: call.segments,
          query: call.query,
          ...(call.body === undefined ? {} : { body: call.body }),
          ...(call.contentType === undefined ? {} : { contentType: call.contentType as "application/strategic-merge-patch+json" }), // plans use no other
        }),
      ),
  };
}

interface Opened {
  readonly connection: Connection;
  readonly user: string;
}

/** Nothing is asked of, let alone done to, a cluster that is not the one on the page. */
async function load(config: WebConfig["cluster"], env: Environment): Promise<Opened> {
  const connection = await loadConnection({ kubeconfig: config.kubeconfig, context: config.context, environment: clusterEnvironment(env) });
  if (connection === undefined) throw new ServiceError("unavailable", "No cluster is configured.");
  try {
    const { uid, name, server, user } = await identify(connection);
    if (config.uid !== undefined && uid !== config.uid) {
      throw new ServiceError("conflict", `The kubeconfig leads to another cluster by now (${name} at ${server}) than the one that is watched. Nothing was done. Restart Sandglass, or set the kubeconfig back.`);
    }
    return { connection, user };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The API server's own sentence is what a person needs; only its form is ours. */
async function translated<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof KubeError) {
      if (error.status === 0) throw new ServiceError("cluster-unreachable", error.message, { cause: error });
      const code = error.status === 403 ? "forbidden" : error.status === 409 ? "conflict" : error.status === 404 ? "gone" : error.status === 429 ? "too-many" : error.status < 500 ? "refused" : "cluster-unreachable";
      throw new ServiceError(code, `The API server says: ${error.message}`, { cause: error });
    }
    if (error instanceof ConnectError) throw new ServiceError("cluster-unreachable", error.message, { cause: error });
    throw error;
  }
}
