import { isIPv4, isIPv6 } from "node:net";

/** An address as a number; undefined where the text is none. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { bits: 32, value: fromParts(text.split(".").map(Number), 8n) };
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const [head = "", tail] = text.split("::");
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const gap = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return { bits: 128, value: fromParts([...before, ...gap, ...after], 16n) };
}

/** Groups of an IPv6 address; the last two may be written as an IPv4 address. */
function groups(text: string): number[] {
  return text === "" ? [] : text.split(":").flatMap((group) => (group.includes(".") ? pairs(group.split(".").map(Number)) : [Number.parseInt(group, 16)]));
}

const pairs = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): number[] => [a * 256 + b, c * 256 + d];
const fromParts = (parts: readonly number[], width: bigint): bigint => parts.reduce((value, part) => (value << width) | BigInt(part), 0n);

export interface Subnet {
  readonly bits: 32 | 128;
  /** The network's own address, and the last one. */
  readonly first: bigint;
  readonly last: bigint;
}

export function parseSubnet(text: string): Subnet | undefined {
  const slash = text.indexOf("/");
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash));
  const prefix = text.slice(slash + 1);
  if (address === undefined || !/^\d{1,3}$/.test(prefix) || Number(prefix) > address.bits) return undefined;
  const size = 1n << BigInt(address.bits - Number(prefix));
  const first = (address.value / size) * size;
  return { bits: address.bits, first, last: first + size - 1n };
}
