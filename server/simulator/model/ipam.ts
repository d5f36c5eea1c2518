/** Addresses of IPv4 as numbers, which is enough for a simulated cluster. */
const toNumber = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const toText = (address: number): string => [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");

/**
 * One network's addresses on one node, as host-local keeps them: a file for each address that is given out, with the container that
 * has it. Nothing but a DEL for that container gives it back.
 */
export class AddressPool {
  /** Address → container that has it. */
  readonly leases = new Map<string, string>();
  private readonly byContainer = new Map<string, string>();
  private readonly firstAddress: number;
  private readonly lastAddress: number;
  private next: number;

  constructor(readonly subnet: string) {
    const [network = "", bits = "24"] = subnet.split("/");
    this.firstAddress = toNumber(network) + 1;
    this.lastAddress = toNumber(network) + 2 ** (32 - Number(bits)) - 2;
    this.next = this.firstAddress + 1;
  }

  /** The first address is the bridge's own. */
  get size(): number {
    return this.lastAddress - this.firstAddress;
  }

  /** "10.244.3.1-10.244.3.254", as the plugin says it. */
  get words(): string {
    return `${toText(this.firstAddress)}-${toText(this.lastAddress)}`;
  }

  get gateway(): string {
    return toText(this.firstAddress);
  }

  get bits(): string {
    return this.subnet.split("/")[1] ?? "24";
  }

  /** The next free one after the last that was given out; `undefined` where none is left. */
  take(containerId: string): string | undefined {
    for (let tried = 0; tried < this.size; tried++) {
      const address = toText(this.next);
      this.next = this.next >= this.lastAddress ? this.firstAddress + 1 : this.next + 1;
      if (this.leases.has(address)) continue;
      this.leases.set(address, containerId);
      this.byContainer.set(containerId, address);
      return address;
    }
    return undefined;
  }

  giveBack(containerId: string): void {
    const address = this.byContainer.get(containerId);
    this.byContainer.delete(containerId);
    if (address !== undefined) this.leases.delete(address);
  }

  addressOf(containerId: string): string | undefined {
    return this.byContainer.get(containerId);
  }
}
