import type { CniDaemon } from "./cni-daemons";
import type { ContainerTermination, PodObject } from "./model";
import type { DaemonView } from "./node-view";
import { containerInstance, MAX_OOM_KILLS_KEPT } from "./node-window";

/** The CNI daemon whose DaemonSet owns the pod, if any. */
export function daemonOfPod(pod: PodObject, daemons: readonly CniDaemon[]): CniDaemon | undefined {
  if (pod.owner === undefined) return undefined;
  return daemons.find(({ daemonSet }) => daemonSet.namespace === pod.namespace && pod.owner === `DaemonSet/${daemonSet.name}`);
}

/**
 * One CNI daemon's pod as a node shows it. Limits are those of the pod itself where it tells them (a resize in place
 * changes the pod, not the DaemonSet), else those of the template.
 */
export function daemonView(pod: PodObject, daemon: CniDaemon, oomKillsMs: readonly number[] | undefined): DaemonView {
  const { container, key, daemonSet } = daemon;
  const own = pod.daemon?.containers.find(({ name }) => name === container);
  const resources = own ?? (pod.daemon === undefined ? daemonSet.containers.find(({ name, init }) => name === container && !init) : undefined);
  const last = lastTermination(pod.daemon?.terminations ?? [], container);
  return {
    daemonSet: key,
    pod: pod.name,
    container,
    ready: pod.daemon?.ready ?? false,
    restarts: pod.daemon?.restarts ?? 0,
    ...(pod.daemon?.images?.[container] === undefined ? {} : { image: pod.daemon.images[container] }),
    ...(pod.daemon?.revision === undefined ? {} : { revision: pod.daemon.revision }),
    ...(resources?.cpuLimitCores === undefined ? {} : { cpuLimitCores: resources.cpuLimitCores }),
    ...(resources?.memoryLimitBytes === undefined ? {} : { memoryLimitBytes: resources.memoryLimitBytes }),
    ...(resources?.memoryRequestBytes === undefined ? {} : { memoryRequestBytes: resources.memoryRequestBytes }),
    ...(last === undefined ? {} : { lastTermination: last }),
    oomKillsMs: oomKills(pod, container, oomKillsMs ?? []),
  };
}

/** The remembered kills with those that the pod's status shows now, oldest first. */
function oomKills(pod: PodObject, container: string, remembered: readonly number[]): readonly number[] {
  const shown = (pod.daemon?.terminations ?? []).flatMap((one) => (one.container === container && one.reason === "OOMKilled" && one.finishedMs !== undefined ? [one.finishedMs] : []));
  return [...new Set([...remembered, ...shown])].sort((a, b) => a - b).slice(-MAX_OOM_KILLS_KEPT);
}

/** The newest end that tells something: any of the daemon's own container, and a failed one of its helpers and installers. */
function lastTermination(terminations: readonly ContainerTermination[], container: string): DaemonView["lastTermination"] | undefined {
  let newest: ContainerTermination | undefined;
  for (const one of terminations) {
    if (one.exitCode === undefined || (one.container !== container && one.exitCode === 0)) continue;
    if (newest === undefined || (one.finishedMs ?? 0) >= (newest.finishedMs ?? 0)) newest = one;
  }
  if (newest?.exitCode === undefined) return undefined;
  const where = newest.container === container ? "" : ` in ${newest.container}`;
  return { reason: `${newest.reason ?? "ended"}${where}`, exitCode: newest.exitCode, ...(newest.finishedMs === undefined ? {} : { atMs: newest.finishedMs }) };
}

/** The key under which `trackOomKills` remembers a daemon's container. */
export const oomKey = (pod: PodObject, daemon: CniDaemon): string => containerInstance(pod.name, daemon.container);
