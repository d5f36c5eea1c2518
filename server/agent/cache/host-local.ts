import { z } from "zod";
import { MAX_READING_NAME_CHARS } from "../../domain/agent-readings";
import { parseAddress, parseSubnet, type Address } from "./ip";

/** Ranges of which host-local hands out one address to each pod: a set of them is one pool. */
export interface RangeSet {
  readonly network: string;
  /** Where it keeps its leases, by the config; absent: the usual folder. */
  readonly dataDir?: string;
  /** "10.244.0.0/24", the first of the set. */
  readonly range: string;
  readonly ranges: readonly { readonly bits: 32 | 128; readonly start: bigint; readonly end: bigint }[];
  /** Addresses that it can hand out. */
  readonly size: bigint;
}

const MAX_PLUGINS = 64;
const MAX_DEEP = 4;
const MAX_RANGES = 64;
/** The network's own address, a gateway and the broadcast address leave nothing of a smaller one. */
const LEAST_ADDRESSES = 4n;

const Range = z.looseObject({ subnet: z.string(), rangeStart: z.string().optional(), rangeEnd: z.string().optional(), gateway: z.string().optional() });
const Ipam = z.looseObject({ type: z.literal("host-local"), dataDir: z.string().startsWith("/").optional(), ranges: z.array(z.array(z.unknown())).optional(), subnet: z.string().optional() });
const Plugin = z.looseObject({ ipam: z.unknown().optional(), delegate: z.unknown().optional(), delegates: z.array(z.unknown()).optional(), plugins: z.array(z.unknown()).optional() });
/** It becomes part of a path. */
const Named = z.looseObject({ name: z.string().regex(/^[A-Za-z0-9][\w.-]*$/).max(MAX_READING_NAME_CHARS) });

/** The pools of a network config: of its plugins, and of those that they call. A range that makes no sense has no pool. */
export function rangeSets(json: unknown): readonly RangeSet[] {
  const named = Named.safeParse(json);
  return named.success ? setsOf(json, named.data.name, 0) : [];
}

function setsOf(value: unknown, network: string, depth: number): readonly RangeSet[] {
  const plugin = Plugin.safeParse(value);
  if (!plugin.success || depth > MAX_DEEP) return [];
  const { ipam, delegate, delegates = [], plugins = [] } = plugin.data;
  // A delegate has its own name where it was given one, as multus does.
  const inner = [...plugins, delegate, ...delegates].slice(0, MAX_PLUGINS).flatMap((one) => {
    const named = Named.safeParse(one);
    return setsOf(one, named.success ? named.data.name : network, depth + 1);
  });
  return [...ownSets(ipam, network), ...inner];
}

function ownSets(value: unknown, network: string): readonly RangeSet[] {
  const ipam = Ipam.safeParse(value);
  if (!ipam.success) return [];
  const { dataDir, ranges, subnet } = ipam.data;
  const sets = [...(subnet === undefined ? [] : [[ipam.data]]), ...(ranges ?? [])];
  return sets.slice(0, MAX_RANGES).flatMap((set) => {
    const parsed = set.slice(0, MAX_RANGES).flatMap((one) => rangeOf(one) ?? []);
    const [first] = parsed;
    if (first === undefined || parsed.length !== set.length) return [];
    return [{ network, ...(dataDir === undefined ? {} : { dataDir }), range: first.text, ranges: parsed, size: parsed.reduce((sum, { usable }) => sum + usable, 0n) }];
  });
}

/** As host-local completes a range: from the first address after the network's to the last before the broadcast address, without the gateway. */
function rangeOf(value: unknown) {
  const parsed = Range.safeParse(value);
  const subnet = parsed.success ? parseSubnet(parsed.data.subnet) : undefined;
  if (!parsed.success || subnet === undefined || subnet.last - subnet.first + 1n < LEAST_ADDRESSES) return undefined;
  const { rangeStart, rangeEnd, gateway } = parsed.data;
  const inside = (text: string | undefined, otherwise: bigint): bigint | undefined => {
    if (text === undefined || text === "") return otherwise;
    const address = parseAddress(text);
    return address?.bits === subnet.bits && address.value >= subnet.first && address.value <= subnet.last ? address.value : undefined;
  };
  const start = inside(rangeStart, subnet.first + 1n);
  const end = inside(rangeEnd, subnet.bits === 32 ? subnet.last - 1n : subnet.last);
  const gate = inside(gateway, subnet.first + 1n);
  if (start === undefined || end === undefined || start > end) return undefined;
  const usable = end - start + 1n - (gate !== undefined && gate >= start && gate <= end ? 1n : 0n);
  return { text: parsed.data.subnet, bits: subnet.bits, start, end, usable };
}

export const holdsAddress = ({ ranges }: Pick<RangeSet, "ranges">, { bits, value }: Address): boolean => ranges.some((range) => range.bits === bits && value >= range.start && value <= range.end);
