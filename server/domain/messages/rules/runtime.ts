import { RANK, rule } from "../rule";

const symptom = { rank: RANK.symptom } as const;
const inRuntime = [["oci runtime", "runc", "containerd task", "shim task", "container init", "start sandbox container", "start sandbox", "cgroup", "sandbox container", "oci runtime error", "crun", "create containerd", "hcsshim"]] as const;

/** What container runtimes say: containerd, CRI-O, docker with and without the kubelet's shim. */
export const RUNTIME_RULES = [
  rule(
    "teardown-failed",
    "The name is held by an earlier sandbox that could not be ended",
    [
      "failed to reserve sandbox name", "is reserved for", "reserved for ctr", "name is reserved", "error reserving pod name", "error reserving ctr name", "pod sandbox with name",
    ],
    {
      ...symptom,
      rank: RANK.call,
      with: [["failed to destroy network", "failed (delete)", "network teardown failed", "cmddel", "stoppodsandbox", "killpodsandbox", "delegatedel"]],
    },
  ),
  rule(
    "runtime-stuck-or-slow",
    "The name is held by an earlier attempt that the runtime has not given up",
    [
      "failed to reserve sandbox name", "failed to reserve container name", "is reserved for", "reserved for ctr", "name is reserved", "error reserving pod name", "error reserving ctr name",
      "pod sandbox with name", "already in use by container",
    ],
    { ...symptom, confidence: "medium", without: ["static ip", "ip address"] },
  ),
  rule(
    "runtime-stuck-or-slow",
    "The kubelet asks again for what the runtime still works on",
    [
      "timing out in cri-o", "retrying requests that are timing out", "currently at stage", "system load", "timed out waiting for storage", "sandbox storage creation",
    ],
    { confidence: "high", without: ["stage network", "network stage"] },
  ),
  rule(
    "runtime-stuck-or-slow",
    "Docker answered after its deadline",
    ["operation timeout: context deadline exceeded", "operation timeout"],
    { ...symptom, confidence: "medium" },
  ),
  rule(
    "runtime-stuck-or-slow",
    "The runtime ended while it worked on the call",
    [
      "error reading from server: eof", "transport is closing", "closed the connection", "http2: server sent goaway", "server is shutting down",
      "error reading from server",
    ],
    { ...symptom, without: ["127.0.0.1", "localhost", "subconns"] },
  ),
  rule(
    "runtime-stuck-or-slow",
    "The runtime's own records are at odds or locked",
    [
      "failed to load container", "database is locked", "boltdb", "meta.db", "metadata.db", "bucket not found", "failed to recover", "unpigz", "failed to add sandbox",
      "failed to create lease", "with reserved name", "failed to wait sandbox",
    ],
    { confidence: "low" },
  ),

  rule(
    "not-cni",
    "The image of the sandbox (pause) cannot be had",
    [
      "failed to get sandbox image", "failed to pull image", "error pulling image", "failed to resolve reference", "pull and unpack", "unable to pull", "pulling image",
      "manifest unknown", "pullqps", "pull access denied", "sandbox image", "pause image", "infra image", "failed to resolve image", "creating pod sandbox image",
      "pinging container registry", "initializing source docker",
    ],
    { rank: RANK.pair, confidence: "high" },
  ),
  rule(
    "not-cni",
    "The pod asks for a runtime that the node does not have",
    [
      "no runtime for", "runtimehandler", "runtime handler", "runtimeclass", "runtime class", "unable to get oci runtime", "failed to get sandbox runtime",
      "no runtime handler",
    ],
    {
      rank: RANK.pair,
      confidence: "high",
      with: [["not supported", "not found", "configured", "no runtime", "unknown", "not configured", "unable to get", "failed to get", "does not exist"]],
    },
  ),
  rule(
    "not-cni",
    "A control group cannot be made or used",
    ["cgroup", "slice:prefix", "cgroupspath", "systemd: unit", "org.freedesktop.systemd1", "sd-bus call", ".slice not found", "unit kubepods"],
    {
      rank: RANK.call,
      confidence: "high",
      with: [["fail", "error", "cannot", "unable", "expected", "not found", "invalid", "no such", "too low"]],
      without: ["no space left on device", "oom", "out of memory", "container_oom", "resource temporarily unavailable", "killed process", "throttl"],
    },
  ),
  rule(
    "not-cni",
    "The sandbox's own process was killed for memory",
    [
      "container init was oom-killed", "memory limit too low", "minimum memory limit", "too low; should be at least", "init was oom", "signal: killed: unknown",
      "minimum allowed is", "sandbox was oom", "cannot start a stopped process", "cannot start a container that has stopped",
    ],
    { rank: RANK.pair, confidence: "high" },
  ),
  rule(
    "not-cni",
    "The runtime could not start the sandbox's container; the network is not part of it",
    [
      "oci runtime create failed", "oci runtime error", "runc create failed", "failed to create shim", "failed to start shim", "failed to create containerd task",
      "failed to create containerd container", "failed to start sandbox container", "failed to start sandbox", "container init caused",
      "starting container process caused", "unable to start container process", "container create failed", "failed to mount rootfs", "error mounting",
      "creating container storage", "failed to generate sandbox container spec", "failed to create sandbox root directory", "unable to start unit", "hcsshim::",
      "createcontainer failed", "error creating read-write layer", "mount callback failed",
    ],
    { ...symptom, confidence: "medium", without: ["ttrpc", "resource temporarily", "no space", "too many", "/run/netns", "executable file not found"] },
  ),
  rule(
    "not-cni",
    "The pod's user namespace, its shared memory or a hook of the runtime cannot be set up",
    [
      "uidmapping", "userns", "user namespace", "unsupported pod mode", "nri runpodsandbox", "must include metadata", "shm size", "cannot chown", "nri invoke",
      "pre-stop hook", "uid mapping", "gid mapping", "running hook", "prestart hook", "createruntime hook", "createcontainer hook", "poststart hook", "oci hook", "sysctl \"", "unsafe sysctl", "sysctlforbidden",
    ],
    { rank: RANK.symptom, confidence: "medium", without: ["failed on the status hook", "webhook"] },
  ),
  rule(
    "not-cni",
    "A security profile cannot be applied",
    ["seccomp", "apparmor profile", "load apparmor", "apparmor_parser", "selinux relabel", "failed to set selinux", "failed to generate seccomp"],
    { rank: RANK.call, confidence: "high", without: ["avc:", 'apparmor="denied"'] },
  ),
  rule(
    "not-cni",
    "The sandbox's process ended by itself; the kubelet then found no network of it",
    [
      "failed on the status hook", "unexpected command output nsenter", "no such container", "cannot get ip from", "failed to read pod ip from plugin",
      "couldn't find network status",
    ],
    { ...symptom, confidence: "medium", without: ["device \"eth0\" does not exist"] },
  ),
  rule(
    "daemon-down",
    "The daemon's own container does not start: its image lacks the program that the manifest runs",
    ["executable file not found"],
    {
      rank: RANK.fact,
      with: [
        ["failed to create shim task", "failed to create containerd task", "oci runtime", "runc create", "unable to start container"],
        ['"cp"', "multus", "cilium", "calico", "flannel", "install", "kube-ovn", "antrea", '"ip"', "cni"],
      ],
    },
  ),
  rule("not-cni", "The runtime does not offer the interface that the kubelet speaks: it is too old, or its CRI plugin is off", ["unknown service runtime.", "cri v1 runtime api is not implemented"], { rank: RANK.fact, confidence: "high" }),
  rule("not-cni", "The container's program is not in its image", ["executable file not found"], { rank: RANK.call, with: inRuntime }),

  rule(
    "teardown-failed",
    "The runtime could not end the sandbox in time",
    ["context deadline exceeded", "deadlineexceeded", "operation timeout", "timed out waiting", "i/o timeout"],
    { ...symptom, op: "del", confidence: "medium", without: ["docker", "http://", "https://"] },
  ),
  rule(
    "runtime-stuck-or-slow",
    "The kubelet waited too long for the runtime to end a sandbox",
    ["before removing: rpc error", "failed to stop sandbox"],
    { ...symptom, rank: RANK.call, op: "del", with: [["deadline exceeded", "operation timeout"], ["kuberuntime_gc", "before removing"]] },
  ),
  rule(
    "teardown-failed",
    "Ending the sandbox's network failed",
    [
      "failed to destroy network", "failed to teardown pod", "network teardown failed", "failed (delete)", "error removing pod", "error deleting network",
      "delegatedel", "failed to tear down", "cmddel", "error deleting pod", "failed to clean up sandbox", "error stopping network", "delnetwork",
      "failed to remove network namespace", "failed to delete endpoint", "failed to delete state", "failed to delete ovs port", "failed to delete openflow",
      "unconfigureinterface", "delete ip return", "del nic failed", "timed out deleting device", "clean up workload's veth", "failed to delete veth",
      "is not fully closed", "remove network namespace", "unable to remove managed namespaces",
    ],
    { rank: RANK.frame, confidence: "medium" },
  ),
  rule(
    "teardown-failed",
    "Removing the sandbox failed",
    [
      "killpodsandboxerror", "failed to \"killpodsandbox\"", "error killing pod", "stoppodsandbox from runtime service failed", "failed to stop sandbox",
      "removepodsandbox", "sandbox must be in", "encountered an error cleaning up failed sandbox", "sandbox_unknown", "failed to unmount", "unable to unmount",
      "error unmounting", "unlinkat",
    ],
    { rank: RANK.frame, confidence: "low" },
  ),
  rule("not-cni", "A container's image cannot be had", ["imagepullbackoff", "errimagepull", "errimageneverpull", "invalidimagename"], { confidence: "high" }),
  rule(
    "runtime-stuck-or-slow",
    "The runtime did not start the sandbox's container in time",
    ["context deadline exceeded", "deadlineexceeded"],
    {
      rank: RANK.call,
      confidence: "medium",
      op: "add",
      with: [["containerd task", "create shim", "create containerd container", "prepare snapshot", "runc", "oci runtime"]],
      without: ["failed to pull", "sandbox image"],
    },
  ),
  rule(
    "runtime-stuck-or-slow",
    "The runtime did not make, start or stop a container in time; no network is made or ended for that",
    ["createcontainer in sandbox", "startcontainer", "stopcontainer", "removecontainer", "createcontainererror", "waiting for container", "wait container", "createctr"],
    { rank: RANK.call, confidence: "medium", with: [["deadline exceeded", "deadlineexceeded", "operation timeout", "timed out"]], without: ["https://", "failed to pull"] },
  ),
  rule("runtime-stuck-or-slow", "The runtime holds more containers than it can list in one answer", ["message larger than max"], { confidence: "high" }),
  rule("teardown-failed", "A file of the ended sandbox is still in use", ["device or resource busy", "target is busy"], { rank: RANK.call, op: "del" }),
] as const;
