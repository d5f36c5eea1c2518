import type { BinaryProblem, BinaryReading, LaterParts, PluginProcess, StaleMount } from "./agent-readings";

/** A file of the conf dir, in load order. */
export interface HostConfigFile {
  readonly name: string;
  readonly usable: boolean;
  readonly problem?: string;
  readonly pluginTypes: readonly string[];
}

/** A program that some config asks for, that has a fault, or that runs now. */
export interface HostBinary {
  readonly name: string;
  readonly problem?: BinaryProblem;
  readonly version?: string;
  /** Files of the conf dir and "NAD"; empty where nobody asks for it. */
  readonly wantedBy: readonly string[];
  /** Processes that execute it now: a copy over it gives "Text file busy". */
  readonly running: number;
}

/** What an agent saw on its node's disk and in its mounts, as far as a person looks at it. A part that could not be looked at is absent; why is among what cannot be seen. */
export interface HostView {
  readonly configFiles?: readonly HostConfigFile[];
  /** False: a usable file is there and the runtime has not loaded it. */
  readonly configLoaded?: boolean;
  /** The network by which the runtime works, where that is not the file's. */
  readonly configLoadedOther?: string;
  readonly binDirs?: readonly string[];
  readonly binaries?: readonly HostBinary[];
  /** Names of programs that are there, whole, and asked for by nobody. */
  readonly otherBinaries?: readonly string[];
  readonly staleMounts?: readonly Pick<StaleMount, "socketPath" | "mountPath" | "namespace" | "pod" | "container" | "mountedInode" | "hostInode" | "because">[];
  /** Mounts of known sockets that were seen, stale or not. */
  readonly mountsSeen?: number;
}

/** Bounds of each list: a node of one's own has four files and a dozen programs. */
const MAX_FILES = 16;
const MAX_BINARIES = 24;
const MAX_OTHERS = 32;
const MAX_MOUNTS = 16;

/** The parts of a report that a node's page shows of its host, cut at their bounds, the faulty first; undefined where the report has none of them. */
export function hostView({ configFiles, binaries, processes, mounts }: LaterParts): HostView | undefined {
  const view: HostView = {
    ...(configFiles?.looked === true ? configOf(configFiles.reading) : {}),
    ...(binaries?.looked === true ? programsOf(binaries.items, processes?.looked === true ? processes.items : []) : {}),
    ...(mounts?.looked === true ? { staleMounts: mounts.stale.slice(0, MAX_MOUNTS).map(mountOf), mountsSeen: mounts.mountsSeen } : {}),
  };
  return Object.keys(view).length === 0 ? undefined : view;
}

const configOf = ({ files, loaded, loadedOther }: Extract<NonNullable<LaterParts["configFiles"]>, { looked: true }>["reading"]): Pick<HostView, "configFiles" | "configLoaded" | "configLoadedOther"> => ({
  configFiles: files.slice(0, MAX_FILES).map(({ name, usable, problem, pluginTypes }) => ({ name, usable, pluginTypes, ...(problem === undefined ? {} : { problem }) })),
  ...(loaded === undefined ? {} : { configLoaded: loaded }),
  ...(loadedOther === undefined ? {} : { configLoadedOther: loadedOther }),
});

function programsOf(items: readonly BinaryReading[], processes: readonly PluginProcess[]): Pick<HostView, "binDirs" | "binaries" | "otherBinaries"> {
  const running = new Map<string, number>();
  for (const { path, replaced } of processes) if (!replaced) running.set(path, (running.get(path) ?? 0) + 1);
  const all = items.map(({ type, dir, problem, version, wantedBy }): HostBinary => ({
    name: type,
    wantedBy,
    running: dir === undefined ? 0 : (running.get(`${dir}/${type}`) ?? 0),
    ...(problem === undefined ? {} : { problem }),
    ...(version === undefined ? {} : { version }),
  }));
  const shown = all.filter(({ problem, wantedBy, running: count }) => problem !== undefined || wantedBy.length > 0 || count > 0);
  const gravity = ({ problem, wantedBy }: HostBinary): number => (problem === undefined ? 2 : wantedBy.length > 0 ? 0 : 1);
  return {
    binDirs: [...new Set(items.flatMap(({ dir }) => dir ?? []))],
    binaries: shown.sort((a, b) => gravity(a) - gravity(b) || b.running - a.running || (a.name < b.name ? -1 : 1)).slice(0, MAX_BINARIES),
    otherBinaries: all.filter((one) => !shown.includes(one)).map(({ name }) => name).sort().slice(0, MAX_OTHERS),
  };
}

const mountOf = ({ socketPath, mountPath, namespace, pod, container, mountedInode, hostInode, because }: StaleMount): NonNullable<HostView["staleMounts"]>[number] => ({
  socketPath,
  mountPath,
  because,
  ...(namespace === undefined ? {} : { namespace }),
  ...(pod === undefined ? {} : { pod }),
  ...(container === undefined ? {} : { container }),
  ...(mountedInode === undefined ? {} : { mountedInode }),
  ...(hostInode === undefined ? {} : { hostInode }),
});
