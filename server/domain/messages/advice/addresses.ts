import { command, onNode } from "./commands";
import type { AdviceInput, Adviser } from "./types";

const ADDRESSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "host-local": onNode("ls /var/lib/cni/networks/NETWORK | wc -l", "one file an address; its first line is the sandbox that holds it"),
    flannel: onNode("ls /var/lib/cni/networks/cbr0 | wc -l", "one file an address; its first line is the sandbox that holds it"),
    whereabouts: command("kubectl get ippools.whereabouts.cni.cncf.io -A -o yaml", "allocations; podref of pods that are gone"),
    calico: command("calicoctl ipam show --show-blocks; calicoctl ipam check", "addresses without a pod"),
    cilium: command("kubectl get ciliumnode NODE -o yaml", "spec.ipam, status.ipam.used"),
    aws: `${onNode("curl -s http://localhost:61679/v1/enis", "assigned against total")}; free addresses of the subnet in EC2`,
    azure: `${command("kubectl get nodenetworkconfigs -A -o yaml", "requested and allocated addresses")}; free addresses of the subnet`,
    "kube-ovn": command("kubectl get subnets.kubeovn.io; kubectl get ips.kubeovn.io", "available addresses; who holds the others"),
  }),
);

const look = (input: AdviceInput): readonly string[] => [
  ADDRESSES.get(input.plugin) ?? "Addresses in use against the size of the range",
  command("kubectl get pods -A --field-selector spec.nodeName=NODE | wc -l", "about as many as addresses: really full; far fewer: a leak"),
];

export const exhausted: Adviser = (input) => ({
  lookAt: look(input),
  fix: [
    "With as many pods as addresses: a larger range or subnet, fewer pods a node, or another pool.",
    "With far fewer pods than addresses: dead sandboxes hold them (ipam-leak). Remove those sandboxes, then the entries that are left, never one of a live pod.",
    ...(input.plugin === "aws" ? ["With prefix delegation the subnet needs whole free /28 blocks: reserve them (subnet CIDR reservation) or take a new subnet."] : []),
  ],
});

export const leak: Adviser = (input) => ({
  lookAt: [...look(input), onNode("crictl pods --state NotReady", "dead sandboxes that hold addresses")],
  fix: [
    "Remove the dead sandboxes that hold the addresses (`crictl stopp`, then `crictl rmp`): each DEL gives its address back.",
    "What is left after that belongs to no sandbox: take those entries out of the allocator's records one by one, after comparing each with the live pods.",
    ...(input.plugin === "whereabouts" ? ["whereabouts' ip-reconciler does this for its pools."] : []),
  ],
});
