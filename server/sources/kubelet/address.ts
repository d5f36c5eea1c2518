import { isIP } from "node:net";
import type { NodeObject } from "../../domain/model";

/** What the source needs to know of a node; a `NodeObject` is one. */
export type NodeTarget = Pick<NodeObject, "name" | "addresses" | "kubeletPort">;

/** The kubelet's own port where the node does not tell another. */
export const DEFAULT_KUBELET_PORT = 10_250;

const REACHED_BY = ["InternalIP", "Hostname"];
const OWN_NAMES = ["InternalIP", "Hostname", "InternalDNS"];

/**
 * Where a node's kubelet is asked: its InternalIP, else its Hostname, at the port it told; or what `--kubelet-address`
 * says for it. `undefined`: the node tells no address.
 */
export function kubeletOrigin(node: NodeTarget, overrides: ReadonlyMap<string, string>): string | undefined {
  const override = overrides.get(node.name);
  if (override !== undefined) return override;
  for (const type of REACHED_BY) {
    const address = node.addresses.find((candidate) => candidate.type === type && candidate.address !== "")?.address;
    if (address !== undefined) return `https://${isIP(address) === 6 ? `[${address}]` : address}:${node.kubeletPort ?? DEFAULT_KUBELET_PORT}`;
  }
  return undefined;
}

/** The names of which the kubelet's certificate must carry one: the node's own, whatever address it is reached by. */
export function certificateNames(node: NodeTarget): readonly string[] {
  const addresses = node.addresses.filter(({ type, address }) => OWN_NAMES.includes(type) && address !== "").map(({ address }) => address);
  return [...new Set([node.name, ...addresses])];
}
