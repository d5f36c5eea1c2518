import { RANK, rule } from "../rule";

const symptom = { rank: RANK.symptom } as const;

/** What the kubelet says of the node, and of the pods of a daemon. */
export const KUBELET_RULES = [
  rule(
    "cni-config-missing",
    "The runtime has no usable CNI config",
    [
      "cni plugin not initialized", "cni config uninitialized", "cni config not initialized", "plugin status uninitialized", "cni config load failed",
      "cni network not found", "missing cni default network",
    ],
    { rank: RANK.symptom, confidence: "high" },
  ),
  rule(
    "cni-config-missing",
    "The node is not ready because the runtime has no network",
    [
      "networkpluginnotready", "networkready=false", "network plugin is not ready", "network is not ready", "networknotready", "container runtime network not ready",
    ],
    { rank: RANK.frame },
  ),
  rule(
    "cni-config-missing",
    "There is no config in the folder that is read",
    [
      "no networks found in", "no network config found", "no net configuration", "no cni configuration file", "unable to update cni config",
      "no cni config", "has no networks, skipping", "conf dir is removed",
    ],
    // "No valid networks found" is another thing: there are files, and none of them can be used; why, this sentence does not say.
    { confidence: "high", without: ["error loading cni config", "error parsing configuration", "no valid networks found"] },
  ),

  rule(
    "runtime-stuck-or-slow",
    "The kubelet's look at the runtime (PLEG) takes too long",
    ["pleg is not healthy", "pleg was last seen", "pleg has yet to be successful"],
    { confidence: "high" },
  ),
  rule(
    "runtime-stuck-or-slow",
    "The container runtime does not answer the kubelet",
    [
      "container runtime is down", "containerruntimeunhealthy", "container runtime status check may not have completed", "container runtime sanity check failed",
      "runtime is not running", "runtime service failed: rpc error: code = unavailable", "grpc: the client connection is closing", "connection error: desc",
      "container runtime did not", "containergcfailed", "cannot connect to the docker daemon", "is the docker daemon running",
    ],
    { ...symptom, confidence: "medium", without: ["127.0.0.1", "subconns", "localhost"] },
  ),
  rule(
    "runtime-stuck-or-slow",
    "A process of the node hangs in the kernel, usually on its disk",
    ["blocked for more than", "hung_task", "task_uninterruptible", "i/o error, dev", "soft lockup", "buffer i/o error", "jbd2/"],
    { confidence: "high", rank: RANK.fact },
  ),
  rule(
    "runtime-stuck-or-slow",
    "The runtime answered after its deadline",
    ["context deadline exceeded", "operation timeout", "deadlineexceeded", "timed out"],
    {
      ...symptom,
      with: [
        ["listpodsandbox", "podsandboxstatus", "listcontainers", "containerstatus", "kubegenericruntimemanager", "docker", "failed to list", "genericpleg", "pod status", "status from runtime service", "failed to get pod status", "relist", "version from runtime"],
      ],
      without: ["http", "api/v1"],
    },
  ),

  rule(
    "stale-socket",
    "A consumer cannot reach the socket that it mounted",
    ["curl: (7)", "curl: (56)", "curl: (52)"],
    { ...symptom, detail: "consumer", confidence: "medium", without: ["http://1", "https://1", "port "] },
  ),
  rule(
    "stale-socket",
    "What a consumer mounted is not the daemon's socket any more",
    ["mounts a new multus socket", "stale socket", "multus.sock//deleted", "socket is stale", "old inode", "use the multus server api"],
    { detail: "consumer", confidence: "high" },
  ),
  rule(
    "stale-socket",
    "A controller, not the runtime, called the socket",
    [
      "error adding attachments", "failed to add delegate", "failed to remove delegate", "unexpected cni response status", "error removing attachments",
      "dynamic-networks-controller",
    ],
    { detail: "consumer", rank: RANK.pair, with: [["connection refused", "no such file or directory"], ["dial unix", ".sock"]] },
  ),
  rule(
    "daemon-down",
    "A pod waits for the daemon's socket, which is not there",
    ["is not a socket file", "hostpath type check failed"],
    { with: [[".sock"]], confidence: "medium" },
  ),

  rule(
    "not-cni",
    "A volume is not ready; the sandbox comes later",
    [
      "failedmount", "mountvolume.setup failed", "mountvolume.mountdevice failed", "mountvolume.waitforattach failed", "attachvolume.attach failed", "mapvolume.", "failedmapvolume", "unable to attach or mount volumes", "failedattachvolume", "multi-attach error",
      "timed out waiting for the condition: volume", "unmounted volumes=",
    ],
    { confidence: "high", without: [".sock"] },
  ),
  rule(
    "not-cni",
    "The pod has no node yet",
    ["nodes are available", "failedscheduling", "didn't match pod's node affinity", "had untolerated taint", "preemption:"],
    { confidence: "high", without: ["multus", "cilium", "calico", "aws-node", "kube-ovn", "openshift.io/", "intel.com/", "nvidia.com/"] },
  ),
  rule(
    "not-cni",
    "A probe of the application failed",
    ["probe failed: http probe failed with statuscode", "readiness probe errored", "startup probe failed"],
    { confidence: "low", rank: RANK.frame },
  ),
] as const;
