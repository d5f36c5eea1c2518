import { RANK, rule } from "../rule";

const fact = { rank: RANK.fact, confidence: "high" } as const;

/** What the operating system says, whoever repeats it. */
export const SYSTEM_RULES = [
  rule("install-deadlock", "A program cannot be overwritten because it runs: callers that wait hold the file", ["text file busy", "etxtbsy"], fact),

  rule(
    "plugin-binary-missing",
    "The program of a plugin is not in the folders that are searched",
    [
      "failed to find plugin", "could not find plugin", "cannot find plugin", "cannot find ipam plugin", "failed to find ipam plugin", "unable to find plugin",
    ],
    fact,
  ),
  rule(
    "plugin-binary-missing",
    "The program of a plugin is missing",
    [
      "not present in plugin directory", "plugin binary", "plugin binaries", "cni binary", "cni binaries", "corresponding binary", "binary not found", "missing binary",
    ],
    { confidence: "medium", with: [["not present", "not found", "missing", "does not exist", "no such file"]] },
  ),
  rule("plugin-binary-missing", "The program was built for another architecture, or is empty", ["exec format error", "cannot execute binary file"], fact),
  rule(
    "plugin-binary-missing",
    "A program that the plugin needs is not installed",
    ["executable file not found", "command not found", "not found in $path", "unable to locate executable"],
    {
      rank: RANK.fact,
      without: [
        "failed to create shim task", "failed to create containerd task", "oci runtime", "runc create", "failed to start container", "unable to start container",
        "failed to create containerd container", "apparmor_parser",
      ],
    },
  ),

  rule(
    "node-resource-exhausted",
    "The node cannot make another process or thread",
    [
      "pthread_create failed", "cannot fork", "newosproc", "failed to create new os thread", "fork: retry",
      "unable to create thread", "insufficient pid", "pids limit", "pids.max", "too many processes",
    ],
    fact,
  ),
  rule(
    "node-resource-exhausted",
    "The node cannot make another process or thread",
    ["resource temporarily unavailable"],
    { ...fact, with: [["fork", "exec", "thread", "clone", "process", "runc", "shim", "iptables"]], without: ["acquiring lease", "dhcp daemon"] },
  ),
  rule(
    "node-resource-exhausted",
    "A disk or a table of the kernel is full",
    ["no space left on device", "enospc", "disk quota exceeded", "no inodes", "out of inodes", "free data blocks", "freediskspacefailed"],
    fact,
  ),
  rule("node-resource-exhausted", "A process or the node has no file descriptors left", ["too many open files", "emfile:", "(emfile)", "file table overflow"], fact),
  rule(
    "node-resource-exhausted",
    "The kernel's limit of watches or instances of inotify is reached",
    ["inotify", "fsnotify"],
    { rank: RANK.pair, confidence: "high", with: [["no space left on device", "too many open files", "limit reached", "limit of inotify"]] },
  ),
  rule(
    "node-resource-exhausted",
    "The node has no memory to give",
    ["cannot allocate memory", "enomem", "unable to allocate memory", "memory allocation failure"],
    { rank: RANK.fact, without: ["oci runtime"] },
  ),
  rule(
    "node-resource-exhausted",
    "The xtables lock is held by another process for too long",
    ["xtables lock", "holding the xtables", "failed to acquire old iptables lock", "failed to acquire new iptables lock"],
    fact,
  ),
  rule(
    "node-resource-exhausted",
    "A table of the kernel overflows: neighbours, connections or mounts",
    [
      "neighbour table overflow", "neighbor table overflow", "neighbour: arp_cache", "nf_conntrack: table full", "table full, dropping packet", "too many mounts",
    ],
    fact,
  ),
  rule(
    "node-resource-exhausted",
    "The kubelet sees the node run out of a resource",
    [
      "the node was low on resource", "eviction manager: attempting to reclaim", "nodehasinsufficient", "nodehasdiskpressure", "kubelethasinsufficient",
      "kubelethasdiskpressure", "diskpressure", "pidpressure", "memorypressure",
    ],
    { confidence: "high", without: ["hasnodiskpressure", "nodehassufficient"] },
  ),
  rule("node-resource-exhausted", "The kernel has no buffers left", ["no buffer space available", "enobufs"], { rank: RANK.fact }),
  rule("node-resource-exhausted", "A limit of the node's user or service is reached", ["tasksmax", "nproc limit"], { confidence: "low" }),

  rule("host-permission-or-mount", "SELinux or AppArmor denies it", ["avc: denied", "avc:denied", 'apparmor="denied"', "selinux is preventing", "type=avc"], fact),
  rule(
    "host-permission-or-mount",
    "The runtime cannot give the container its SELinux label: the policy does not know it",
    ["/proc/self/attr/", "/proc/thread-self/attr/"],
    { rank: RANK.pair, confidence: "high" },
  ),
  rule(
    "host-permission-or-mount",
    "A process lacks a right on the host",
    ["permission denied", "operation not permitted", "eacces"],
    { rank: RANK.call, without: ["publickey"] },
  ),
  rule(
    "kernel-or-module",
    "An address of a family that is switched off cannot be given: IPv6 is disabled here",
    ["could not add ip address", "failed to add ip addr", "failed to add ip address", "could not add ip addr"],
    { rank: RANK.pair, confidence: "medium", with: [["permission denied"]] },
  ),
  rule(
    "host-permission-or-mount",
    "iptables was not run as root, or may not change its tables",
    ["you must be root", "iptables", "ip6tables"],
    { rank: RANK.pair, confidence: "high", with: [["permission denied", "operation not permitted"]], without: ["executable file not found", "modprobe", "table does not exist"] },
  ),
  rule(
    "teardown-failed",
    "A chain of the ended sandbox is gone already",
    ["no chain/target/match by that name", "couldn't load target", "does a matching rule exist", "bad rule", "chain 'cni-", "chain `cni-"],
    { rank: RANK.pair, confidence: "medium", op: "del" },
  ),
  rule("host-permission-or-mount", "The file system is mounted read-only", ["read-only file system"], fact),
  rule(
    "host-permission-or-mount",
    "The path is not shared with the daemon: mount propagation is missing",
    ["not a shared mount", "is not a shared or slave mount", "mount propagation", "unknown fs magic", "hosttocontainer", "bidirectional mount"],
    { rank: RANK.pair, confidence: "high", without: ["unknown fs magic on \"/proc/"] },
  ),
  rule("netns-gone", "The process whose namespace it is has ended: its entry in /proc is no namespace any more", ["unknown fs magic on \"/proc/"], { rank: RANK.pair, confidence: "medium" }),
  rule(
    "host-permission-or-mount",
    "The daemon looks for the sandbox's namespace and does not see it: /run/netns is not mounted with propagation",
    ["failed to statfs", "error opening netns", "failed to open netns"],
    { rank: RANK.pair, confidence: "medium", with: [["dhcp"], ["no such file", "failed to statfs"]] },
  ),

  rule(
    "netns-gone",
    "The sandbox's network namespace is gone: the sandbox ended before or while CNI ran",
    [
      "failed to statfs", "failed to open netns", "no net namespace", "unable to open network namespace", "error opening netns", "failed to open namespace",
      "failed to enter netns", "not a valid network namespace", "failed to open container netns", "failed to get container namespace", "failed to mount netns from pid",
    ],
    { rank: RANK.statement, without: ["too many open files", "permission denied", "operation not permitted", "unknown fs magic", "/host/"] },
  ),
  rule(
    "netns-gone",
    "The API server does not know the pod any more: it was deleted while its sandbox was made",
    ["pods \"", "pod \""],
    { rank: RANK.symptom, confidence: "low", with: [["\" not found"]], without: ["forbidden", "informer"] },
  ),
  rule(
    "netns-gone",
    "The API server answers that it does not know the pod: it was deleted while its sandbox was made",
    ['pods "'],
    {
      rank: RANK.call,
      confidence: "medium",
      with: [["failed to query the pod", "error getting pod", "failed to get pod", "setting the networks status", "setting network statuses"]],
      without: ["forbidden", "unauthorized", "i/o timeout", "deadline exceeded", "connection refused", "has been modified"],
    },
  ),
  rule(
    "netns-gone",
    "The process whose namespace was asked for is gone",
    [
      "cannot find the container's network namespace", "cannot get netns path", "cannot find network namespace",
      "namespace for the terminated container", "namespace path", "failed to get network namespace", "netns is closed", "network namespace is closed",
      "invalid network namespace", "sandbox container is not running", "infra container not found", "cannot open network namespace",
    ],
    { confidence: "medium" },
  ),
  rule(
    "netns-gone",
    "The process whose namespace was asked for is gone",
    ["no such process"],
    { confidence: "medium", with: [["/proc/", "ns/net", "netns", "namespace", " pid", "kill", "signal"]], without: ["route"] },
  ),
  rule(
    "netns-gone",
    "The pod or its sandbox was replaced while the call was under way",
    [
      "pod deleted before sandbox", "canceled old pod sandbox", "a newer sandbox", "ovs sandbox port", "pod uid mismatch", "pod sandbox is not ready",
      "is different from the requested pod uid",
    ],
    fact,
  ),

  rule(
    "kernel-or-module",
    "A table of iptables does not exist: its module is not loaded",
    [
      "table does not exist", "can't initialize iptables table", "can't initialize ip6tables table", "iptables who?", "do you need to insmod", "table `nat'",
      "could not fetch rule set generation id", "neither iptables nor ip6tables usable",
    ],
    fact,
  ),
  rule(
    "kernel-or-module",
    "iptables lacks an extension that the rule needs",
    ["no chain/target/match by that name", "couldn't load match", "couldn't load target", "missing kernel module", "revision 0 not supported", "revision 1 not supported", "revision 2 not supported", "unknown option"],
    { with: [["iptables", "ip6tables", "nft", "xtables"]], confidence: "high" },
  ),
  rule(
    "kernel-or-module",
    "A kernel module cannot be loaded",
    ["module not found in directory", "could not insert module", "unknown symbol in module", "failed to load module", "insmod:"],
    { confidence: "high", without: ["text file busy"] },
  ),
  rule(
    "kernel-or-module",
    "A kernel module cannot be loaded",
    ["modprobe"],
    { confidence: "high", with: [["fatal", "not found", "no such file", "can't", "cannot", "could not", "failed", "denied", "exit status"]], without: ["text file busy"] },
  ),
  rule(
    "kernel-or-module",
    "This build of iptables and the kernel's tables do not fit each other",
    ["rule_insert failed", "rule_append failed", "rule_replace failed", "chain_add failed", "chain_user_add failed", "table_add failed"],
    { confidence: "medium", with: [["nf_tables", "iptables", "nft"]] },
  ),
  rule(
    "kernel-or-module",
    "The kernel does not know what is asked for",
    [
      "operation not supported", "protocol not supported", "protocol not available", "address family not supported", "not supported by the kernel",
      "function not implemented", "enosys", "eopnotsupp", "unknown device type", "rtnetlink answers: not supported", "unsupported protocol", "kernel does not support",
      "kernel not supported", "supported kernel version", "unsupported kernel version", "requires kernel", "kernel is too old", "missing kernel support",
    ],
    { rank: RANK.call, confidence: "medium" },
  ),
  rule(
    "kernel-or-module",
    "The kernel refuses a BPF program or a feature of it is missing",
    [
      "bpf verifier", "verifier error", "unable to load program", "program too large", "unknown func bpf_", "bpf_prog_load", "bpf(", "kernel btf", "vmlinux btf",
      "bpftool", "config_bpf", "config_net",
    ],
    { confidence: "medium" },
  ),
  rule(
    "kernel-or-module",
    "IPv6 is switched off in the kernel",
    ["/proc/sys/net/ipv6", "disable_ipv6", "ipv6 is disabled", "net.ipv6.conf", "ipv6 addresses for host side"],
    { with: [["no such file", "cannot", "failed to"]], confidence: "medium" },
  ),
  rule(
    "kernel-or-module",
    "A sysctl cannot be set: the kernel does not have it",
    ["bridge-nf-call-iptables", "br_netfilter", "sysctl: cannot stat", "unknown sysctl"],
    { confidence: "medium" },
  ),
] as const;
