import { RANK, rule } from "../rule";

const calico = { plugin: "calico" } as const;
const flannel = { plugin: "flannel" } as const;

/** What calico, flannel and weave say. */
export const CALICO_RULES = [
  rule(
    "daemon-down",
    "calico-node is not running, or not yet ready, on this node",
    [
      "check that the calico/node container is running", "/var/lib/calico/nodename", "calico/node is not ready", "calico-node is not ready", "bird is not ready",
      "felix is not ready", "felix is not live", "node-specific config", "stat /var/lib/calico",
    ],
    { ...calico, rank: RANK.fact, confidence: "high" },
  ),
  rule(
    "control-plane-not-ready",
    "Calico's datastore is marked as not ready (a migration or an upgrade)",
    ["currently not ready to process requests", "datastore is not ready", "clusterinformation is not ready"],
    { ...calico, rank: RANK.fact, confidence: "high" },
  ),
  rule(
    "daemon-slow",
    "Felix did not program the endpoint in time",
    ["endpoint status file", "timed out waiting for endpoint", "endpoint is not ready", "endpoint may not be ready"],
    { ...calico, rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "host-link-conflict",
    "Something else on the host rewrites what calico set on the link",
    ["to accept mac", "wrong link-local ip", "gave up waiting for host-side link local"],
    { ...calico, rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "teardown-failed",
    "Calico's record of the endpoint is gone or changed when the sandbox is ended",
    ["workloadendpoint", "error deleting endpoint", "endpoint was modified before"],
    { ...calico, rank: RANK.statement, confidence: "medium", op: "del", without: ["unauthorized", "forbidden", "i/o timeout", "connection refused", "x509"] },
  ),
  rule(
    "teardown-failed",
    "Another sandbox of the pod has the endpoint by now",
    ["update conflict", "resource already exists", "resource does not exist"],
    { ...calico, rank: RANK.symptom, confidence: "low", with: [["workloadendpoint"]] },
  ),
  rule(
    "daemon-down",
    "flanneld has not written the node's range: it is not running here, or not yet ready",
    ["subnet.env"],
    { ...flannel, rank: RANK.fact, confidence: "high" },
  ),
  rule(
    "daemon-down",
    "The weave daemon does not answer on the node",
    ["127.0.0.1:6784", "unable to allocate ip address: post \"http://127.0.0.1", "bridge \"weave\" has no ip addresses"],
    { plugin: "weave", rank: RANK.fact, confidence: "high" },
  ),
] as const;
