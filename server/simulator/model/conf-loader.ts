import type { NodeFiles } from "./files";
import { parseNetworkConf, type NetworkConf } from "./net-conf";

/**
 * The network config as the runtime holds it: read when its watch of the conf dir tells of a write or a removal, and kept in memory until
 * the next. It takes the first file by name and, as containerd does, has none where that one is broken.
 */
export class ConfLoader {
  loaded: NetworkConf | undefined;

  constructor(private readonly files: NodeFiles) {
    files.watchConf(() => this.load());
    this.load();
  }

  load(): void {
    const name = this.files.effectiveConf();
    const text = name === undefined ? undefined : this.files.conf.get(name)?.text;
    this.loaded = text === undefined ? undefined : parseNetworkConf(text);
  }
}
