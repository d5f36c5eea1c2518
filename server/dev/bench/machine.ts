import { execFile } from "node:child_process";
import os from "node:os";
import { promisify } from "node:util";

export interface Machine {
  readonly system: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryMib: number;
  readonly node: string;
  readonly commit: string;
  /** 1, 5 and 15 minutes before the start. */
  readonly loadBefore: readonly number[];
  /** Something else was at work, so figures of time are worse than the product is. */
  readonly busy: boolean;
  readonly at: string;
}

/** Above this load for each core the machine was not ours alone. */
const CALM_LOAD_PER_CORE = 0.25;

export async function describeMachine(root: string, loadBefore: readonly number[]): Promise<Machine> {
  const cores = os.availableParallelism();
  return {
    system: `${os.type()} ${os.arch()}`,
    cpu: os.cpus()[0]?.model.trim() ?? "unknown",
    cores,
    memoryMib: Math.round(os.totalmem() / 2 ** 20),
    node: process.version,
    commit: await commit(root),
    loadBefore,
    busy: (loadBefore[0] ?? 0) > CALM_LOAD_PER_CORE * cores,
    at: new Date().toISOString(),
  };
}

async function commit(root: string): Promise<string> {
  const git = (...args: readonly string[]) => promisify(execFile)("git", ["-C", root, ...args]).then(({ stdout }) => stdout.trim());
  try {
    const hash = await git("rev-parse", "--short", "HEAD");
    return (await git("status", "--porcelain", "--untracked-files=no")) === "" ? hash : `${hash} with changes`;
  } catch (error) {
    return `unknown (${error instanceof Error ? (error.message.split("\n")[0] ?? "") : "no git"})`;
  }
}

const load = (machine: Machine): string => machine.loadBefore.map((value) => value.toFixed(2)).join(", ");

export function machineLines(machine: Machine): readonly string[] {
  return [
    `${machine.system}, ${machine.cores} cores (${machine.cpu}), ${(machine.memoryMib / 1_024).toFixed(1)} GiB of memory, Node ${machine.node.replace(/^v/, "")}`,
    `commit ${machine.commit}, ${machine.at.slice(0, 16).replace("T", " ")} UTC`,
    `load average before the start ${load(machine)}${machine.busy ? ": MADE UNDER LOAD, so times and lateness are worse than on a calm machine" : ""}`,
  ];
}
