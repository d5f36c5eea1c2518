import { type Call, type Errno } from "../calls";
import { type Candidate, RANK, type Rank, type Confidence } from "../rule";
import type { MessageCode } from "../../causes/codes";

interface Reading {
  readonly cause: MessageCode;
  readonly says: string;
  readonly detail?: string;
  readonly rank?: Rank;
  readonly confidence?: Confidence;
}

/** What a call that failed says by itself: whom it was for decides, and how it failed. */
export function readCall(call: Call, probe: boolean): Candidate | undefined {
  const reading = call.kind === "unix" ? unixReading(call) : call.kind === "tcp" ? tcpReading(call, probe) : fileReading(call);
  if (reading === undefined) return undefined;
  return { rank: call.kind === "file" || call.errno === "none" ? RANK.call : RANK.statement, confidence: "medium", ...reading, from: call.from, to: call.to };
}

/** Sockets of container runtimes, whatever folder a distribution keeps them in. */
const RUNTIME_SOCKETS: readonly string[] = ["containerd.sock", "crio.sock", "docker.sock", "dockershim.sock", "cri-dockerd.sock", "containerd-shim", "/s/"];

/** Sockets of OVN's central databases, which serve the whole cluster; "db.sock" alone is the node's own. */
const CENTRAL_SOCKETS: readonly string[] = ["ovnnb_db", "ovnsb_db"];

function unixReading({ subject, errno, verb, served }: Call): Reading | undefined {
  if (errno === "in-use") return { cause: "stale-socket", detail: "host", says: "A socket file is left over, or another process listens on it", confidence: "high" };
  if (errno === "denied") return { cause: "host-permission-or-mount", says: `The socket ${subject} may not be opened` };
  if (RUNTIME_SOCKETS.some((name) => subject.includes(name))) return { cause: "runtime-stuck-or-slow", says: "The container runtime does not answer on its socket" };
  if (CENTRAL_SOCKETS.some((name) => subject.includes(name))) return { cause: "control-plane-not-ready", says: "The network's central database does not answer" };
  if (subject.includes("kubelet.sock")) return { cause: "device-unavailable", says: "The kubelet's device or pod-resources socket does not answer", confidence: "low" };
  switch (errno) {
    case "absent":
      return { cause: "daemon-down", says: `Nobody has made the socket ${subject}: the daemon behind it is not there`, confidence: "high" };
    case "refused":
      return { cause: "daemon-down", says: `The socket ${subject} is there and nobody listens on it`, confidence: "high" };
    case "cut":
      if (served === true) return { cause: "daemon-slow", says: `Who called ${subject} was gone before it had its answer` };
      return { cause: "daemon-down", detail: "died-during-call", says: "The daemon ended while it worked on the call" };
    case "timeout":
      return { cause: "daemon-slow", says: `The daemon behind ${subject} did not answer in time` };
    case "none":
      return verb.startsWith("dial") ? { cause: "daemon-down", says: `The call to ${subject} failed; the text is cut before it says how` } : undefined;
    default:
      return undefined;
  }
}

/** Parts of the names of image registries. */
const REGISTRIES: readonly string[] = ["registry", "gcr.io", "docker.io", "quay.io", "ghcr.io", "mcr.microsoft.com", "public.ecr"];

/** Ports of API servers, load balancers in front of them, and etcd. */
const API_PORTS: ReadonlySet<string> = new Set(["6443", "6444", "7443", "8443", "16443", "443", "2379", "2380", "4001", "8080"]);
/** Ports on which daemons of the node answer their own plugins, or probes: ipamd, azure-cns, weave, felix, cilium, kube-ovn, antrea. */
const DAEMON_PORTS: ReadonlySet<string> = new Set(["50051", "61678", "10090", "6784", "9099", "9879", "4240", "10665", "10350"]);
const LOCAL_HOSTS: readonly string[] = ["127.", "localhost", "dummy", "unix", "[::1]", "0.0.0.0", "[::]", "%2f"];

function tcpReading({ subject, errno }: Call, probe: boolean): Reading | undefined {
  const colon = subject.lastIndexOf(":");
  const port = colon < 0 || subject.endsWith("]") ? "" : subject.slice(colon + 1);
  const local = LOCAL_HOSTS.some((host) => subject.startsWith(host));
  if (errno === "denied") return { cause: "host-permission-or-mount", says: `The connection to ${subject} is not permitted` };
  // Whose port it is, the address does not tell: a rule decides where the text names a daemon.
  if (errno === "in-use") return undefined;
  // A probe of another address is that of any pod: whose, its port tells, or a rule where the text names a daemon.
  if (probe && !local && !DAEMON_PORTS.has(port)) return undefined;
  if (probe || DAEMON_PORTS.has(port) || (local && !API_PORTS.has(port))) {
    if (errno === "cut") return { cause: "daemon-down", detail: "died-during-call", says: "The daemon ended while it worked on the call" };
    if (errno === "timeout") return { cause: "daemon-slow", says: `The daemon on ${subject} did not answer in time` };
    return { cause: "daemon-down", says: `The daemon on ${subject} does not take the call`, confidence: "high" };
  }
  if (REGISTRIES.some((name) => subject.includes(name))) return { cause: "not-cni", says: `The image registry ${subject} cannot be reached`, confidence: "high" };
  if (errno === "absent" || errno === "exists" || errno === "no-device" || errno === "unsupported" || errno === "busy") return undefined;
  return { cause: "apiserver-unreachable", says: `The API server or datastore at ${subject} cannot be reached, or does not answer in time`, confidence: errno === "none" ? "medium" : "high" };
}

type PathReading = (call: Call) => Reading | undefined;

const isOf = (path: string, parts: readonly string[]): boolean => parts.some((part) => path.includes(part));

/** Kinds of files by their place; the first that knows the path reads it. */
const PATHS: readonly (readonly [parts: readonly string[], read: PathReading])[] = [
  [["/sys/fs/cgroup"], () => undefined],
  [["/ns/net", "/netns/", "/run/netns"], netnsReading],
  [["/sys/bus/pci", "/sys/class/net", "/sys/class/infiniband", "/sys/devices/pci", "/dev/vfio", "/dev/net/tun", "/dev/vhost", "/dev/infiniband", "/physfn", "/virtfn"], deviceReading],
  [["/proc/sys/", "/sys/fs/bpf", "/lib/modules", "/sys/module", "/proc/net/"], kernelReading],
  [["/var/lib/cni/", "/var/lib/cni"], cacheReading],
  [["subnet.env", "/var/lib/calico/nodename", "/var/lib/calico/mtu", "/run/cilium", "/var/run/calico"], (call) => (call.errno === "absent" ? { cause: "daemon-down", says: `The daemon has not written ${call.subject}: it is not running, or not yet ready`, confidence: "high", rank: RANK.fact } : undefined)],
  [["serviceaccount/token", "serviceaccount/ca.crt"], (call) => (call.errno === "absent" ? { cause: "auth-or-rbac", says: "The account's token is not there" } : undefined)],
  [[".sock"], socketFileReading],
  [["kubeconfig"], (call) => (call.errno === "absent" ? { cause: "daemon-down", says: `The kubeconfig ${call.subject}, which the daemon writes beside the config, is not there: the daemon has not run here, or was taken away`, rank: RANK.fact } : undefined)],
  [["/net.d", ".conflist", "/cni-network", "/netconf"], configReading],
  [["/cni/bin", "/opt/cni", "/kubernetes/bin", "/libexec/cni", "/k3s/data", "/flannel/bin", "/kube/bin"], programReading],
  [["/var/lib/kubelet/pods", "/resolv.conf"], (call) => (call.errno === "absent" ? { cause: "not-cni", says: `A file of the pod itself is missing: ${call.subject}` } : undefined)],
];

/** Words before a path that run it. */
const RUNS: readonly string[] = ["fork/exec", "exec:", "exec", "execve", "run", "running", "execute", "command"];

/** Programs that start containers; none of them is a plugin. */
const RUNTIME_PROGRAMS: readonly string[] = ["/runc", "/crun", "/runsc", "/youki", "/conmon", "/containerd", "/kata-runtime"];

function fileReading(call: Call): Reading | undefined {
  if (call.errno === "denied") return { cause: "host-permission-or-mount", says: `${call.subject} may not be opened or changed`, confidence: "high", rank: RANK.fact };
  if (call.errno === "absent" && RUNS.includes(call.verb) && RUNTIME_PROGRAMS.some((name) => call.subject.includes(name))) return { cause: "not-cni", says: `The container runtime's own program ${call.subject} is not there`, confidence: "high", rank: RANK.fact };
  if (call.errno === "absent" && RUNS.includes(call.verb)) return { cause: "plugin-binary-missing", says: `The program ${call.subject}, or the loader that it needs, is not there`, confidence: "high", rank: RANK.fact };
  const known = PATHS.find(([parts]) => isOf(call.subject, parts));
  return known?.[1](call);
}

/** Folders under which a pod sees the host's own tree. */
const HOST_MOUNTS: readonly string[] = ["/host/", "/hostroot/", "/rootfs/", "/hostproc/"];

function netnsReading({ subject, errno, verb }: Call): Reading | undefined {
  if (errno === "busy") return { cause: "teardown-failed", says: "The sandbox's network namespace is still in use" };
  if (errno !== "absent") return undefined;
  if (HOST_MOUNTS.some((folder) => subject.includes(folder))) return { cause: "host-permission-or-mount", detail: "mount-propagation", says: "The daemon sees the host's namespaces under a mount of its own, and the new one does not show up there", confidence: "high", rank: RANK.fact };
  return { cause: "netns-gone", says: "The sandbox's network namespace is gone: the sandbox ended before or while CNI ran", rank: RANK.fact, confidence: verb === "" ? "low" : "medium" };
}

const ABSENCES: ReadonlySet<Errno> = new Set<Errno>(["absent", "no-device"]);

function deviceReading({ subject, errno }: Call): Reading | undefined {
  if (ABSENCES.has(errno)) return { cause: "device-unavailable", says: `The device behind ${subject} is not there`, confidence: "high", rank: RANK.fact };
  return errno === "busy" ? { cause: "device-unavailable", says: `The device behind ${subject} is in use` } : undefined;
}

function kernelReading({ subject, errno }: Call): Reading | undefined {
  if (errno !== "absent" && errno !== "unsupported") return undefined;
  return { cause: "kernel-or-module", says: `The kernel does not offer ${subject}: a module or a feature is missing`, rank: RANK.fact };
}

function cacheReading(call: Call): Reading | undefined {
  if (call.subject.includes("/cni/bin")) return programReading(call);
  if (call.errno !== "absent") return undefined;
  return { cause: "teardown-failed", detail: "cache-missing", says: `The plugin's own record of the sandbox is missing: ${call.subject}`, rank: RANK.statement };
}

function socketFileReading({ subject, errno }: Call): Reading | undefined {
  if (RUNTIME_SOCKETS.some((name) => subject.includes(name))) return errno === "absent" ? { cause: "runtime-stuck-or-slow", says: "The container runtime's socket is not there" } : undefined;
  if (errno === "absent") return { cause: "daemon-down", says: `The socket ${subject} is not there: the daemon behind it is not running` };
  return errno === "refused" ? { cause: "daemon-down", says: `The socket ${subject} is there and nobody listens on it` } : undefined;
}

function configReading({ subject, errno }: Call): Reading | undefined {
  return errno === "absent" ? { cause: "cni-config-missing", says: `The CNI config ${subject} is not there`, confidence: "high", rank: RANK.fact } : undefined;
}

function programReading({ subject, errno }: Call): Reading | undefined {
  return errno === "absent" ? { cause: "plugin-binary-missing", says: `${subject} is not there`, confidence: "high", rank: RANK.fact } : undefined;
}
