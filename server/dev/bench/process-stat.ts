import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** What the kernel tells of one process; its children are counted apart. Linux only. */
export const hasProc = existsSync("/proc/self/stat");

let ticksPerSecond: number | undefined;

/** CPU seconds, user and system, that the process itself used since it began. */
export function cpuSeconds(pid: number): number {
  ticksPerSecond ??= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
  const seconds = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  if (!Number.isFinite(seconds)) throw new Error(`/proc/${pid}/stat tells no CPU time`);
  return seconds;
}

export function rssMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (kib === undefined) throw new Error(`/proc/${pid}/status tells no resident memory`);
  return Number(kib) / 1_024;
}

export function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter((text) => text.trim() !== "").map(Number));
}
