import { z } from "zod";
import {
  BINARY_PROBLEMS,
  MAX_BINARIES,
  MAX_BROKEN_NAMED,
  MAX_CACHES,
  MAX_CGROUPS,
  MAX_CONFIG_CHANGES,
  MAX_CONF_FILES,
  MAX_CREDENTIALS,
  MAX_KUBELET_PODS,
  MAX_DIFF_CHARS,
  MAX_PLUGIN_PROCESSES,
  MAX_POOLS,
  MAX_STALE_MOUNTS,
  MAX_WANTED_BY,
} from "@/server/domain/agent-readings";
import { MAX_BIN_DIRS, MAX_PLUGIN_TYPES, MAX_SOCKETS } from "@/server/domain/agent-report";
import { count, endUnixSeconds, givenName, id, looked, name, path, pluginType, text, timeMs } from "./schema-parts";

/** The later parts of a report: optional, since an older agent does not tell them. */
const MAX_CORES = 100_000;
const MAX_SECONDS = 1e12;
const MAX_TIMEOUT_SECONDS = 86_400 * 365;
const MAX_WORD_CHARS = 32;

const seconds = z.number().min(0).max(MAX_SECONDS);
const word = z.string().max(MAX_WORD_CHARS);

const Cgroup = z.object({
  namespace: name,
  pod: name,
  podUid: id,
  container: name,
  containerId: id.exactOptional(),
  startedMs: timeMs.exactOptional(),
  cni: name.exactOptional(),
  cgroupVersion: z.union([z.literal(1), z.literal(2)]),
  cpuQuotaCores: z.number().min(0).max(MAX_CORES).exactOptional(),
  cpuPeriods: count.exactOptional(),
  cpuThrottledPeriods: count.exactOptional(),
  cpuUsageSeconds: seconds.exactOptional(),
  cpuPressureSeconds: seconds.exactOptional(),
  memoryBytes: count.exactOptional(),
  memoryWorkingSetBytes: count.exactOptional(),
  memoryLimitBytes: count.exactOptional(),
  memoryPeakBytes: count.exactOptional(),
  oomEvents: count.exactOptional(),
  oomKills: count.exactOptional(),
  podMemoryLimited: z.boolean().exactOptional(),
});

const Process = z.object({
  pid: count,
  program: givenName,
  path,
  startedMs: timeMs.exactOptional(),
  state: word,
  command: word.exactOptional(),
  namespace: name.exactOptional(),
  pod: name.exactOptional(),
  podUid: id.exactOptional(),
  sandboxId: id.exactOptional(),
  called: z.boolean().exactOptional(),
  replaced: z.boolean(),
});

const StaleMount = z.object({
  socketPath: path,
  mountPath: path,
  kind: z.enum(["file", "directory"]),
  pid: count,
  namespace: name.exactOptional(),
  pod: name.exactOptional(),
  podUid: id.exactOptional(),
  container: name.exactOptional(),
  mountedInode: id.exactOptional(),
  hostInode: id.exactOptional(),
  because: z.enum(["deleted", "no-links", "other-inode"]),
});

const Use = z.object({ path, connections: count, liveShims: count });

const Binary = z.object({
  type: pluginType,
  dir: path.exactOptional(),
  sizeBytes: count.exactOptional(),
  modifiedMs: timeMs.exactOptional(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/).exactOptional(),
  architecture: word.exactOptional(),
  version: name.exactOptional(),
  problem: z.enum(BINARY_PROBLEMS).exactOptional(),
  wantedBy: z.array(name).max(MAX_WANTED_BY),
});

const ConfFile = z.object({
  name: givenName,
  usable: z.boolean(),
  problem: text.exactOptional(),
  networkName: name.exactOptional(),
  cniVersion: word.exactOptional(),
  pluginTypes: z.array(pluginType).max(MAX_PLUGIN_TYPES),
  modifiedMs: timeMs.exactOptional(),
});

const Multus = z.object({
  masterCni: name.exactOptional(),
  nestedMasterCni: name.exactOptional(),
  daemonConfigPath: path.exactOptional(),
  daemonConfigModifiedMs: timeMs.exactOptional(),
  daemonConfigProblem: text.exactOptional(),
  clusterNetwork: name.exactOptional(),
  clusterNetworkExists: z.boolean().exactOptional(),
  generated: z.boolean(),
  thick: z.boolean().exactOptional(),
  readinessIndicatorFile: path.exactOptional(),
  readinessIndicatorExists: z.boolean().exactOptional(),
});

const ConfigFiles = z.object({
  dir: path,
  files: z.array(ConfFile).max(MAX_CONF_FILES),
  truncated: z.boolean().exactOptional(),
  loaded: z.boolean().exactOptional(),
  loadedOther: name.exactOptional(),
  usableSinceMs: timeMs.exactOptional(),
  multus: Multus.exactOptional(),
});

const Change = z.object({ file: givenName, atMs: timeMs, change: z.enum(["added", "removed", "changed"]), diff: z.string().max(MAX_DIFF_CHARS) });
const Cache = z.object({ kind: z.enum(["results", "multus", "ipam"]), dir: path, entries: count, broken: z.array(name).max(MAX_BROKEN_NAMED), brokenCount: count, problem: text.exactOptional() });
const Pool = z.object({ network: name, range: name.exactOptional(), dir: path, leases: count, leaked: count.exactOptional(), size: count.exactOptional() });
const Kubelet = z.object({ runtimeRequestTimeoutSeconds: z.number().positive().max(MAX_TIMEOUT_SECONDS).exactOptional(), timeoutFrom: path.exactOptional() });
const KubeletPod = z.object({ uid: id, namespace: name, name, phase: word.exactOptional() });
const Credential = z.object({ path, wantedBy: z.array(name).max(MAX_WANTED_BY), kind: z.enum(["token", "certificate"]).exactOptional(), expiresUnixSeconds: endUnixSeconds.exactOptional(), problem: text.exactOptional() });

export const LATER_PARTS = {
  cgroups: looked({ items: z.array(Cgroup).max(MAX_CGROUPS), readMs: timeMs.exactOptional(), truncated: z.boolean().exactOptional() }).exactOptional(),
  processes: looked({ items: z.array(Process).max(MAX_PLUGIN_PROCESSES), truncated: z.boolean() }).exactOptional(),
  mounts: looked({ stale: z.array(StaleMount).max(MAX_STALE_MOUNTS), mountsSeen: count, unread: count.exactOptional(), truncated: z.boolean().exactOptional() }).exactOptional(),
  socketUse: looked({ items: z.array(Use).max(MAX_SOCKETS) }).exactOptional(),
  binaries: looked({ items: z.array(Binary).max(MAX_BINARIES), unread: z.array(text).max(MAX_BIN_DIRS).exactOptional(), truncated: z.boolean().exactOptional() }).exactOptional(),
  configFiles: looked({ reading: ConfigFiles }).exactOptional(),
  configChanges: z.array(Change).max(MAX_CONFIG_CHANGES).exactOptional(),
  caches: looked({ items: z.array(Cache).max(MAX_CACHES), pools: z.array(Pool).max(MAX_POOLS), truncated: z.boolean().exactOptional() }).exactOptional(),
  kubelet: looked({ reading: Kubelet }).exactOptional(),
  kubeletPods: looked({ items: z.array(KubeletPod).max(MAX_KUBELET_PODS), truncated: z.boolean() }).exactOptional(),
  credentials: looked({ items: z.array(Credential).max(MAX_CREDENTIALS) }).exactOptional(),
};
