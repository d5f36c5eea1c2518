import type { KnownDaemonSets } from "../../domain/cluster-changes";
import type { DaemonSetObject } from "../../domain/model";
import type { Db } from "../sqlite/connection";

/** One value, always written whole: a cluster keeps a handful. */
export const DAEMON_SETS_KEY = "daemon_sets";
/** Most that are kept: CNI daemons and those of the system. A rollout of one beyond it is told while Sandglass looks, not after a pause. */
export const MAX_KNOWN_DAEMON_SETS = 500;

export const daemonSetsJson = (daemonSets: readonly DaemonSetObject[]): string => JSON.stringify(daemonSets.slice(0, MAX_KNOWN_DAEMON_SETS));

/** As they were last written; none in a file of before they were kept. */
export function readDaemonSets(db: Db): KnownDaemonSets {
  const get = db.prepare<[string], string>("SELECT value FROM meta WHERE key = ?").pluck();
  const json = get.get(DAEMON_SETS_KEY);
  return { items: json === undefined ? [] : (JSON.parse(json) as readonly DaemonSetObject[]), lastMs: Number(get.get("newest_ms") ?? 0) }; // written by this store from the same type
}
