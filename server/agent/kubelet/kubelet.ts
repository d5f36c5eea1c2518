import type { KubeletReading, LaterParts } from "../../domain/agent-readings";
import { capText } from "../../domain/agent-report";
import { parseGoDuration } from "../../domain/go-duration";
import { DEFAULT_RUNTIME_REQUEST_TIMEOUT_SECONDS } from "../../domain/metrics/deadline";
import { pathText } from "../bounds";
import { KUBELET_ROOTS } from "../conf/multus";
import { hostFs, reasonOf, type HostFs, type Stamp } from "../host-fs";
import { readProcFile } from "../proc/proc-files";
import type { ProcScan } from "../proc/scan";
import { kubeletFlags, type KubeletFlags } from "./command-line";
import { flagsInFile, k3sFlags, KubeletUnknown, type ReadableFs } from "./embedded";

export interface KubeletReader {
  look(scan: ProcScan): Promise<NonNullable<LaterParts["kubelet"]>>;
  /** The port at which it answers to whoever asks; 0: none. Throws where its settings are not known. */
  readOnlyPort(scan: ProcScan): Promise<number>;
}

/** The kubelet by itself, and the programs that hold one. RKE2 and k0s run one by itself. */
const PROGRAM = /\/(kubelet|kubelite|k3s)(?: \(deleted\))?$/;
const FLAG = "--runtime-request-timeout";
const DROP_IN = ".conf";
const MAX_CMDLINE_BYTES = 128 * 1024;
const MAX_CONFIG_BYTES = 256 * 1024;
const MAX_DROP_INS = 64;

interface Settings {
  readonly stamp: Stamp;
  readonly timeout?: string;
  readonly readOnlyPort?: number;
}

/** Of a kubelet that is given no config file. One that is given any has it off unless the file says otherwise. */
const READ_ONLY_PORT_WITHOUT_CONFIG = 10_255;

/**
 * The kubelet's `runtimeRequestTimeout` and read-only port out of its own settings: the command line before the drop-ins, those before the config file,
 * and where none of them sets it the kubelet's own default. `root`: the `/proc` of the scan.
 */
export function kubeletReader(fs: HostFs, root: string): KubeletReader {
  const known = new Map<string, Settings>();

  return {
    readOnlyPort: async (scan) => {
      for (const { pid, exe } of scan.processes.values()) {
        const program = exe === undefined ? undefined : PROGRAM.exec(exe)?.[1];
        if (program === undefined) continue;
        if (program === "k3s") return 0; // it turns the port off by a flag of its own
        const where = either(fs, hostFs(`${root}/${String(pid)}/root`));
        return portOf(await flagsOfProcess(pid, where), where);
      }
      throw new KubeletUnknown("no process named kubelet is seen");
    },
    look: async (scan) => {
      try {
        return { looked: true, reading: await readingOf(scan) };
      } catch (error) {
        return { looked: false, reason: capText(error instanceof KubeletUnknown ? error.message : reasonOf(error)) };
      }
    },
  };

  async function readingOf(scan: ProcScan): Promise<KubeletReading> {
    for (const { pid, exe } of scan.processes.values()) {
      const program = exe === undefined ? undefined : PROGRAM.exec(exe)?.[1];
      if (program === undefined) continue;
      const where = either(fs, hostFs(`${root}/${String(pid)}/root`));
      if (program === "k3s") return ofK3s(where);
      return ofFlags(await flagsOfProcess(pid, where), where);
    }
    return withoutProcess();
  }

  async function flagsOfProcess(pid: number, where: ReadableFs): Promise<KubeletFlags> {
    let flags: KubeletFlags;
    try {
      flags = kubeletFlags((await readProcFile(`${root}/${String(pid)}/cmdline`, MAX_CMDLINE_BYTES)).toString("utf8"));
    } catch (error) {
      throw new KubeletUnknown(`the kubelet's command line could not be read: ${reasonOf(error)}`, { cause: error });
    }
    return flags.argsFile === undefined ? flags : flagsInFile(where, flags.argsFile);
  }

  /** k3s hides its command line, so that only what a file sets is known, and nothing says that the default holds. */
  async function ofK3s(where: ReadableFs): Promise<KubeletReading> {
    const { flags, from } = await k3sFlags(where);
    if (flags.runtimeRequestTimeout !== undefined) return reading(flags.runtimeRequestTimeout, from);
    for (const path of await dropIns(flags.configDir, where)) {
      const timeout = (await settingsIn(path, where))?.timeout;
      if (timeout !== undefined && parseGoDuration(timeout) !== 0) return reading(timeout, path);
    }
    throw new KubeletUnknown("k3s hides its command line, and none of its files sets the timeout");
  }

  async function ofFlags(flags: KubeletFlags, where: ReadableFs): Promise<KubeletReading> {
    if (flags.runtimeRequestTimeout !== undefined) return reading(flags.runtimeRequestTimeout, FLAG);
    for (const path of [...(await dropIns(flags.configDir, where)), ...(flags.config === undefined ? [] : [flags.config])]) {
      const settings = path.startsWith("/") ? await settingsIn(path, where) : undefined;
      if (settings === undefined) throw new KubeletUnknown(`nothing at ${path}, which the kubelet's command line names`);
      if (settings.timeout !== undefined) return reading(settings.timeout, path);
    }
    return { runtimeRequestTimeoutSeconds: DEFAULT_RUNTIME_REQUEST_TIMEOUT_SECONDS, timeoutFrom: "default" };
  }

  async function portOf(flags: KubeletFlags, where: ReadableFs): Promise<number> {
    if (flags.readOnlyPort !== undefined) return Number(flags.readOnlyPort);
    for (const path of [...(await dropIns(flags.configDir, where)), ...(flags.config === undefined ? [] : [flags.config])]) {
      const settings = path.startsWith("/") ? await settingsIn(path, where) : undefined;
      if (settings === undefined) throw new KubeletUnknown(`nothing at ${path}, which the kubelet's command line names`);
      if (settings.readOnlyPort !== undefined) return settings.readOnlyPort;
    }
    return flags.config === undefined ? READ_ONLY_PORT_WITHOUT_CONFIG : 0;
  }

  /** A config that sets it is worth something; of one that does not, nobody knows what a command line would add. */
  async function withoutProcess(): Promise<KubeletReading> {
    for (const folder of KUBELET_ROOTS) {
      const path = `${folder}/config.yaml`;
      const timeout = (await settingsIn(path))?.timeout;
      if (timeout !== undefined) return reading(timeout, path);
    }
    throw new KubeletUnknown("no process named kubelet is seen, and no usual config of one sets the timeout");
  }

  /** Later ones win, so they are asked first. */
  async function dropIns(dir: string | undefined, where: ReadableFs): Promise<readonly string[]> {
    if (dir === undefined) return [];
    const names = ((await where.list(dir)) ?? []).map(({ name }) => name).filter((name) => name.endsWith(DROP_IN));
    return names.sort().reverse().slice(0, MAX_DROP_INS).map((name) => `${dir}/${name}`);
  }

  /** Undefined where there is no such file. */
  async function settingsIn(path: string, where: ReadableFs = fs): Promise<Settings | undefined> {
    const stamp = await where.stamp(path);
    if (stamp === undefined) return undefined;
    const before = known.get(path);
    if (before?.stamp.key === stamp.key) return before;
    const settings = { stamp, ...(await settingsOf((await where.read(path, MAX_CONFIG_BYTES))?.toString("utf8") ?? "", path)) };
    known.set(path, settings);
    return settings;
  }
}

/** A pod has not every folder of the node mounted, but the kubelet's own root has what its command line names. */
const either = (first: ReadableFs, second: ReadableFs): ReadableFs => ({
  list: async (path) => (await first.list(path)) ?? (await second.list(path)),
  stamp: async (path) => (await first.stamp(path)) ?? (await second.stamp(path)),
  read: async (path, maxBytes) => (await first.read(path, maxBytes)) ?? (await second.read(path, maxBytes)),
});

async function settingsOf(text: string, path: string): Promise<Omit<Settings, "stamp">> {
  // Loaded only now: most agents need it once.
  const { load } = await import("js-yaml");
  let config: unknown;
  try {
    config = load(text);
  } catch (error) {
    throw new KubeletUnknown(`${path} is neither YAML nor JSON`, { cause: error });
  }
  const { runtimeRequestTimeout: timeout, readOnlyPort: port }: { readonly runtimeRequestTimeout?: unknown; readonly readOnlyPort?: unknown } = typeof config === "object" && config !== null ? config : {};
  return { ...(typeof timeout === "string" ? { timeout } : {}), ...(typeof port === "number" ? { readOnlyPort: port } : {}) };
}

/** Nothing, and zero, mean the default to the kubelet. */
function reading(text: string, from: string): KubeletReading {
  const seconds = parseGoDuration(text);
  if (seconds === undefined) throw new KubeletUnknown(`${from}: the timeout is no duration`);
  if (seconds === 0) return { runtimeRequestTimeoutSeconds: DEFAULT_RUNTIME_REQUEST_TIMEOUT_SECONDS, timeoutFrom: "default" };
  return { runtimeRequestTimeoutSeconds: seconds, timeoutFrom: pathText(from) };
}
