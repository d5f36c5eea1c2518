import { isIP } from "node:net";
import { MAX_BROKEN_NAMED, MAX_CACHES, MAX_POOLS, type CacheReading, type LaterParts, type PoolReading } from "../../domain/agent-readings";
import { capText, type AgentReport } from "../../domain/agent-report";
import { count, nameText, pathText, told } from "../bounds";
import type { ConfFileRead } from "../conf/read-dir";
import { reasonOf, type HostFs } from "../host-fs";
import { entryReader, MAX_ENTRIES, type Entries, type EntryReader } from "./entries";
import { holdsAddress, rangeSets, type RangeSet } from "./host-local";
import { parseAddress } from "./ip";

export interface CachesReader {
  look(files: readonly ConfFileRead[], sandboxes: AgentReport["sandboxes"]): Promise<NonNullable<LaterParts["caches"]>>;
}

/** Where libcni, multus and host-local keep what they remember, unless a config moves it. */
export const RESULTS = ["/var/lib/cni/results", "/var/lib/cni/multus/results"];
export const MULTUS = "/var/lib/cni/multus";
const NETWORKS = "/var/lib/cni/networks";
const MAX_DATA_DIRS = 8;
/**
 * A lease younger than this may be of a sandbox that is being made: some runtimes list one only when its network stands, and the
 * kubelet may wait for that longer than anybody would like.
 */
const LEAST_LEAK_MS = 600_000;

/** `clockMs`: the node's clock, by which files have their times. */
export function cachesReader(fs: HostFs, clockMs: () => number): CachesReader {
  const json = entryReader(fs, clockMs, (name) => !name.startsWith("."), jsonOrNothing);
  const leases = entryReader(fs, clockMs, (name) => isIP(name) !== 0, holder);

  return {
    look: async (files, sandboxes) => {
      const items: CacheReading[] = [];
      const add = (item: CacheReading | undefined): void => {
        if (item !== undefined) items.push(item);
      };
      for (const dir of RESULTS) add(await cacheReading("results", dir, json));
      add(await cacheReading("multus", MULTUS, json));
      const sets = files.flatMap((file) => rangeSets(file.json));
      const known = sandboxes.looked && !sandboxes.truncated ? new Set(sandboxes.items.map(({ id }) => id)) : undefined;
      const pools: PoolReading[] = [];
      for (const { network, dir } of await networksOf(sets)) {
        const reading = await look(dir, leases);
        add(reading === undefined ? undefined : toCache("ipam", dir, reading));
        const own = sets.filter((set) => set.network === network && dirOf(set) === dir);
        if (reading === undefined || !("problem" in reading)) pools.push(...poolReadings(network, dir, own, reading, known));
      }
      return { looked: true, items: items.slice(0, MAX_CACHES), pools: pools.slice(0, MAX_POOLS), ...(items.length > MAX_CACHES || pools.length > MAX_POOLS ? { truncated: true } : {}) };
    },
  };

  async function cacheReading(kind: CacheReading["kind"], dir: string, reader: EntryReader<unknown>): Promise<CacheReading | undefined> {
    const reading = await look(dir, reader);
    return reading === undefined ? undefined : toCache(kind, dir, reading);
  }

  /** Networks that have leases, and those that a config gives ranges. */
  async function networksOf(sets: readonly RangeSet[]): Promise<readonly { readonly network: string; readonly dir: string }[]> {
    const found = new Map<string, { readonly network: string; readonly dir: string }>();
    for (const set of sets) found.set(dirOf(set), { network: set.network, dir: dirOf(set) });
    for (const parent of [...new Set([NETWORKS, ...sets.map((set) => set.dataDir ?? NETWORKS)])].slice(0, MAX_DATA_DIRS)) {
      try {
        for (const entry of (await fs.list(parent)) ?? []) if (entry.isDirectory()) found.set(`${parent}/${entry.name}`, { network: entry.name, dir: `${parent}/${entry.name}` });
      } catch {
        continue; // each folder that is known by a config says so itself
      }
    }
    return [...found.values()].slice(0, MAX_POOLS);
  }

  function poolReadings(network: string, dir: string, sets: readonly RangeSet[], entries: Entries<string> | undefined, known: ReadonlySet<string> | undefined): readonly PoolReading[] {
    const held = (entries?.items ?? []).map(({ name, stamp, value }) => ({ address: parseAddress(name), leaked: value !== undefined && known !== undefined && !known.has(value) && clockMs() - stamp.modifiedMs >= LEAST_LEAK_MS }));
    const reading = (of: typeof held, set?: RangeSet): PoolReading => ({
      network: nameText(network),
      dir: pathText(dir),
      leases: of.length,
      ...told({ range: set === undefined ? undefined : nameText(set.range), size: set === undefined ? undefined : count(Number(set.size)), leaked: known === undefined ? undefined : of.filter(({ leaked }) => leaked).length }),
    });
    if (sets.length === 0) return [reading(held)];
    return sets.map((set) => reading(held.filter(({ address }) => address !== undefined && holdsAddress(set, address)), set));
  }
}

type Reading<T> = Entries<T> | { readonly problem: string };

/** A folder that cannot be looked at says so by itself. */
async function look<T>(dir: string, reader: EntryReader<T>): Promise<Reading<T> | undefined> {
  try {
    return await reader.read(dir);
  } catch (error) {
    return { problem: capText(reasonOf(error)) };
  }
}

function toCache<T>(kind: CacheReading["kind"], dir: string, reading: Reading<T>): CacheReading {
  const base = { kind, dir: pathText(dir) };
  if ("problem" in reading) return { ...base, entries: 0, broken: [], brokenCount: 0, problem: reading.problem };
  const broken = reading.items.filter(({ value }) => value === undefined).map(({ name }) => nameText(name));
  return {
    ...base,
    entries: reading.count,
    broken: broken.slice(0, MAX_BROKEN_NAMED),
    brokenCount: broken.length,
    ...(reading.count > MAX_ENTRIES ? { problem: `only ${String(MAX_ENTRIES)} of its entries were looked at` } : {}),
  };
}

/** A lease names the sandbox that holds the address, and in newer versions its interface on a second line. */
const holder = (text: string): string | undefined => {
  const id = text.split(/[\r\n]/, 1)[0]?.trim();
  return id === undefined || id === "" ? undefined : id;
};

const dirOf = (set: RangeSet): string => `${(set.dataDir ?? NETWORKS).replace(/\/+$/, "")}/${set.network}`;

export function jsonOrNothing(text: string): true | undefined {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return undefined;
  }
}
