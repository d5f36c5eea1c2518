import { RANK, rule } from "../rule";

/** Names of daemons and their programs, as pods, containers and processes carry them. */
const DAEMON_NAMES = ["multus", "cilium", "calico", "felix", "flannel", "aws-node", "aws-k8s-agent", "ipamd", "kube-ovn", "ovnkube", "ovn-", "ovs-", "openvswitch", "openshift-sdn", "antrea", "azure-cns", "azure-vnet", "whereabouts", "weave", "canal", "kindnet", "kube-router", "cni-", "-cni", "spiderpool", "sriov"] as const;
const DELEGATES = ["(bridge)", "(macvlan)", "(host-local)", "(portmap)", "(loopback)", "(ipvlan)", "(cilium-cni)", "(calico)", "(ptp)", "(bandwidth)", "(tuning)"] as const;

/** What is said of a daemon's own pod and process: events, states, the kernel's log. */
export const DAEMON_RULES = [
  rule(
    "daemon-oom",
    "The daemon, or a plugin inside its container, was killed for memory",
    [
      "oomkilled", "oom-kill", "oom kill", "out of memory", "oom_kill", "exit code 137", "exitcode: 137", "exitcode=137", "exit 137", "(exit 137)",
      "invoked oom-killer", "code 137", "oom killer", "oomkill", "memory cgroup out of memory",
    ],
    { rank: RANK.fact, confidence: "high", with: [[...DAEMON_NAMES, ...DELEGATES]], without: ["container init was oom-killed"] },
  ),
  rule(
    "daemon-oom",
    "A container went over its memory limit",
    ["memory cgroup out of memory", "oomkilled", "taskoom"],
    { rank: RANK.symptom, confidence: "low", without: ["container init was oom-killed"] },
  ),
  rule(
    "daemon-cpu-throttled",
    "The daemon's CPU limit throttles it",
    [
      "cfs_throttled", "nr_throttled", "throttled_time", "cputhrottlinghigh", "cpu throttling", "throttled in", "throttled_usec", "of cfs periods", "heavily throttled",
      "being throttled",
    ],
    { rank: RANK.statement, confidence: "high", without: ["client-side throttling", "throttling request", "rate exceeded"] },
  ),
  rule(
    "node-cpu-contention",
    "The daemon waits for CPU time that others use",
    [
      "cpu pressure", "cpu starvation", "cpu starved", "starved of cpu", "high load average", "load average", "cpu contention", "near 100% cpu", "100% cpu",
      "cpu shares", "some avg10", "cpu steal", "rcu_sched",
    ],
    { rank: RANK.statement, confidence: "medium" },
  ),

  rule(
    "install-deadlock",
    "Multus' init container, which only copies the shim, fails again and again: most often the file is in use by callers that wait",
    ["init:crashloopbackoff", "init:error", "failed container install-multus"],
    { rank: RANK.fact, confidence: "medium", with: [["multus"]] },
  ),
  rule(
    "daemon-down",
    "The daemon's pod does not stay up",
    [
      "crashloopbackoff", "back-off restarting failed container", "back-off restarting", "restarting failed", "init:error", "init:crashloopbackoff",
      "runcontainererror", "createcontainererror", "createcontainerconfigerror",
    ],
    { rank: RANK.statement, confidence: "medium", with: [DAEMON_NAMES] },
  ),
  rule(
    "daemon-down",
    "The daemon's image cannot be had, so it does not run",
    ["imagepullbackoff", "errimagepull"],
    { rank: RANK.fact, confidence: "medium", with: [DAEMON_NAMES] },
  ),
  rule(
    "daemon-down",
    "The daemon's pod is not ready",
    ["readiness probe failed", "liveness probe failed", "startup probe failed"],
    { rank: RANK.symptom, confidence: "medium", with: [DAEMON_NAMES] },
  ),
  rule(
    "daemon-down",
    "The daemon's pod is not ready on the node",
    ["0/1 ", "0/2 ", "0/3 ", "1/2 ", "1/3 ", "2/3 "],
    {
      rank: RANK.frame,
      confidence: "low",
      with: [DAEMON_NAMES, ["pending", "evicted", "error", "terminating", "containercreating", "init:", "podinitializing", "unknown", "completed"]],
      without: ["nodes are available"],
    },
  ),
  rule(
    "daemon-down",
    "The daemon does not run on the node",
    ["is not running", "no running pod", "not running on this node"],
    { rank: RANK.symptom, confidence: "low", with: [DAEMON_NAMES] },
  ),
  rule(
    "daemon-down",
    "The daemon ended by itself",
    [
      "failed to start the cni server", "failed to ready multus-daemon socket", "failed start the multus thick-plugin listener",
      "failed to create the configuration manager", "cni server serve() failed", "failed to listen on unix socket", "ipamd: failed to start server",
      "failed to prepare the cni-socket", "failed to start server on unix socket", "failed to listen on pod info socket",
    ],
    { rank: RANK.symptom, confidence: "medium", with: [DAEMON_NAMES], without: ["address already in use"] },
  ),
  rule(
    "stale-socket",
    "A socket file is left over and cannot be bound again",
    ["address already in use", "ipamd: failed to remove stale socket"],
    { detail: "host", rank: RANK.fact, confidence: "high", with: [["unix", ".sock", "socket"]], without: ["listen tcp"] },
  ),
  rule(
    "daemon-down",
    "The daemon cannot start: another process has its port",
    ["address already in use"],
    { rank: RANK.statement, confidence: "medium", with: [["listen tcp", "listen udp"], ["level=fatal", '"fatal"', "[fatal]", "creating daemon", "panic", ...DAEMON_NAMES]], without: [".sock"] },
  ),
  rule(
    "daemon-down",
    "A local daemon does not take the call",
    ["connection refused"],
    { rank: RANK.symptom, confidence: "medium", with: [["127.0.0.1", "localhost", ".sock"]], without: [":6443", ":443", ":2379", "/api/v1", "/apis/"] },
  ),
  rule(
    "apiserver-unreachable",
    "What is asked for of the API server is refused",
    ["connection refused", "connection error("],
    {
      rank: RANK.symptom,
      confidence: "medium",
      with: [
        ["pod annotation", "annotations", "apiserver", "api server", "informer", "kubernetes api", "getting pod", "get pod", "clusterinformation", "datastore"],
      ],
      without: ["127.0.0.1:50051", ".sock"],
    },
  ),
  rule(
    "apiserver-unreachable",
    "A server cannot be reached",
    ["i/o timeout", "connection timed out", "no route to host", "network is unreachable", "tls handshake timeout"],
    { rank: RANK.symptom, confidence: "medium", without: ["127.0.0.1:50051", "probe failed"] },
  ),
] as const;
