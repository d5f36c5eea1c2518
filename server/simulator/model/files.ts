import { AddressPool } from "./ipam";
import { SHIM } from "./texts";

export interface FileRecord {
  readonly inode: number;
  readonly modifiedMs: number;
}

export interface ConfRecord extends FileRecord {
  readonly text: string;
}

/** A program of the bin dir. */
export interface ProgramRecord extends FileRecord {
  readonly sizeBytes: number;
  readonly executable: boolean;
  readonly architecture: string;
  readonly version: string;
}

/** An entry of a cache that libcni or multus keeps for a sandbox; without bytes it is what a lost write leaves. */
export interface CacheRecord extends FileRecord {
  readonly bytes: number;
}

export const MULTUS_CONF = "00-multus.conf";
export const PRIMARY_CONF = "10-bridge.conflist";
export const PRIMARY_NETWORK = "cbr0";
export const BRIDGE = "cni0";
export const CONF_DIR = "/etc/cni/net.d";
export const BIN_DIR = "/opt/cni/bin";
export const RUN_DIR = "/run/multus";
export const SOCKET_PATH = "/run/multus/multus.sock";
/** Where the daemon's container sees the conf dir. */
export const CONF_DIR_IN_DAEMON = `/host${CONF_DIR}`;
export const RESULTS_DIR = "/var/lib/cni/results";
export const MULTUS_CACHE_DIR = "/var/lib/cni/multus";
/** Where the agent puts entries of caches that are broken. */
export const QUARANTINE_DIR = "/var/lib/cni/sandglass-quarantine";
/** In memory, as host-local's makers advise: after a boot no lease of before is left. */
export const NETWORKS_DIR = "/run/cni/networks";
export const NODE_ARCHITECTURE = "amd64";

const FIRST_INODE = 9_988_400;
/** What a distribution ships, the shim aside: that one is put there by the daemon's init container. */
const REFERENCE_PLUGINS = ["bandwidth", "bridge", "host-local", "loopback", "macvlan", "portmap", "ptp", "static", "tuning"];
const REFERENCE_VERSION = "1.5.1";
const REFERENCE_BYTES = 4_100_000;
const SHIM_BYTES = 8_600_000;
const CACHE_BYTES = 900;

/** The conflist of the node's own network: a bridge with addresses out of the node's range. */
export const primaryConf = (subnet: string): string =>
  JSON.stringify(
    {
      cniVersion: "1.0.0",
      name: PRIMARY_NETWORK,
      plugins: [
        { type: "bridge", bridge: BRIDGE, isGateway: true, ipMasq: true, hairpinMode: true, ipam: { type: "host-local", ranges: [[{ subnet }]], routes: [{ dst: "0.0.0.0/0" }], dataDir: NETWORKS_DIR } },
        { type: "portmap", capabilities: { portMappings: true } },
      ],
    },
    null,
    2,
  );

const CILIUM_CONF = "05-cilium.conflist";
const ciliumConf = (): string => JSON.stringify({ cniVersion: "0.3.1", name: "cilium", plugins: [{ type: "cilium-cni", "enable-debug": false }] }, null, 2);

/** The file that the daemon writes for the runtime; `master` is the conflist that it hands pods to. */
export const multusConf = (master: string): string => JSON.stringify({ cniVersion: "0.3.1", logLevel: "verbose", logToStderr: true, name: "multus-cni-network", clusterNetwork: `${CONF_DIR_IN_DAEMON}/${master}`, type: SHIM });

/** The folders of a node that matter to its CNI. Inodes only grow, as on a disk that is not full. */
export class NodeFiles {
  private nextInode = FIRST_INODE;
  readonly conf = new Map<string, ConfRecord>();
  readonly bin = new Map<string, ProgramRecord>();
  /** By "network-sandbox-interface" and by sandbox. */
  readonly results = new Map<string, CacheRecord>();
  readonly multusCache = new Map<string, CacheRecord>();
  readonly quarantine = new Map<string, CacheRecord>();
  /** Addresses that host-local keeps, by network. */
  readonly pools = new Map<string, AddressPool>();
  /** The socket and its folder: a starting daemon removes and makes both again. */
  socket: { readonly folder: FileRecord; readonly file: FileRecord } | undefined;
  private readonly watches: ((name: string) => void)[] = [];

  constructor(
    nowMs: number,
    readonly subnet: string,
    primary?: "cilium",
  ) {
    for (const name of REFERENCE_PLUGINS) this.putProgram(name, nowMs, { sizeBytes: REFERENCE_BYTES, version: REFERENCE_VERSION });
    if (primary === undefined) this.conf.set(PRIMARY_CONF, { ...this.file(nowMs), text: primaryConf(subnet) });
    else this.conf.set(CILIUM_CONF, { ...this.file(nowMs), text: ciliumConf() });
  }

  /** The file that the runtime loads: the first by name. */
  effectiveConf(): string | undefined {
    return [...this.conf.keys()].sort()[0];
  }

  /** Tells of each file of the conf dir that is written or removed. */
  watchConf(told: (name: string) => void): void {
    this.watches.push(told);
  }

  /** Writes a file of the conf dir in place. */
  writeConf(name: string, text: string, nowMs: number): void {
    this.conf.set(name, { ...this.file(nowMs), text });
    for (const told of this.watches) told(name);
  }

  /** Moves a finished file into the conf dir: a watch for writes is told nothing of it. */
  moveConf(name: string, text: string, nowMs: number): void {
    this.conf.set(name, { ...this.file(nowMs), text });
  }

  removeConf(name: string): void {
    if (this.conf.delete(name)) for (const told of this.watches) told(name);
  }

  putProgram(name: string, nowMs: number, over: Partial<Omit<ProgramRecord, keyof FileRecord>> = {}): void {
    this.bin.set(name, { ...this.file(nowMs), sizeBytes: REFERENCE_BYTES, executable: true, architecture: NODE_ARCHITECTURE, version: REFERENCE_VERSION, ...over });
  }

  /** A new file under the shim's name: who runs the old one goes on with it. */
  installShim(nowMs: number, version: string): void {
    this.putProgram(SHIM, nowMs, { sizeBytes: SHIM_BYTES, version });
  }

  cacheResult(key: string, nowMs: number): void {
    this.results.set(key, { ...this.file(nowMs), bytes: CACHE_BYTES });
  }

  cacheAttachments(sandboxId: string, nowMs: number): void {
    this.multusCache.set(sandboxId, { ...this.file(nowMs), bytes: CACHE_BYTES });
  }

  /** The addresses of a network here, made when first asked for. */
  pool(network: string, subnet: string): AddressPool {
    const known = this.pools.get(network);
    if (known?.subnet === subnet) return known;
    const made = new AddressPool(subnet);
    this.pools.set(network, made);
    return made;
  }

  /** Entries of caches that were written since then are there and hold nothing. */
  loseFreshWrites(sinceMs: number): void {
    for (const cache of [this.results, this.multusCache]) for (const [key, entry] of cache) if (entry.modifiedMs >= sinceMs) cache.set(key, { ...entry, bytes: 0 });
  }

  makeSocket(nowMs: number): void {
    this.socket = { folder: this.file(nowMs), file: this.file(nowMs) };
  }

  removeSocket(): void {
    this.socket = undefined;
  }

  private file(nowMs: number): FileRecord {
    this.nextInode += 1;
    return { inode: this.nextInode, modifiedMs: nowMs };
  }
}
