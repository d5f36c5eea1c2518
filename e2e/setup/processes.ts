import { readFileSync } from "node:fs";

/** What `/proc` tells of a process; a process may end at any moment, and then there is nothing. */
function told(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return undefined;
    throw error;
  }
}

/** Neither gone nor a zombie. */
export function isAlive(pid: number): boolean {
  const status = told(`/proc/${pid}/status`);
  return status !== undefined && !/^State:\s+Z/m.test(status);
}

export const childrenOf = (pid: number): readonly number[] => (told(`/proc/${pid}/task/${pid}/children`) ?? "").split(" ").filter((text) => text !== "").map(Number);

/** Sends a signal; no fault where the process has ended meanwhile. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
