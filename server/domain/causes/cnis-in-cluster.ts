import { CNI_ROWS, cniDaemonOf, type CniRow } from "../cni-daemons";
import type { DaemonSetObject } from "../model";
import type { CauseInput } from "./types";

/** CNIs that bring a config of their own; the others only add networks to it. */
export const ROWS_WITH_CONFIG: readonly CniRow[] = CNI_ROWS.filter(({ confFiles }) => confFiles.length > 0);
export const bringsConfig = (name: string): boolean => ROWS_WITH_CONFIG.some(({ cni }) => cni === name);

/** The list is one and the same for all nodes until a DaemonSet changes. */
const known = new WeakMap<readonly DaemonSetObject[], ReadonlyMap<string, readonly DaemonSetObject[]>>();

/** DaemonSets of the whole cluster by the CNI that they run, whatever `--cni-daemon` picks. */
export function cnisInCluster({ daemonSets }: Pick<CauseInput, "daemonSets">): ReadonlyMap<string, readonly DaemonSetObject[]> {
  const before = known.get(daemonSets);
  if (before !== undefined) return before;
  const byCni = new Map<string, DaemonSetObject[]>();
  for (const daemonSet of daemonSets) {
    const cni = cniDaemonOf(daemonSet, [])?.cni;
    if (cni === undefined) continue;
    const own = byCni.get(cni);
    if (own === undefined) byCni.set(cni, [daemonSet]);
    else own.push(daemonSet);
  }
  known.set(daemonSets, byCni);
  return byCni;
}

/** Names of the CNIs whose daemon has a pod on this node. */
export function cnisHere({ cniDaemons, daemons }: Pick<CauseInput, "cniDaemons" | "daemons">): readonly string[] {
  return [...new Set(cniDaemons.filter(({ key }) => daemons.some(({ daemonSet }) => daemonSet === key)).map(({ cni }) => cni))];
}
