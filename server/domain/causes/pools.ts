import type { Evidence } from "../answer";
import type { PoolReading } from "../agent-readings";
import { agentPart } from "./agent-part";
import { seen } from "./evidence";
import type { CauseInput } from "./types";

/** A range of addresses of this node that host-local gives out, with whom its leases belong to as far as that can be told. */
export interface Pool {
  readonly reading: PoolReading;
  readonly words: string;
  /** Every address that the ranges hold is taken; absent where their size is not known. */
  readonly full?: boolean;
  /**
   * At least so many leases belong to nobody: their sandbox is gone by the runtime's list, or there are more leases than pods. Leases of
   * sandboxes that are being made are taken off, since the runtime does not list those yet. Absent where it cannot be told.
   */
  readonly leaked?: number;
}

/** Of the leases of a full range so many without a sandbox make a leak of it; below, the node has too many pods for its range. */
export const LEAK_SHARE = 0.1;
/** And in a range that is not full at least so many. */
export const LEAKED_LEASES = 10;

export type Pools = { readonly looked: false; readonly reason: string } | { readonly looked: true; readonly pools: readonly Pool[] };

/** The node's host-local ranges. `shortBy`: a range counts as full with so many free addresses, where a text says that there are none. */
export function poolsOf(input: CauseInput, shortBy: number): Pools {
  const caches = agentPart(input, "caches");
  if (!caches.looked) return caches;
  const pods = podsWithAddresses(input);
  return { looked: true, pools: caches.pools.map((reading) => poolOf(input, reading, shortBy, pods)) };
}

function poolOf(input: CauseInput, reading: PoolReading, shortBy: number, pods: number | undefined): Pool {
  const { leases, size, leaked, network, range } = reading;
  // A pod that has begun to wait may have its address while the runtime does not list its sandbox; one that is stuck has tried and given back.
  const inTheMaking = input.waitingPods.filter(({ hold }) => !(hold.kind === "waiting" && hold.stuck)).length;
  const bySandboxes = leaked === undefined ? undefined : Math.max(0, leaked - inTheMaking);
  const byPods = pods === undefined ? undefined : Math.max(0, leases - pods);
  const sure = bySandboxes ?? byPods;
  return {
    reading,
    words: `Range ${range ?? reading.dir} of network ${network}`,
    ...(size === undefined ? {} : { full: leases >= size - shortBy }),
    ...(sure === undefined ? {} : { leaked: Math.min(sure, leases) }),
  };
}

/** Pods that may hold an address of the pod network, those that wait or end included; `undefined` where pods cannot be seen. */
function podsWithAddresses(input: CauseInput): number | undefined {
  if (input.source("api").freshness !== "fresh" || !input.kind("pods").seen) return undefined;
  let count = 0;
  for (const pod of input.pods.values()) if (!pod.hostNetwork && pod.node !== undefined) count += 1;
  return count;
}

/** Whether leaked leases are what fills a range. */
export const isLeak = ({ reading, leaked }: Pool): boolean => leaked !== undefined && leaked >= 1 && leaked >= reading.leases * LEAK_SHARE;

export function poolEvidence(input: CauseInput, { reading, words, leaked }: Pool): readonly Evidence[] {
  const at = input.report === undefined ? {} : { atMs: input.report.atMs };
  const of = reading.size === undefined ? "" : ` of ${reading.size} addresses`;
  return [
    seen(words, "agent", { value: `${reading.leases}${of} leased`, ...at }),
    ...(leaked === undefined ? [] : [seen("Leases of it that belong to no sandbox", "agent", { value: leaked, unit: "leases", ...at })]),
  ];
}
