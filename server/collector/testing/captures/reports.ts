import type { BinaryReading, ContainerCgroup, LaterParts, PluginProcess, StaleMount } from "../../../domain/agent-readings";
import { AGENT_REPORT_VERSION, type AgentReport, type SandboxReading, type SocketReading } from "../../../domain/agent-report";
import type { CniDaemon } from "../../../domain/cni-daemons";
import { knownSocketFor } from "../../../domain/known-sockets";
import { parseQuantity } from "../../../domain/quantity";
import { lookAtConfig, type ConfigLook } from "../../../agent/config";
import { configFilesReader } from "../../../agent/conf/config-files";
import { multusReader } from "../../../agent/conf/multus";
import type { NodeName } from "../../../domain/ids";
import { itemsOf, jsonOf, type Capture } from "./capture";
import { cgroupFilesOf, listingOf, summaryOf, type CourseSample, type ListedEntry, type Listing } from "./listing";
import { listedFs } from "./listed-fs";
import type { ApiMoment, RawPod } from "./objects";

const CONF_DIR = "/etc/cni/net.d";
const BIN_DIR = "/opt/cni/bin";
const blind = (reason: string) => ({ looked: false, reason }) as const;
const NOT_CAPTURED = blind("not captured");

const EMPTY: Omit<AgentReport, "atMs" | "node"> = { version: AGENT_REPORT_VERSION, startId: "recorded", sequence: 0, agentVersion: "recorded", runtime: NOT_CAPTURED, sandboxes: NOT_CAPTURED, sockets: NOT_CAPTURED, config: NOT_CAPTURED };

/**
 * What an agent would have told at one moment of a capture, from its listings, its control groups, the runtime's list and what consumers
 * see; undefined where there is none of these. The conf dir goes through the agent's own readers. What no file tells is told as not captured:
 * the runtime's own status, whether a socket with connections answers, the programs' headers.
 */
export async function momentReport(capture: Capture, suffix: string, api: ApiMoment, node: NodeName, atMs: number): Promise<AgentReport | undefined> {
  const listing = listingOf(capture, suffix);
  const cgroups = cgroupsOf(cgroupFilesOf(capture, suffix), api);
  const sandboxes = sandboxesOf(jsonOf(capture, `sandboxes${suffix}.json`));
  const mounts = mountsOf(capture, api, atMs);
  const listed = listing === undefined ? undefined : await listedParts(capture, suffix, api, listing, atMs);
  if (listed === undefined && !cgroups.looked && !sandboxes.looked && mounts.mounts === undefined) return undefined;
  return { ...EMPTY, atMs, node, ...listed, sandboxes, cgroups, ...mounts };
}

async function listedParts(capture: Capture, suffix: string, api: ApiMoment, listing: Listing, atMs: number): Promise<Partial<AgentReport>> {
  const daemon = daemonPodOf(api)?.pod;
  const fs = listedFs(withDaemonConfig(listing, capture, suffix, daemon, atMs));
  const config = await lookAtConfig(fs, { confDir: CONF_DIR, binDirs: [BIN_DIR] });
  const { dir } = config;
  return {
    config: config.reading,
    sockets: socketsOf(listing, config),
    processes: { looked: true, items: processesOf(listing, atMs), truncated: false },
    socketUse: { looked: true, items: useOf(listing) },
    binaries: { looked: true, items: binariesOf(listing, config) },
    ...(dir === undefined ? {} : { configFiles: configFilesReader().look(dir, { runtime: NOT_CAPTURED }, await multusReader(fs).look(dir, daemon === undefined ? [] : [daemon.metadata.uid]), atMs) }),
  };
}

interface RawConfigMap {
  readonly metadata?: { readonly name?: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** The ConfigMaps that the daemon's pod mounts, where the kubelet puts them: no listing goes there. */
function withDaemonConfig(listing: Listing, capture: Capture, suffix: string, pod: RawPod | undefined, atMs: number): Listing {
  const maps = itemsOf(jsonOf(capture, `configmaps${suffix}.json`)) as readonly RawConfigMap[]; // our own recording
  const folders = new Map(listing.folders);
  const contents = new Map(listing.contents);
  const root = `/var/lib/kubelet/pods/${pod?.metadata.uid ?? ""}/volumes/kubernetes.io~configmap`;
  const entry = (name: string, kind: ListedEntry["kind"], sizeBytes: number): ListedEntry => ({ name, inode: `not captured: ${name}`, kind, mode: 0o644, sizeBytes, modifiedMs: atMs });
  for (const { name, configMap } of pod?.spec.volumes ?? []) {
    const data = maps.find(({ metadata }) => metadata?.name !== undefined && metadata.name === configMap?.name)?.data;
    if (data === undefined) continue;
    folders.set(root, [...(folders.get(root) ?? []), entry(name, "directory", 0)]);
    folders.set(`${root}/${name}`, Object.entries(data).map(([file, text]) => entry(file, "file", text.length)));
    for (const [file, text] of Object.entries(data)) contents.set(`${root}/${name}/${file}`, text);
  }
  return { ...listing, folders, contents };
}

/** A report of what one sample of the course counted: how many, not whose. */
export function sampleReport(sample: CourseSample, api: ApiMoment, node: NodeName, daemonPod: RawPod | undefined): AgentReport {
  const { boxes, dead = 0 } = sample.counts;
  const sandboxes = Array.from({ length: boxes ?? 0 }, (_, at): SandboxReading => ({ id: `counted-${String(at)}`, namespace: "", name: "", uid: `counted-${String(at)}`, attempt: 0, ready: at >= dead }));
  const cgroup = daemonPod === undefined ? undefined : countedCgroup(sample, api, daemonPod);
  return {
    ...EMPTY,
    atMs: sample.atMs,
    node,
    ...(boxes === undefined ? {} : { sandboxes: { looked: true, items: sandboxes, tookSeconds: 0.01, truncated: false } }),
    cgroups: { looked: true, items: cgroup === undefined ? [] : [cgroup] },
  };
}

interface RawSandbox {
  readonly id: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string; readonly attempt?: number };
  readonly state?: number;
  readonly created_at?: number;
}

/** The runtime's own list; state 0 is ready, and a negative creation time is nonsense. */
function sandboxesOf(list: unknown): AgentReport["sandboxes"] {
  if (!Array.isArray(list)) return NOT_CAPTURED;
  const items = (list as readonly RawSandbox[]).map(({ id, metadata, state = 0, created_at: createdNs = 0 }): SandboxReading => ({
    id, namespace: metadata.namespace, name: metadata.name, uid: metadata.uid, attempt: metadata.attempt ?? 0, ready: state === 0, ...(createdNs > 0 ? { createdMs: Math.floor(createdNs / 1e6) } : {}),
  }));
  return { looked: true, items, tookSeconds: 0.01, truncated: false };
}

/** The socket that the shim of the listing calls: the kernel tells whether anybody listens, and whether its queue is full. */
function socketsOf(listing: Listing, config: ConfigLook): AgentReport["sockets"] {
  const paths = new Set([...config.sockets, ...(entryAt(listing, `${BIN_DIR}/multus-shim`) === undefined ? [] : [knownSocketFor("multus-shim")?.path ?? ""])]);
  const items: SocketReading[] = [];
  const unseen: { readonly name: string; readonly path: string; readonly reason: string }[] = [];
  for (const path of paths) {
    const name = "multus";
    const entry = entryAt(listing, path);
    const there = entry === undefined ? {} : { inode: entry.inode, kind: entry.kind };
    if (entry === undefined) items.push({ name, path, state: "absent", detail: "nothing at this path" });
    else if (!listing.sockets.has("01")) items.push({ name, path, state: "refuses", detail: "ECONNREFUSED", ...there });
    else if (listing.sockets.has("02")) items.push({ name, path, state: "silent", detail: "EAGAIN: its queue of waiting connections is full", ...there });
    else if (listing.sockets.has("03")) unseen.push({ name, path, reason: "the capture does not tell whether it answers" });
    else items.push({ name, path, state: "answers", ...there });
  }
  return { looked: true, items, ...(unseen.length === 0 ? {} : { unseen }) };
}

function entryAt({ folders }: Listing, file: string): ListedEntry | undefined {
  const cut = file.lastIndexOf("/");
  return folders.get(file.slice(0, cut))?.find(({ name }) => name === file.slice(cut + 1));
}

const processesOf = (listing: Listing, atMs: number): readonly PluginProcess[] =>
  listing.holders.map(({ pid, inode, path, ageSeconds }) => ({
    pid, path, program: path.slice(path.lastIndexOf("/") + 1), startedMs: atMs - ageSeconds * 1_000, state: "S", replaced: entryAt(listing, path)?.inode !== `8:1/${inode}`,
  }));

function useOf({ sockets, holders }: Listing): readonly { readonly path: string; readonly connections: number; readonly liveShims: number }[] {
  if (sockets.size === 0) return [];
  return [{ path: "/run/multus/multus.sock", connections: (sockets.get("02") ?? 0) + (sockets.get("03") ?? 0), liveShims: holders.length }];
}

function binariesOf(listing: Listing, { dir }: ConfigLook): readonly BinaryReading[] {
  const wanted = new Map<string, string[]>();
  for (const { name, config } of dir?.files ?? []) if (config.usable) for (const type of [...config.pluginTypes, ...config.delegateTypes]) wanted.set(type, [...(wanted.get(type) ?? []), name]);
  const listed = listing.folders.get(BIN_DIR) ?? [];
  const there = listed.map(({ name, sizeBytes, modifiedMs, mode, kind }): BinaryReading => {
    const problem = kind === "directory" ? "directory" : sizeBytes === 0 ? "empty" : (mode & 0o111) === 0 ? "not-executable" : undefined;
    return { type: name, dir: BIN_DIR, sizeBytes, modifiedMs, wantedBy: wanted.get(name) ?? [], ...(problem === undefined ? {} : { problem }) };
  });
  const absent = [...wanted].filter(([type]) => !listed.some(({ name }) => name === type)).map(([type, wantedBy]): BinaryReading => ({ type, problem: "absent", wantedBy }));
  return [...absent, ...there];
}

/** What cgroup v1 shows where no limit is set. */
const NO_MEMORY_LIMIT = 2 ** 62;

function cgroupsOf(files: ReadonlyMap<string, string> | undefined, api: ApiMoment): NonNullable<LaterParts["cgroups"]> {
  if (files === undefined) return NOT_CAPTURED;
  const number = (name: string): number | undefined => (/^-?\d+$/.test(files.get(name) ?? "") ? Number(files.get(name)) : undefined);
  const keyed = (name: string, key: string): number | undefined => {
    const found = new RegExp(`^${key} (\\d+)$`, "m").exec(files.get(name) ?? "")?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const usage = number("container memory.usage_in_bytes");
  const found = daemonPodOf(api);
  if (usage === undefined || found === undefined) return { looked: true, items: [] };
  const quota = number("container cpu.cfs_quota_us");
  const period = number("container cpu.cfs_period_us");
  const limit = number("container memory.limit_in_bytes");
  const podLimit = number("pod memory.limit_in_bytes");
  return {
    looked: true,
    items: [
      {
        ...identityOf(found),
        memoryBytes: usage,
        ...only("cpuQuotaCores", quota === undefined || quota <= 0 || period === undefined ? undefined : quota / period),
        ...only("cpuPeriods", keyed("container cpu.stat", "nr_periods")),
        ...only("cpuThrottledPeriods", keyed("container cpu.stat", "nr_throttled")),
        ...only("memoryLimitBytes", limit !== undefined && limit < NO_MEMORY_LIMIT ? limit : undefined),
        ...only("memoryPeakBytes", number("container memory.max_usage_in_bytes")),
        ...only("oomKills", keyed("container memory.oom_control", "oom_kill")),
        ...(podLimit === undefined ? {} : { podMemoryLimited: podLimit < NO_MEMORY_LIMIT }),
      },
    ],
  };
}

function countedCgroup({ counts }: CourseSample, api: ApiMoment, pod: RawPod): ContainerCgroup | undefined {
  const found = daemonPodOf(api);
  const { mem, max, periods, throttled } = counts;
  if (mem === undefined || found === undefined) return undefined; // the daemon had no container
  const limits = pod.spec.containers.find(({ name }) => name === found.daemon.container)?.resources?.limits;
  return {
    ...identityOf(found),
    memoryBytes: mem,
    ...only("memoryPeakBytes", max),
    ...only("cpuPeriods", periods),
    ...only("cpuThrottledPeriods", throttled),
    ...only("cpuQuotaCores", limits?.cpu === undefined ? undefined : parseQuantity(limits.cpu)),
    ...only("memoryLimitBytes", limits?.memory === undefined ? undefined : parseQuantity(limits.memory)),
  };
}

const only = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } => (value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V })); // the one key

/** The pod of multus on the node, of which the control groups were captured. */
export function daemonPodOf({ rawPods, daemons }: ApiMoment): { readonly pod: RawPod; readonly daemon: CniDaemon } | undefined {
  for (const daemon of daemons) {
    const { namespace, name } = daemon.daemonSet;
    const own = rawPods.filter(({ metadata }) => metadata.namespace === namespace && metadata.ownerReferences?.some(({ kind, name: owner }) => kind === "DaemonSet" && owner === name) === true);
    // While one is replaced, the one that stays is meant.
    const pod = own.find(({ metadata }) => metadata.deletionTimestamp === undefined) ?? own[0];
    if (pod !== undefined) return { pod, daemon };
  }
  return undefined;
}

function identityOf({ pod, daemon }: { readonly pod: RawPod; readonly daemon: CniDaemon }): Pick<ContainerCgroup, "namespace" | "pod" | "podUid" | "container" | "cni" | "cgroupVersion"> {
  const { namespace, name, uid } = pod.metadata;
  return { namespace, pod: name, podUid: uid, container: daemon.container, cni: daemon.cni, cgroupVersion: 1 };
}

const CONSUMER = /^([\w-]+): \d\d:\d\d:\d\d (.*) \| .* \| mount: node:(\S+) on (\S+)$/;
const DELETED = "//deleted";

/** Mounts of the daemon's socket in the consumers of a trial, as `summary.txt` tells them at the last heading before the moment. */
function mountsOf(capture: Capture, api: ApiMoment, atMs: number): Pick<LaterParts, "mounts"> {
  const section = summaryOf(capture).filter((one) => one.atMs <= atMs && one.lines.some((line) => CONSUMER.test(line))).at(-1);
  if (section === undefined) return {};
  const [, folderInode, socketInode] = /^node: dir inode (\d+) sock inode (\d+)/.exec(section.lines.find((line) => line.startsWith("node: ")) ?? "") ?? [];
  const stale: StaleMount[] = [];
  let mountsSeen = 0;
  for (const line of section.lines) {
    const [, name, probe = "", root = "", mountPath = ""] = CONSUMER.exec(line) ?? [];
    const pod = api.rawPods.find(({ metadata }) => metadata.name === name);
    const hostPath = root.replace(DELETED, "");
    if (pod === undefined || hostPath === "/run") continue; // gone by the moment, or the whole file system, which cannot go stale
    mountsSeen += 1;
    if (!root.endsWith(DELETED)) continue;
    const kind = hostPath.endsWith(".sock") ? "file" : "directory";
    const mounted = /^inode (\d+)/.exec(probe)?.[1];
    const host = kind === "file" ? socketInode : folderInode;
    stale.push({
      socketPath: "/run/multus/multus.sock", mountPath, kind, pid: 1, because: "deleted",
      namespace: pod.metadata.namespace, pod: pod.metadata.name, podUid: pod.metadata.uid, container: pod.spec.containers[0]?.name ?? "",
      ...only("mountedInode", mounted === undefined ? undefined : `8:1/${mounted}`), ...only("hostInode", host === undefined ? undefined : `8:1/${host}`),
    });
  }
  return { mounts: { looked: true, stale, mountsSeen, unread: 0 } };
}
