import { MAX_BROKEN_NAMED, type CacheReading, type LaterParts, type PoolReading } from "../../../domain/agent-readings";
import { MULTUS_CACHE_DIR, NETWORKS_DIR, RESULTS_DIR, type CacheRecord } from "../../model/files";
import type { NodeModel } from "../../model/node";

/** The caches of libcni and multus, and the addresses that are given out. Which of these are leaks only the runtime's list can tell. */
export function caches(node: NodeModel): NonNullable<LaterParts["caches"]> {
  const { results, multusCache, pools } = node.files;
  const leases = [...pools.values()].reduce((sum, pool) => sum + pool.leases.size, 0);
  return {
    looked: true,
    items: [cache("results", RESULTS_DIR, results), cache("multus", MULTUS_CACHE_DIR, multusCache), { kind: "ipam", dir: NETWORKS_DIR, entries: leases, broken: [], brokenCount: 0 }],
    pools: [...pools].map(([network, { subnet, leases: own, size }]): PoolReading => ({ network, range: subnet, dir: `${NETWORKS_DIR}/${network}`, leases: own.size, size, ...leaked(node, own) })),
  };
}

function cache(kind: CacheReading["kind"], dir: string, entries: ReadonlyMap<string, CacheRecord>): CacheReading {
  const broken = [...entries].filter(([, { bytes }]) => bytes === 0).map(([name]) => name);
  return { kind, dir, entries: entries.size, broken: broken.slice(0, MAX_BROKEN_NAMED), brokenCount: broken.length };
}

/** Of sandboxes that are neither listed nor being made. */
function leaked({ runtime }: NodeModel, leases: ReadonlyMap<string, string>): { readonly leaked?: number } {
  if (runtime.frozen) return {};
  return { leaked: [...leases.values()].filter((id) => !runtime.sandboxes.has(id) && !runtime.netns.has(id)).length };
}
