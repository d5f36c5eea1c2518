import { SHIM } from "./texts";

export interface FileRecord {
  readonly inode: number;
  readonly modifiedMs: number;
}

export const MULTUS_CONF = "00-multus.conf";
export const PRIMARY_CONF = "10-bridge.conflist";
export const CONF_DIR = "/etc/cni/net.d";
export const BIN_DIR = "/opt/cni/bin";
export const SOCKET_PATH = "/run/multus/multus.sock";

const FIRST_INODE = 9_988_400;
/** What a distribution ships, the shim aside: that one is put there by the daemon's init container. */
const REFERENCE_PLUGINS = ["bandwidth", "bridge", "host-local", "loopback", "macvlan", "portmap", "ptp", "static", "tuning"];

/** The folders of a node that matter to its CNI. Inodes only grow, as on a disk that is not full. */
export class NodeFiles {
  private nextInode = FIRST_INODE;
  readonly conf = new Map<string, FileRecord>();
  readonly bin = new Map<string, FileRecord>();
  /** The socket and its folder: a starting daemon removes and makes both again. */
  socket: { readonly folder: FileRecord; readonly file: FileRecord } | undefined;

  constructor(nowMs: number) {
    for (const name of REFERENCE_PLUGINS) this.bin.set(name, this.file(nowMs));
    this.conf.set(PRIMARY_CONF, this.file(nowMs));
  }

  /** The file that the runtime loads: the first by name. */
  effectiveConf(): string | undefined {
    return [...this.conf.keys()].sort()[0];
  }

  installShim(nowMs: number): void {
    this.bin.set(SHIM, this.file(nowMs));
  }

  writeMultusConf(nowMs: number): void {
    this.conf.set(MULTUS_CONF, this.file(nowMs));
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
