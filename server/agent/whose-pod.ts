import { CNI_ROWS } from "../domain/cni-daemons";

/**
 * Whose pod a pod is, as far as its name tells. The agent has no right in the API: a pod of a DaemonSet is known by the one
 * random ending that its controller gives it, where a Deployment gives two. See docs/decisions/0063.
 */
const SYSTEM_NAMESPACE = "kube-system";
/** Letters of which the API server makes random endings. */
const RANDOM = "[bcdfghjklmnpqrstvwxz2456789]";
const OF_DAEMON_SET = new RegExp(`^(.+)-${RANDOM}{5}$`);
const OF_REPLICA_SET = new RegExp(`-${RANDOM}{8,10}$`);

/** The DaemonSet that a pod of this name would belong to; undefined where its name is not that of a DaemonSet's pod. */
export function daemonSetOf(pod: string): string | undefined {
  const name = OF_DAEMON_SET.exec(pod)?.[1];
  return name === undefined || OF_REPLICA_SET.test(name) ? undefined : name;
}

/**
 * The CNI that a pod serves: by the table of CNI daemons, or because the server said that its DaemonSet
 * ("namespace/name") is one. Undefined where it serves none.
 */
export function cniOf(namespace: string, pod: string, cniDaemonSets: readonly string[]): string | undefined {
  const daemonSet = daemonSetOf(pod);
  if (daemonSet === undefined) return undefined;
  const row = CNI_ROWS.find(({ daemonSets }) => daemonSets.includes(daemonSet));
  return row?.cni ?? (cniDaemonSets.includes(`${namespace}/${daemonSet}`) ? daemonSet : undefined);
}

/** Whether a pod belongs to a DaemonSet of the system, any of which can crowd out the others. */
export const isSystemDaemon = (namespace: string, pod: string): boolean => namespace === SYSTEM_NAMESPACE && daemonSetOf(pod) !== undefined;
