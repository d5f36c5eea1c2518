import { RANK, rule } from "../rule";

const kubeOvn = { plugin: "kube-ovn" } as const;
const ovnK = { plugin: "ovn-k" } as const;
const antrea = { plugin: "antrea" } as const;

/** Sockets of OVN's databases that serve the whole cluster; "db.sock" alone is the node's own. */
const CENTRAL_DATABASES = ["ovnnb_db", "ovnsb_db"];

/** What kube-ovn, ovn-kubernetes, antrea and Open vSwitch say. */
export const OVN_RULES = [
  rule(
    "control-plane-not-ready",
    "The controller has not annotated the pod yet",
    [
      "failed to get pod annotation", "waiting for annotations", "waiting for pod annotation", "timed out waiting for pod annotation", "ovn annotations",
      "could not find ovn pod annotation", "timed out waiting for annotation", "ips not allocated", "failed to get pod for annotations",
      'has no "k8s.ovn.org/', "no annotation found on node",
    ],
    { ...ovnK, rank: RANK.statement, confidence: "high", without: ["forbidden", "unauthorized", "connection refused", "i/o timeout"] },
  ),
  rule(
    "control-plane-not-ready",
    "OVN has not bound the port, or its flows are not installed yet",
    [
      "ovs port binding", "ovn-installed", "ovn port binding", "waiting for ovs port", "openflow port is not ready", "waiting for ofport", "failed to get ofport", "flows are not ready",
      "timed out waiting for ovs", "waiting for pod flows",
    ],
    { ...ovnK, rank: RANK.statement, confidence: "high" },
  ),
  rule(
    "control-plane-not-ready",
    "OVN has not set the pod's port to work",
    ["ovs interface "],
    { ...kubeOvn, rank: RANK.statement, confidence: "medium", with: [["is not ready after", "not ready after"]] },
  ),
  rule(
    "control-plane-not-ready",
    "The network's controller has not done its part yet",
    [
      "route is not ready", "no active network found", "failed to get primary udn", "failed to add primary udn", "failed to find nad key", "dpu plumb failed",
      "failed to get mtpnc", "mtpnc for previous pod", "failed to get primary nad", "network controller", "mtpnc is not ready", "is not ready on node",
      "subnet is not ready", "waiting for subnet", "no mtpnc found", "logical switch", "logical port", "subnet not found", "failed to get subnet",
      "allocation is not completed", "network is not ready yet", "failed to find netid for namespace", "spidercoordinator: ",
    ],
    {
      rank: RANK.statement,
      confidence: "medium",
      without: ["forbidden", "unauthorized", "connection refused", "no such file", "container runtime network", "runtime network not ready"],
    },
  ),
  rule(
    "control-plane-not-ready",
    "The cloud's controller has not made the node's route",
    ["noroutecreated", "routecontroller failed", "could not create route", "failed to create a route"],
    { rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "control-plane-not-ready",
    "The pod's gateway did not answer in time",
    [
      "ping to gateway", "ping gateway", "network not ready after", "gateway check", "with gateway", "is not ready for interface", "no reply from gateway", "arping",
    ],
    { ...kubeOvn, rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "control-plane-not-ready",
    "The agent is not set up yet",
    [
      "still waiting for", "agent is not ready", "not yet initialized", "has not been initialized", "waiting for node network", "is not initialized",
      "cniserver is not ready",
    ],
    { ...antrea, rank: RANK.symptom, confidence: "low", without: ["readinessindicatorfile", "container runtime", "plugin not initialized"] },
  ),
  rule("daemon-slow", "The daemon works on one round for seconds", ["unreasonably long"], { rank: RANK.symptom, confidence: "medium", with: [["poll interval"]] }),
  rule(
    "daemon-down",
    "Open vSwitch does not answer on the node",
    [
      "failed to get open_vswitch row", "failed to get bridge br-int", "ovs exec runner", "failed to connect to ovs", "database connection failed", "ovsdb-server",
      "db.sock", "failed to connect to ovsdb", "could not connect to ovs", "failed to connect to ovs", "ovs-vswitchd", "unix:/var/run/openvswitch",
      "cannot open br-int", "failed to connect to bridge",
    ],
    { rank: RANK.call, confidence: "medium", with: [["no such file", "connection refused", "not running", "failed", "terminated"]], without: ["poll interval", ...CENTRAL_DATABASES] },
  ),
  rule(
    "control-plane-not-ready",
    "OVN's central databases, by which its controller works, do not answer",
    CENTRAL_DATABASES,
    { rank: RANK.call, confidence: "medium", with: [["no such file", "connection refused", "failed", "terminated"]] },
  ),
  rule(
    "daemon-slow",
    "A call of ovs-vsctl or ovs-ofctl was ended before it was done",
    ["alarm clock"],
    { rank: RANK.statement, confidence: "medium", with: [["ovs-vsctl", "ovs-ofctl", "ovn-nbctl"]] },
  ),
  rule(
    "cni-config-invalid",
    "A key that the plugin needs is missing from its config",
    ["server_socket is required", "is required in cni.conf", "is required in cni_args"],
    { ...kubeOvn, rank: RANK.statement, confidence: "high" },
  ),
  rule(
    "cni-config-conflict",
    "The plugin is chained behind another, and not made for it",
    ["does not support key prevresult", "does not support prevresult"],
    { rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "cni-config-invalid",
    "A plugin stands at a place of its config's chain for which it is not made",
    [
      "must be called as chained", "called as chained plugin", "required prevresult missing", "must be called as the first", "must not be chained", "cannot be chained",
    ],
    { rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "cni-config-invalid",
    "The network names a bridge or mapping that the node does not have",
    ["bridge-mapping", "bridge mapping", "failed to find bridge", "no bridge named"],
    { rank: RANK.statement, confidence: "medium" },
  ),
] as const;
