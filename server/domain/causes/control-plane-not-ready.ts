import type { Evidence } from "../answer";
import { spanWords } from "../words";
import { notSeen, seen } from "./evidence";
import { NODE_JOINS_MS } from "./runtime-network";
import { saidByPods } from "./said-by-pods";
import type { Cause, CauseInput, Finding } from "./types";

export const controlPlaneNotReady: Cause = {
  code: "control-plane-not-ready",
  title: "The network's controller has not done its part",
  severity: "blocks",
  meaning:
    "Some networks have a controller that must act before a pod can start: give it an address, bind its port, write an annotation, or give the node its range or its route. It has not. The node's own daemon is in order and waits for it.",
  impact: "Usually pods of all nodes wait, or of all new nodes. Mending this node does not help.",
  checks: [
    "Texts of waiting pods that nothing was allocated, bound or annotated, once a pod has waited for 30 s.",
    "The node's condition NetworkUnavailable is True for 2 min or more because no route was made (NoRouteCreated).",
    "Beside them: whether the CNI's daemon on this node is ready.",
  ],
  lookAlikes: [
    { code: "daemon-down", tells: "There the daemon of this node is down, and other nodes start pods." },
    { code: "ipam-exhausted", tells: "There the controller answers, and no address is left." },
    { code: "apiserver-unreachable", tells: "There the node cannot ask: time-outs and refused connections." },
    { code: "daemon-slow", tells: "There the daemon itself is late; the controller has done its part." },
  ],
  mitigation: [
    "Look whether other nodes have it too: if so, leave this node alone and go to the controller.",
    "OVN-Kubernetes: ovnkube-control-plane (or ovnkube-master) and the OVN databases; kube-ovn: kube-ovn-controller and ovn-central; cilium: cilium-operator; antrea: antrea-controller; clouds: the cloud controller manager.",
    "See its log and its leader; restarting a leader that hangs is the usual way out, and is harmless for running pods.",
    "A route that is not made: quotas and rights of the cloud account, in the log of the cloud controller manager.",
  ],
  actions: [],
  explains: ["daemon-slow"],
  check: (input) => [...withoutRoute(input), ...saidByPods(input, "control-plane-not-ready", { says: "say that the network's controller has not given them what they need.", beside: daemonEvidence(input) })],
};

function withoutRoute({ node, nowMs, source }: CauseInput): readonly Finding[] {
  const condition = node.conditions.find(({ type }) => type === "NetworkUnavailable");
  if (condition?.status !== "True" || condition.reason !== "NoRouteCreated" || source("api").freshness !== "fresh") return [];
  if (condition.sinceMs === undefined || nowMs - condition.sinceMs < NODE_JOINS_MS) return [];
  return [
    {
      state: "firing",
      certainty: "named",
      detail: "no-route",
      severity: "risks",
      summary: `The cloud has made no route to this node's pods for ${spanWords(condition.sinceMs, nowMs)}.`,
      evidence: [seen("Node condition NetworkUnavailable", "api", { value: `True: ${condition.reason}`, atMs: condition.sinceMs })],
    },
  ];
}

const daemonEvidence = ({ daemons }: CauseInput): readonly Evidence[] => daemons.map(({ daemonSet, ready }) => (ready ? seen(`CNI daemon ${daemonSet} on this node`, "api", { value: "ready" }) : notSeen(`CNI daemon ${daemonSet} on this node, ready`, "api")));
