import { apiUnreachable } from "../model/faults/api-unreachable";
import { attachmentRemoved } from "../model/faults/attachment-removed";
import { binDirNoexec } from "../model/faults/bin-dir-noexec";
import { bridgeTaken } from "../model/faults/bridge-taken";
import { controllerAway } from "../model/faults/controller-away";
import { freshWritesLost } from "../model/faults/fresh-writes-lost";
import { functionsUnbound } from "../model/faults/functions-unbound";
import { linksHeld } from "../model/faults/links-held";
import { moduleMissing } from "../model/faults/module-missing";
import { namesKept } from "../model/faults/names-kept";
import { namespacesSwept } from "../model/faults/namespaces-swept";
import { powerLost } from "../model/faults/power-lost";
import { rollout } from "../model/faults/rollout";
import { rolloutOf } from "../model/faults/rollout-of";
import { runtimeFrozen } from "../model/faults/runtime-frozen";
import { sandboxesLost } from "../model/faults/sandboxes-lost";
import { scaledUp } from "../model/faults/scaled-up";
import { tasksUsedUp } from "../model/faults/tasks-used-up";
import { tokenExpired } from "../model/faults/token-expired";
import { atOnce, both, inTurn, mended, type CauseScenario } from "./types";

const ROLLOUT = rollout(5);
/** A node with addresses for 61 pods. */
const FEW_ADDRESSES = { podCidr: "10.63.0.0/26" } as const;

const CAMERA_NET = JSON.stringify({ cniVersion: "1.0.0", name: "camera-net", type: "macvlan", master: "eth1", mode: "bridge", ipam: { type: "host-local", subnet: "10.251.0.0/24" } });
const FAST_NET = JSON.stringify({ cniVersion: "1.0.0", name: "fast-net", type: "sriov", ipam: { type: "host-local", subnet: "10.252.0.0/24" } });
const TENANT_NET = JSON.stringify({ cniVersion: "1.0.0", name: "tenant-net", type: "ovn-k8s-cni-overlay", topology: "layer2", ipam: { type: "host-local", subnet: "10.253.0.0/24" } });
const PCI_ADDRESS = "0000:3b:02.1";

/** The node itself, its runtime, and what its pods ask for beside the node's own network. */
export const NODE_SCENARIOS = {
  "nad-missing": { cause: "nad-missing", certainty: "named", answer: "yes", what: "the network attachment that pods ask for is deleted", cluster: { attachments: new Map([["data/camera-net", CAMERA_NET]]) }, node: { extraPods: [{ namespace: "data", app: "video-edge", count: 3, of: "ReplicaSet", networks: "camera-net" }] }, steps: atOnce(attachmentRemoved("data/camera-net", CAMERA_NET), rolloutOf("video-edge")), namedWithin: 6, clearWithin: 10 },
  "ipam-exhausted": { cause: "ipam-exhausted", certainty: "named", answer: "no", what: "the workload grows beyond the node's addresses", node: FEW_ADDRESSES, steps: atOnce(scaledUp(2)), namedWithin: 6, clearWithin: 20 },
  "ipam-leak": { cause: "ipam-leak", certainty: "named", answer: "no", what: "the runtime's data is wiped, and the addresses of its sandboxes stay leased", node: FEW_ADDRESSES, steps: atOnce(sandboxesLost), namedWithin: 6, clearWithin: 20 },
  "control-plane-not-ready": { cause: "control-plane-not-ready", certainty: "suspected", answer: "yes", what: "the controller of a network is down", cluster: { attachments: new Map([["data/tenant-net", TENANT_NET]]) }, node: { extraPrograms: ["ovn-k8s-cni-overlay"], extraPods: [{ namespace: "data", app: "tenant-vm", count: 3, of: "ReplicaSet", networks: "tenant-net" }] }, steps: atOnce(controllerAway("tenant-net"), rolloutOf("tenant-vm")), namedWithin: 8, clearWithin: 20 },
  "apiserver-unreachable": { cause: "apiserver-unreachable", certainty: "suspected", answer: "no", what: "the daemon cannot reach the API server", steps: atOnce(apiUnreachable, ROLLOUT), namedWithin: 8, clearWithin: 20 },
  "auth-or-rbac": { cause: "auth-or-rbac", certainty: "suspected", answer: "no", what: "the daemon's token has expired", steps: atOnce(tokenExpired, ROLLOUT), namedWithin: 6, clearWithin: 20 },
  "host-link-conflict": { cause: "host-link-conflict", certainty: "suspected", answer: "no", what: "the node's bridge has an address of another network", steps: atOnce(bridgeTaken, ROLLOUT), namedWithin: 6, clearWithin: 20 },
  "host-permission-or-mount": { cause: "host-permission-or-mount", certainty: "suspected", answer: "no", what: "programs of the bin dir may not be executed", steps: atOnce(binDirNoexec, ROLLOUT), namedWithin: 6, clearWithin: 30 },
  "kernel-or-module": { cause: "kernel-or-module", certainty: "suspected", answer: "no", what: "a kernel module that the bridge needs cannot be loaded", steps: atOnce(moduleMissing("iptable_nat"), ROLLOUT), namedWithin: 6, clearWithin: 20 },
  "device-unavailable": { cause: "device-unavailable", certainty: "suspected", answer: "yes", what: "a network card's functions lose their driver", cluster: { attachments: new Map([["data/fast-net", FAST_NET]]) }, node: { functions: [PCI_ADDRESS], extraPrograms: ["sriov"], extraPods: [{ namespace: "data", app: "packet-mill", count: 1, of: "ReplicaSet", networks: "fast-net", device: PCI_ADDRESS }] }, steps: atOnce(functionsUnbound, rolloutOf("packet-mill")), namedWithin: 8, clearWithin: 10 },
  "netns-gone": { cause: "netns-gone", certainty: "suspected", answer: "no", what: "a clean-up job removes namespaces of sandboxes that are being made", steps: atOnce(namespacesSwept, ROLLOUT), namedWithin: 6, clearWithin: 20 },
  "teardown-failed": { cause: "teardown-failed", certainty: "named", answer: "yes", what: "the kernel does not let devices of pods go", steps: atOnce(linksHeld, ROLLOUT), namedWithin: 20, clearWithin: 30 },
  "sandbox-name-reserved": { cause: "sandbox-name-reserved", certainty: "named", answer: "yes", what: "the runtime keeps the names of sandboxes that failed, after a moment without a token", steps: inTurn(20, both(namesKept, tokenExpired, ROLLOUT), mended(tokenExpired)), namedWithin: 14, clearWithin: 20, alsoSuspected: ["auth-or-rbac"] },
  "cni-cache-broken": { cause: "cni-cache-broken", certainty: "named", answer: "yes", what: "a power cut leaves empty entries in the CNI cache", steps: inTurn(40, freshWritesLost, ROLLOUT, powerLost), namedWithin: 6, clearWithin: 40 },
  "storm-of-nodes": { cause: "storm-of-nodes", certainty: "named", answer: "no", what: "every node of a pool loses its way to the API server within a minute", wholePool: true, steps: atOnce(apiUnreachable, ROLLOUT), namedWithin: 16, clearWithin: 40 },
  "runtime-stuck-or-slow": { cause: "runtime-stuck-or-slow", certainty: "named", answer: "no", what: "the container runtime stands still", steps: atOnce(runtimeFrozen, ROLLOUT), namedWithin: 6, clearWithin: 20 },
  "node-resource-exhausted": { cause: "node-resource-exhausted", certainty: "named", answer: "no", what: "every process number of the node is taken", steps: atOnce(tasksUsedUp, ROLLOUT), namedWithin: 6, clearWithin: 30 },
} as const satisfies Readonly<Record<string, CauseScenario>>;
