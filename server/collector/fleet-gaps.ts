import type { CniDaemon } from "../domain/cni-daemons";
import { daemonGaps, type DaemonGaps } from "../domain/daemon-gaps";
import type { NodeObject, PodObject } from "../domain/model";

/** Every node is looked at, so that it is done at most this often for each daemon. */
const GAPS_EVERY_MS = 15_000;

/** Which nodes have no pod of a CNI daemon, worked out when a node asks and shared by all that ask soon after. */
export class FleetGaps {
  readonly #known = new Map<string, { readonly atMs: number; readonly gaps: DaemonGaps }>();

  of(key: string, daemons: readonly CniDaemon[], nodes: Iterable<NodeObject>, podsOf: (node: NodeObject) => Iterable<PodObject>, nowMs: number): DaemonGaps | undefined {
    const daemon = daemons.find((one) => one.key === key);
    if (daemon === undefined) return undefined;
    const known = this.#known.get(key);
    if (known !== undefined && Math.abs(nowMs - known.atMs) < GAPS_EVERY_MS) return known.gaps;
    for (const other of this.#known.keys()) if (!daemons.some((one) => one.key === other)) this.#known.delete(other);
    const gaps = daemonGaps(daemon, nodes, podsOf, nowMs);
    this.#known.set(key, { atMs: nowMs, gaps });
    return gaps;
  }
}
