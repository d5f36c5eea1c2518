import { readlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { setImmediate as afterOthers } from "node:timers/promises";
import { monotonicMs } from "../../clock";
import { codeOf } from "../host-fs";

/** One process as a scan knows it. */
export interface ScannedProcess {
  readonly pid: number;
  /** Path of its program as the kernel tells it, with " (deleted)" where no path leads to it any more; absent for kernel threads and where it may not be read. */
  readonly exe?: string;
  /** Its mount namespace, "mnt:[4026531841]"; absent as its program is. */
  readonly mountNamespace?: string;
  /** What is absent may not be read. */
  readonly denied: boolean;
}

interface Known extends ScannedProcess {
  readonly young: boolean;
}

export interface ProcScan {
  readonly processes: ReadonlyMap<number, ScannedProcess>;
  /** Processes whose program may not be read; many of them mean that a right is missing. */
  readonly denied: number;
  readonly truncated: boolean;
}

export interface ProcScanner {
  scan(): Promise<ProcScan>;
}

/** Most processes that are looked at. */
export const MAX_PROCESSES = 65_536;
/** Links are read without a thread of their own, which is many times cheaper, and so only for this long at a stretch. */
const SLICE_MS = 5;
const PIDS_BETWEEN_CLOCKS = 16;
/**
 * A known process is looked at again in the round after its first, since between fork and exec it still shows its parent's program,
 * and then every so many rounds: it may have executed another one, or its number may be another's by now.
 */
const RECHECK_ROUNDS = 8;

/**
 * Goes through the processes of a `/proc`. New ones are looked at at once, since a plugin lives for seconds; the others in
 * turn. Only links are read: they need no lock of the process and never hang.
 */
export function procScanner(root: string, clockMs: () => number = monotonicMs): ProcScanner {
  let known = new Map<number, Known>();
  let round = 0;
  return {
    scan: async () => {
      const names = await readdir(root);
      const now: typeof known = new Map();
      const processes = new Map<number, ScannedProcess>();
      let denied = 0;
      let truncated = false;
      let sliceBeganMs = clockMs();
      let since = 0;
      for (const name of names) {
        const pid = pidOf(name);
        if (pid === undefined) continue;
        if (now.size >= MAX_PROCESSES) {
          truncated = true;
          break;
        }
        const before = known.get(pid);
        const one = before === undefined || before.young || pid % RECHECK_ROUNDS === round % RECHECK_ROUNDS ? examine(root, pid, before === undefined) : before;
        now.set(pid, one);
        processes.set(pid, one);
        if (one.denied) denied += 1;
        since += 1;
        if (since < PIDS_BETWEEN_CLOCKS) continue;
        since = 0;
        if (clockMs() - sliceBeganMs < SLICE_MS) continue;
        await afterOthers();
        sliceBeganMs = clockMs();
      }
      known = now;
      round += 1;
      return { processes, denied, truncated };
    },
  };
}

const ZERO = 0x30;
const NINE = 0x39;

function pidOf(name: string): number | undefined {
  const first = name.charCodeAt(0);
  if (!(first > ZERO && first <= NINE)) return undefined; // names of files, and nothing at all
  const pid = Number(name);
  return Number.isSafeInteger(pid) ? pid : undefined;
}

function examine(root: string, pid: number, young: boolean): Known {
  let denied = false;
  const link = (name: string): string | undefined => {
    try {
      return readlinkSync(`${root}/${String(pid)}/${name}`);
    } catch (error) {
      const code = codeOf(error);
      // ENOENT: a kernel thread has no program, and a process that is about to end no longer one.
      if (code === "EACCES" || code === "EPERM") denied = true;
      return undefined;
    }
  };
  const exe = link("exe");
  if (exe === undefined && !denied) return { pid, denied, young };
  const mountNamespace = link("ns/mnt");
  return { pid, denied, young, ...(exe === undefined ? {} : { exe }), ...(mountNamespace === undefined ? {} : { mountNamespace }) };
}

/** Programs of which a node has at least one: where none is seen, it is not the node's processes that are seen. */
const OF_EVERY_NODE = /\/(?:containerd|containerd-shim[\w-]*|crio|conmon|dockerd|kubelet|k3s|k0s|rke2)(?: \(deleted\))?$/;

/** Whether the node's processes are seen with their programs, without them (a right is missing), or not at all. */
export function sightOf({ processes, denied }: ProcScan): "programs" | "processes" | "none" {
  for (const { exe } of processes.values()) if (exe !== undefined && OF_EVERY_NODE.test(exe)) return "programs";
  // A process may always read of its like: those that it may not read are others'.
  return denied > processes.size / 2 ? "processes" : "none";
}

export const NO_PROCESSES = "no process of a kubelet or runtime is seen: the agent is not among the node's processes (hostPID)";
export const NO_PROGRAMS = "the programs of other processes may not be read (CAP_SYS_PTRACE is missing, or SELinux or AppArmor forbids it)";
