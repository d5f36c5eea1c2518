import type { Clock } from "../clock";
import type { LaterParts } from "../domain/agent-readings";
import type { Looked, PushAnswer } from "../domain/agent-report";
import { KNOWN_SOCKETS, canonicalSocketPath } from "../domain/known-sockets";
import { binariesReader } from "./bin/binaries";
import { cachesReader } from "./cache/caches";
import { cgroupReader } from "./cgroup/cgroups";
import { configChanges } from "./conf/changes";
import { configFilesReader } from "./conf/config-files";
import { credentialsReader } from "./conf/credentials";
import { multusReader } from "./conf/multus";
import type { ConfigLook } from "./config";
import type { HostFs } from "./host-fs";
import { kubeletReader } from "./kubelet/kubelet";
import { lookAtKubeletPods } from "./kubelet/pods";
import type { LookAtPart } from "./parts";
import { podNames, type PodNamesLook } from "./pod-names";
import type { ContainerOf } from "./proc/cgroup-path";
import { pluginProcessReader } from "./proc/plugin-processes";
import { procRoot } from "./proc/proc-files";
import { procScanner } from "./proc/scan";
import { lookAtSocketUse } from "./proc/socket-use";
import { staleMountReader, type ContainerNames } from "./proc/stale-mounts";
import type { RuntimeLook } from "./runtime";
import { cniOf } from "./whose-pod";

/** What the first parts of a round found, on which the later ones stand. */
export interface RoundSoFar {
  readonly atMs: number;
  readonly config: ConfigLook;
  readonly runtime: RuntimeLook;
  /** The node's paths of the daemons' sockets. */
  readonly sockets: Looked<{ readonly paths: readonly string[] }>;
}

export interface LaterReader {
  look(round: RoundSoFar): Promise<LaterParts>;
  /** What the server wants, from the next round on. */
  told(answer: PushAnswer): void;
}

export interface LaterOptions {
  /** Where the node's root is mounted; "" on the node itself. */
  readonly hostRoot: string;
  readonly clock: Clock;
  /** There is no later round, so nothing is left for one. */
  readonly once: boolean;
}

const NO_DIR = "the folder of network configs could not be looked at";
const blind = (reason: string) => ({ looked: false as const, reason });

/** The later parts of a report, each looked at by itself. Keeps between rounds what does not change. */
export function laterReader(fs: HostFs, part: LookAtPart, { hostRoot, clock, once }: LaterOptions): LaterReader {
  const proc = procRoot(hostRoot);
  const scanner = procScanner(proc);
  const readers = {
    binaries: binariesReader(fs, once ? Number.POSITIVE_INFINITY : undefined),
    configFiles: configFilesReader(),
    multus: multusReader(fs),
    changes: configChanges(),
    credentials: credentialsReader(fs),
    processes: pluginProcessReader(fs, proc),
    mounts: staleMountReader(fs, proc),
    caches: cachesReader(fs, () => clock.now()),
    kubelet: kubeletReader(fs, proc),
    cgroups: cgroupReader(`${hostRoot}/sys/fs/cgroup`, () => clock.now()),
  };
  let wanted: Omit<PushAnswer, "version"> = {};

  const ofConf = async ({ atMs, config, runtime }: RoundSoFar): Promise<Pick<LaterParts, "configFiles" | "configChanges" | "binaries" | "credentials">> => {
    const { dir } = config;
    if (dir === undefined) return { configFiles: config.reading.looked ? blind(NO_DIR) : config.reading, binaries: blind(NO_DIR), credentials: blind(NO_DIR) };
    const changed = readers.changes.since(dir.path, dir.files, atMs);
    const [configFiles, binaries, credentials] = await Promise.all([
      part("configFiles", async () => readers.configFiles.look(dir, runtime, await readers.multus.look(dir, podsOfCni(runtime, "multus")), atMs), blind),
      part("binaries", () => readers.binaries.look(dir.binDirs, dir.files, wanted.nadPluginTypes ?? []), blind),
      part("credentials", () => readers.credentials.look(dir.files), blind),
    ]);
    return { configFiles, binaries, credentials, ...(changed.length === 0 ? {} : { configChanges: changed }) };
  };

  const ofProcesses = async ({ atMs, config, sockets }: RoundSoFar, names: PodNamesLook): Promise<Pick<LaterParts, "processes" | "mounts" | "socketUse" | "kubelet" | "kubeletPods">> => {
    const scan = await part("scan", () => scanner.scan(), blind);
    if ("looked" in scan) return { processes: scan, mounts: scan, socketUse: scan, kubelet: scan, kubeletPods: scan };
    const [processes, mounts, kubelet, kubeletPods] = await Promise.all([
      part("processes", () => readers.processes.look(scan, config.dir?.binDirs ?? [], wantedPrograms(config, wanted.nadPluginTypes), atMs), blind),
      part("mounts", () => readers.mounts.look(scan, mountable(sockets), namesOf(names)), blind),
      part("kubelet", () => readers.kubelet.look(scan), blind),
      part("kubeletPods", () => lookAtKubeletPods(readers.kubelet, scan), blind),
    ]);
    const callers = config.dir?.files.flatMap(({ config: one }) => (one.usable ? one.callers : [])) ?? [];
    const socketUse = sockets.looked ? await part("socketUse", () => lookAtSocketUse(proc, sockets.paths, callers, processes), blind) : sockets;
    return { processes, mounts, socketUse, kubelet, kubeletPods };
  };

  return {
    look: async (round) => {
      const names = await part("names", () => podNames(fs, round.runtime), blind);
      const [conf, processes, cgroups, caches] = await Promise.all([
        ofConf(round),
        ofProcesses(round, names),
        part("cgroups", () => readers.cgroups.look(names, wanted.cniDaemonSets ?? []), blind),
        part("caches", () => readers.caches.look(round.config.dir?.files ?? [], round.runtime.sandboxes), blind),
      ]);
      return { cgroups, ...processes, ...conf, caches };
    },
    told: ({ version: _, ...answer }) => {
      wanted = { ...wanted, ...answer };
    },
  };
}

/** Sockets whose mounts are looked for: also known ones that are away for the moment, which is when their consumers are worst off. */
const mountable = (sockets: RoundSoFar["sockets"]): readonly string[] => [...new Set([...(sockets.looked ? sockets.paths : []), ...KNOWN_SOCKETS.map(({ path }) => canonicalSocketPath(path))])];

/** Uids of the ready pods of one CNI's daemon, as far as the runtime's list and their names tell. */
const podsOfCni = ({ sandboxes }: RuntimeLook, cni: string): readonly string[] =>
  sandboxes.looked ? sandboxes.items.filter(({ ready, namespace, name }) => ready && cniOf(namespace, name, []) === cni).map(({ uid }) => uid) : [];

const wantedPrograms = ({ dir }: ConfigLook, nadPluginTypes: readonly string[] = []): ReadonlySet<string> =>
  new Set([...(dir?.files.flatMap(({ config }) => (config.usable ? [...config.pluginTypes, ...config.delegateTypes] : [])) ?? []), ...nadPluginTypes]);

const namesOf =
  (names: PodNamesLook) =>
  ({ containerId, podUid }: ContainerOf): ContainerNames => {
    const container = names.looked && containerId !== undefined ? names.container(containerId) : undefined;
    const uid = podUid ?? container?.podUid;
    const pod = names.looked && uid !== undefined ? names.pod(uid) : undefined;
    return {
      ...(uid === undefined ? {} : { podUid: uid }),
      ...(pod === undefined ? {} : { namespace: pod.namespace, pod: pod.name }),
      ...(container === undefined ? {} : { container: container.name }),
    };
  };
