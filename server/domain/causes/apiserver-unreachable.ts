import { spanWords } from "../words";
import { seen } from "./evidence";
import { lastingTexts, nothingSaid, suspectedOf } from "./said-by-pods";
import type { Cause, CauseInput, Finding } from "./types";

export const apiserverUnreachable: Cause = {
  code: "apiserver-unreachable",
  title: "The node cannot reach the API server",
  severity: "blocks",
  meaning:
    "Plugins and daemons of the network ask the API server or their datastore for the pod, its attachments or its address. They get no answer: the Service address is not routed on this node (kube-proxy or its replacement is not up, often after a reboot), a name is not resolved, the network between is broken, or the API server is too slow for a short time-out.",
  impact: "Pods wait although the daemon runs. Where the kubelet cannot reach it either, the node turns Unknown and its pods are moved away after five minutes.",
  checks: [
    "Texts of waiting pods with time-outs, refused connections or unknown hosts towards the API server or etcd, once a pod has waited for 30 s.",
    "The node's Ready condition is Unknown while its kubelet answers Sandglass.",
  ],
  lookAlikes: [
    { code: "auth-or-rbac", tells: "There the API server answers and refuses: Unauthorized, forbidden, x509." },
    { code: "control-plane-not-ready", tells: "There it answers, and a controller has not done its part." },
    { code: "daemon-down", tells: "There the call that fails goes to the daemon's socket on the node, not to an address." },
    { code: "daemon-slow", tells: "There the daemon is late, not the API server." },
  ],
  mitigation: [
    "From the node: `curl -k https://SERVICE_IP:443/readyz` (the kubernetes Service, often 10.96.0.1) and the same to the API server's own address. If only the first fails, it is kube-proxy or the CNI's replacement of it.",
    "`kubectl -n kube-system get pods -o wide --field-selector spec.nodeName=NODE`: is kube-proxy (or cilium with kube-proxy replacement) running there?",
    "A CNI daemon that started before the Service was routed may never try again: delete its pod on this node once the address answers.",
    "Give the CNI the API server's real address instead of the Service's, where it has such a setting; it then no longer depends on itself.",
    "Many nodes at once: it is the API server, its load balancer or etcd.",
  ],
  actions: ["restart-daemon-pod"],
  explains: ["control-plane-not-ready", "daemon-slow"],
  check: (input) => {
    const silent = withoutHeartbeat(input);
    const groups = lastingTexts(input, "apiserver-unreachable");
    if (groups.length > 0) return [suspectedOf(input, groups, { says: "say that the API server or datastore does not answer.", beside: silent?.evidence ?? [] })];
    return [silent ?? nothingSaid(input, "apiserver-unreachable")];
  },
};

/**
 * The kubelet lives and its reports do not arrive. It may also be refused (an expired certificate) or hang, so this is suspected and no more.
 */
function withoutHeartbeat({ node, nowMs, kind, kubeletPages, source }: CauseInput): Finding | undefined {
  const ready = node.conditions.find(({ type }) => type === "Ready");
  const kubelet = source("kubelet");
  const readMs = Math.max(kubeletPages.metrics?.lastMs ?? 0, kubeletPages.cadvisor?.lastMs ?? 0);
  if (ready?.status !== "Unknown" || ready.sinceMs === undefined || !kind("nodes").seen || kubelet.freshness !== "fresh" || readMs < ready.sinceMs) return undefined;
  return {
    state: "firing",
    certainty: "suspected",
    detail: "kubelet",
    summary: `The kubelet answers Sandglass, and the API server has not heard of it for ${spanWords(ready.sinceMs, nowMs)}: it cannot reach it, is refused, or hangs.`,
    evidence: [seen("Node condition Ready", "api", { value: "Unknown", atMs: ready.sinceMs }), seen("A page of the kubelet, read since", "kubelet", { atMs: readMs })],
  };
}
