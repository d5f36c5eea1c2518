import { parseNetworkConf, type NetworkConf } from "./net-conf";

/** Networks that pods may ask for beside the node's own, and the controllers that give out what these need: objects of the whole cluster. */
export class NetworkAttachments {
  /** "namespace/name" → its config as the object holds it. */
  private readonly configs = new Map<string, string>();
  private readonly parsed = new Map<string, NetworkConf>();
  private readonly away = new Set<string>();

  constructor(private readonly changed: (key: string) => void) {}

  get all(): ReadonlyMap<string, string> {
    return this.configs;
  }

  put(key: string, config: string): void {
    this.configs.set(key, config);
    const conf = parseNetworkConf(config);
    if (conf === undefined) this.parsed.delete(key);
    else this.parsed.set(key, conf);
    this.changed(key);
  }

  remove(key: string): void {
    this.parsed.delete(key);
    if (this.configs.delete(key)) this.changed(key);
  }

  has(key: string): boolean {
    return this.configs.has(key);
  }

  /** What its config says; `undefined` where it says nothing that can be used. */
  conf(key: string): NetworkConf | undefined {
    return this.parsed.get(key);
  }

  /** Whether the controller of a network does its work. */
  serves(network: string): boolean {
    return !this.away.has(network);
  }

  setController(network: string, works: boolean): void {
    if (works) this.away.delete(network);
    else this.away.add(network);
  }
}
