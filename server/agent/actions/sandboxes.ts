import { monotonicMs, type Clock } from "../../clock";
import type { SandboxReading } from "../../domain/agent-report";
import { CRI_DEADLINE_MS } from "../cri-error";
import { sandboxReading } from "../runtime";

/** What a purge asks of the runtime. */
export interface SandboxRuntime {
  /** Every sandbox as it lists them now, or the one of this id. */
  list(id?: string): Promise<readonly SandboxReading[]>;
  /** Rejects with the runtime's own words, and where no answer comes in time. */
  stop(id: string, withinMs: number): Promise<void>;
  remove(id: string, withinMs: number): Promise<void>;
}

/** A newer attempt that came within this is seen at the next object. */
const LIST_KEPT_MS = 2_000;

/** The whole list for a moment: objects come faster than sandboxes do. */
export function keptList(runtime: SandboxRuntime): () => Promise<readonly SandboxReading[]> {
  let kept: { readonly atMs: number; readonly all: readonly SandboxReading[] } | undefined;
  return async () => {
    if (kept === undefined || monotonicMs() - kept.atMs > LIST_KEPT_MS) kept = { atMs: monotonicMs(), all: await runtime.list() };
    return kept.all;
  };
}

/** A connection of its own: a removal that hangs must not hold up the reports. `socket` is the path on this side. */
export async function withCri<T>(socket: string | undefined, clock: Clock, work: (runtime: SandboxRuntime) => Promise<T>): Promise<T> {
  if (socket === undefined) throw new Error("the runtime's socket was not found");
  const { openCri } = await import("../cri");
  const cri = openCri(socket, socket, CRI_DEADLINE_MS);
  try {
    return await work({
      list: async (id) => {
        const { items } = await cri.listSandboxes(id);
        const nowMs = clock.now();
        return items.map((one) => sandboxReading(one, nowMs));
      },
      stop: (id, withinMs) => cri.stopSandbox(id, withinMs),
      remove: (id, withinMs) => cri.removeSandbox(id, withinMs),
    });
  } finally {
    cri.close();
  }
}
