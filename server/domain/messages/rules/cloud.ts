import { RANK, rule } from "../rule";

const aws = { plugin: "aws" } as const;
const azure = { plugin: "azure" } as const;

/** What the plugins of the clouds say. */
export const CLOUD_RULES = [
  rule(
    "daemon-down",
    "The node's agent does not take the call",
    [
      "error dialing dhcp daemon", "failed to contact node", "failed to connect to backend server", "error received from addnetwork", "error received from delnetwork",
      "failed to connect to network policy agent", "network policy agent might not be running", "all subconns are in transientfailure", "error while dialing",
      "failed cni request", "network process is not",
    ],
    { rank: RANK.symptom, confidence: "medium", without: ["wrong client version", "containerd.sock", "crio.sock", "docker.sock", "deadlineexceeded"] },
  ),
  rule(
    "daemon-slow",
    "The node's agent did not answer in time",
    ["deadlineexceeded", "context deadline exceeded"],
    {
      rank: RANK.call,
      confidence: "medium",
      with: [["addnetwork grpc", "delnetwork grpc", "127.0.0.1:50051", "add cmd:", "backend server", "from cns", "to cns", "localhost:10090", "azure cns", "azure-cns"]],
    },
  ),
  rule(
    "ipam-exhausted",
    "The cloud gives the node no more interfaces or addresses",
    ["exceeded quota", "quota exceeded", "quotaexceeded", "exceeds the quota", "limitexceeded", "limit exceeded"],
    { rank: RANK.fact, confidence: "high", with: [["eni ", "eniip", "ip address", "network interface", "private ip"]], without: ["request limit", "requestlimit", "rate limit"] },
  ),
  rule(
    "daemon-slow",
    "The node's agent still works on an earlier call for the same pod",
    ["resource processing", "is still processing", "another operation in progress"],
    { rank: RANK.symptom, confidence: "medium", with: [["grpc", "alloc ip", "cni"]], without: ["iptables"] },
  ),
  rule(
    "daemon-down",
    "ipamd is not serving yet",
    ["waiting for ipamd", "ipamd is not", "ipamd init", "retrying waiting for ipam-d", "ipam-d"],
    { ...aws, rank: RANK.symptom, confidence: "medium" },
  ),
  rule(
    "cni-config-invalid",
    "Custom networking has no ENIConfig for this node",
    ["no eniconfig", "failed to get pod eni config", "eniconfig"],
    { ...aws, rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "control-plane-not-ready",
    "The controller has not given the pod its branch interface yet",
    ["branch eni", "pod-eni", "podeni", "no trunk found", "vpc-resource-controller"],
    { ...aws, rank: RANK.statement, confidence: "medium", without: ["limit", "insufficient"] },
  ),
  rule(
    "apiserver-unreachable",
    "The cloud's own API or the instance's metadata cannot be reached",
    ["169.254.169.254", "ec2metadata", "requesterror: send request failed", "metadata service", "amazonaws.com", "management.azure.com"],
    {
      rank: RANK.symptom,
      confidence: "medium",
      with: [["timeout", "timed out", "deadline", "refused", "no such host", "unable", "failed"]],
      without: ["unauthorizedoperation", "accessdenied", "not authorized", "insufficient"],
    },
  ),
  rule(
    "teardown-failed",
    "The node's agent did not release the pod's address",
    [
      "del cmd: failed", "failed to process delete request", "failed on tear down pod network", "failed to delete with prevresult", "failed to release address",
      "failed to delete endpoint",
    ],
    { rank: RANK.symptom, confidence: "medium" },
  ),
  rule(
    "daemon-slow",
    "The plugin waits for the lock of its own state file",
    ["locking store", "failed to lock", "azure-vnet.json.lock", "failed to acquire lock", "store lock", "timed out locking"],
    { ...azure, rank: RANK.statement, confidence: "medium", without: ["iptables", "xtables"] },
  ),
] as const;
