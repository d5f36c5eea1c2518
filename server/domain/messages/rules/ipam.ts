import { RANK, rule } from "../rule";

const statement = { rank: RANK.statement, confidence: "high" } as const;

/** What allocators of addresses say: host-local, whereabouts, calico's, cilium's, those of the clouds. */
export const IPAM_RULES = [
  rule(
    "control-plane-not-ready",
    "The controller has not given the pod an address yet",
    ["request ip return", "no address allocated to pod", "see kube-ovn-controller logs", "not bind to any subnet"],
    {
      ...statement,
      rank: RANK.fact,
      with: [["no available ip", "no address allocated", "not found", "not bind", "is not ready", "see kube-ovn-controller"]],
      plugin: "kube-ovn",
    },
  ),

  rule(
    "ipam-exhausted",
    "No address is free in the range",
    [
      "no ip addresses available", "no available ip", "no ip address available", "range is full", "no more ips", "no more ip", "no free ip", "no available addresses",
      "no addresses available", "no available address", "no free addresses", "no more free", "not enough ips", "not enough ip", "insufficient ip", "ip pool exhausted",
      "pool exhausted", "pool is exhausted", "out of ip", "could not allocate ip in range", "no ips available", "no ipv4 addresses", "all ips in", "noavailableip", "noavailableaddress",
      "ipam is full", "subnet is full", "pool is full", "no unallocated", "unable to allocate ip", "failed to allocate ip", "no ip available",
      "not enough available ip", "addresses are exhausted", "assigned 0 out of", "not enough desired ips", "not all requested ips", "ip not available",
      "no ip addresses in result", "could not allocate ip", "no free address", "ipam allocated only", "used out", "ipnotenough",
    ],
    {
      ...statement,
      without: [
        "no ipam pool", "pool not yet", "not ready", "resource_exhausted", "resourceexhausted", "rate limit", "retries exhausted", "connection refused", "no such file",
        "too many requests", "already in use", "already allocated", "deadline exceeded", "duplicate", "unauthorized", "forbidden",
      ],
    },
  ),
  rule(
    "ipam-exhausted",
    "Addresses have run out",
    ["exhausted", "ran out of", "depleted"],
    {
      rank: RANK.statement,
      confidence: "medium",
      with: [["ip ", "ips ", "address", "range", "ip pool", "ippool", "subnet", "cidr", "ip_space"]],
      without: ["resource_exhausted", "resourceexhausted", "retries exhausted", "rate limit", "memory", "file descriptor"],
    },
  ),
  rule(
    "ipam-exhausted",
    "The cloud has no free address in the subnet or on the node's interfaces",
    [
      "insufficientcidr", "insufficientfreeaddresses", "subnet doesn't seem to have enough", "failed to assign an ip address to container",
      "datastore has no available", "assignpodipaddress", "privateipaddresslimitexceeded", "networkinterfacelimitexceeded", "failed to increase pool size",
      "unable to attach ips", "subnetisfull", "no secondary ip", "attachmentlimitexceeded", "failed to allocate one ip", "failed to attach any enis", "eni limit",
      "ip pool is too low: available (0)", "per host block limit",
    ],
    statement,
  ),

  rule(
    "ipam-leak",
    "The address is held by another sandbox",
    [
      "has been allocated to", "is already assigned", "already allocated", "is already in use", "ip address is in use", "address already assigned",
      "ip is already assigned", "already been assigned", "already reserved", "address is already allocated", "ipalreadyallocated", "has already been used",
      "provided ip is already",
    ],
    {
      ...statement,
      rank: RANK.fact,
      with: [["ip", "address", "range", "static"]],
      without: [
        "container name", "is reserved for", "reserved for ctr", "requested interface name", "pci address", "bind:", "listen tcp", "port is already allocated", "podcidr", "cidr",
      ],
    },
  ),
  rule("ipam-leak", "The allocator's record of the address is there already", ["resource already exists"], { ...statement, rank: RANK.fact, with: [["from ipam", "assign address", "ipamblock", "ipamhandle"]], without: ["workloadendpoint"] }),
  rule("ipam-leak", "The allocator has given the address to another sandbox", ["duplicate allocation is not allowed"], { ...statement, rank: RANK.fact }),
  rule(
    "ipam-leak",
    "The address that is asked for is taken",
    ["requested ip address", "requested address", "requested ip"],
    { ...statement, rank: RANK.fact, with: [["not available", "in use", "taken", "already"]] },
  ),
  rule(
    "ipam-leak",
    "The allocator's records and the sandboxes differ",
    [
      "failed to re-allocate", "current ip allocation is lost",
      "desired ip is", "did not find reserved ip", "error deallocating ip", "failed to find address added by", "failed to release ip", "failed to release address",
      "leaked ip", "orphaned ip", "stale ip", "stale reservation", "ip leak", "leaked address", "dangling",
    ],
    { ...statement, confidence: "medium" },
  ),

  rule(
    "cni-config-invalid",
    "The range or the subnet of the allocator is wrong",
    [
      "rangestart", "rangeend", "too small to allocate from", "host bits set", "ip and mask version mismatch", "invalid cidr", "failed to parse cidr", "invalid range",
      "no ip ranges", "could not parse gateway", "couldn't parse gateway", "parse gateway", "not in network", "overlaps with", "is subnet's gateway", "ipam config",
      "ipam configuration load failed", "configured the storage engine", "exclude range", "invalid subnet", "not v4 nor v6", "invalid gateway",
      "more than 1 address per family", "flat configuration file", "not compatible with configured ipam", "requested feature is not enabled",
      "cannot have more than one ipv", "invalid ip format", "ipam routes section", "ipv4 and ipv6 are both", "only in prefix delegation", "invalid network policy mode",
      "no ipam section", "ipam plugin returned missing ip", "missing ip config", "no podcidr range", "loadipamconfig", "loadargs", "no configured calico pools",
      "no configured pools", "does not exist in pool", "invalid address", "ipv4pools", "not a valid ip", "qualified ippool", "failed to allocate all requested ips",
    ],
    { rank: RANK.statement, confidence: "medium", without: ["no ip addresses available", "unable to connect"] },
  ),
  rule(
    "control-plane-not-ready",
    "The controller has not given this node a range of addresses yet",
    [
      "pod cidr not assigned", "podcidr not assigned", "podcidr is empty", "no podcidr", "podcidr is not set", "lack of podcidr", "does not have netconfig", "no pod cidr",
      "pod cidr is not", "pool not yet available", "pool not (yet) available", "crd-backed allocation pool", "no ipam pool provided", "ipam pool not",
      "no allocated node slice", "node slice", "nodeslicepool", "required ipv4 podcidr not available", "podcidr not available", "cidr not available",
      "waiting for podcidr", "no ncs found", "waiting for ciliumnode", "ciliumnode not found", "ciliumnode resource", "no subnet found", "no subnets found",
    ],
    {
      ...statement,
      rank: RANK.fact,
      confidence: "medium",
      without: ["no more free", "exhausted", "forbidden", "unauthorized", "is full", "connection refused", "i/o timeout", "context deadline"],
    },
  ),
  rule(
    "daemon-slow",
    "The allocator waits for its lock or its turn",
    ["waiting to become leader", "time limit exceeded while", "failed to grab ipam lock", "ipam lock", "leader elector"],
    { rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "apiserver-unreachable",
    "The allocator's pools are kept in the API server, which did not answer in time",
    ["ip pool", "ippool", "overlappingrange", "reconcile looper", "ip pools"],
    { rank: RANK.call, confidence: "medium", with: [["context deadline exceeded", "i/o timeout", "client rate limiter wait", "timed out"]], without: [".sock", "127.0.0.1", "localhost"] },
  ),
  rule(
    "apiserver-unreachable",
    "The allocator cannot reach its datastore",
    [
      "ipam connectivity error", "ipam client initialization error", "error at storage engine", "failed to load api client", "data store connection failed",
      "datastore connection",
    ],
    { rank: RANK.symptom, confidence: "medium", without: ["range", "unauthorized", "forbidden"] },
  ),
] as const;
