import { clusterEnvironment, type Environment, type ServeConfig } from "../config";
import type { ClusterIdentity } from "../domain/observation";
import { loadConnection, type Connection } from "../sources/kube-api/connect";
import { identify } from "../sources/kube-api/identify";

export interface ChosenCluster {
  readonly connection: Connection;
  readonly identity: ClusterIdentity;
}

/** The configured cluster, or `undefined` where none is and the simulated one stands in. Throws ConnectError with one sentence; `signal` ends the waiting for it. */
export async function configuredCluster(config: ServeConfig, env: Environment, signal: AbortSignal): Promise<ChosenCluster | undefined> {
  if (config.simulate) return undefined;
  const connection = await loadConnection({ kubeconfig: config.kubeconfig, context: config.context, environment: clusterEnvironment(env) });
  if (connection === undefined) return undefined;
  // Closed, it breaks off what is under way, a credential plugin that hangs too.
  const breakOff = (): void => void connection.close();
  signal.addEventListener("abort", breakOff, { once: true });
  try {
    if (signal.aborted) breakOff();
    return { connection, identity: await identify(connection) };
  } catch (error) {
    await connection.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", breakOff);
  }
}

/** One line: which cluster, as whom, and whether anything may be changed. */
export function clusterLine({ connection, identity }: ChosenCluster, allowActions: boolean): string {
  const actions = allowActions ? "actions on" : "actions off";
  return `Cluster: ${identity.simulated ? `simulated (${identity.name})` : identity.name} at ${connection.server}${identity.version === undefined ? "" : ` (${identity.version})`} as ${identity.user}, ${actions}`;
}
