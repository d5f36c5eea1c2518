import { RANK, rule } from "../rule";

const cilium = { plugin: "cilium" } as const;

/** What cilium's plugin and agent say. */
export const CILIUM_RULES = [
  rule(
    "daemon-slow",
    "The agent refuses calls because too many wait: its API's rate limit",
    [
      "][429]", "toomanyrequests", "too many requests", "rate limited", "rate-limited", "request limit exceeded", "requestlimitexceeded", "throttling: rate exceeded",
      "rate exceeded", "unable to acquire semaphore", "would exceed context deadline", "429 too many", "(status 429)", "status 429", "status code 429", "code: 429",
      "http 429", "not processing api request", "maximum parallel requests", "parallelrequests", "subsys=rate", "api rate limit",
    ],
    {
      detail: "delegate-rate-limited",
      rank: RANK.fact,
      confidence: "high",
      without: ["please try again", "apiserver", "docker.io", "toomanyrequests: you have reached", "pull"],
    },
  ),
  rule(
    "daemon-slow",
    "The agent did not answer before the plugin's deadline",
    [
      "cilium api client timeout", "client timeout exceeded", "endpoint build", "did not synchronously regenerate",
      "timeout while waiting for initial endpoint generation", "endpoint generation", "endpoint regeneration", "regenerating endpoint", "initial regeneration",
      "waiting for regeneration", "regenerate after", "endpoint build queue", "timed out waiting for endpoint",
    ],
    { ...cilium, rank: RANK.statement, confidence: "high", without: ["out of memory", "bpf verifier", "429"] },
  ),
  rule(
    "daemon-slow",
    "The agent failed to make the endpoint",
    ["unable to create endpoint", "putendpointid"],
    { ...cilium, rank: RANK.symptom, confidence: "low", with: [["timeout", "timed out", "deadline", "canceled"]] },
  ),
  rule(
    "daemon-down",
    "The agent cannot be reached",
    [
      "unable to connect to cilium daemon", "unable to connect to cilium agent", "failed to create cilium agent client", "is the agent running",
      "cilium agent is not running", "unable to connect to agent", "cilium health daemon unreachable", "connect to cilium",
    ],
    { ...cilium, rank: RANK.symptom, confidence: "medium" },
  ),
  rule(
    "control-plane-not-ready",
    "The agent waits for an identity of the pod",
    [
      "unable to resolve identity", "unable to allocate identity", "identity allocation", "waiting for identity", "exponential backoff cancelled",
    ],
    { ...cilium, rank: RANK.statement, confidence: "medium", without: ["connection refused"] },
  ),
  rule(
    "host-link-conflict",
    "An interface or an endpoint of that name is there already",
    [
      "putendpointidinvalid", "putendpointidexists", "endpoint already exists", "][409]", "unable to create veth pair: file exists", "endpointidexists",
    ],
    { ...cilium, rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "kernel-or-module",
    "The agent's datapath does not load in this kernel",
    [
      "failed to load bpf", "error loading bpf", "unable to setup bpf", "bpf compilation", "clang: ", "clang failed", "failed while reinitializing datapath",
      "datapath load failed", "attaching program", "loading eBPF".toLowerCase(),
    ],
    { ...cilium, rank: RANK.statement, confidence: "medium" },
  ),
] as const;
