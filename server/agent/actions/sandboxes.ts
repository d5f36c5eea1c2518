import { monotonicMs } from "../../clock";
import type { SandboxReading } from "../../domain/agent-report";
import type { CriConnection } from "../cri";
import { CRI_DEADLINE_MS } from "../cri-error";
import { sandboxReading } from "../runtime";
import type { Tools } from "./types";

/** A newer attempt that came within this is seen at the next object. */
const LIST_KEPT_MS = 2_000;

/** Every sandbox as the runtime lists it now. */
export const listSandboxes = async (cri: CriConnection, { clock }: Tools): Promise<readonly SandboxReading[]> => {
  const { items } = await cri.listSandboxes();
  const nowMs = clock.now();
  return items.map((one) => sandboxReading(one, nowMs));
};

/** The same list for a moment: objects come faster than sandboxes do. */
export function keptList(cri: CriConnection, tools: Tools): () => Promise<readonly SandboxReading[]> {
  let kept: { readonly atMs: number; readonly all: readonly SandboxReading[] } | undefined;
  return async () => {
    if (kept === undefined || monotonicMs() - kept.atMs > LIST_KEPT_MS) kept = { atMs: monotonicMs(), all: await listSandboxes(cri, tools) };
    return kept.all;
  };
}

/** A connection of its own: a removal that hangs must not hold up the reports. */
export async function withCri<T>(tools: Tools, work: (cri: CriConnection) => Promise<T>): Promise<T> {
  const socket = await tools.criSocket();
  const { openCri } = await import("../cri");
  const cri = openCri(socket, socket, CRI_DEADLINE_MS);
  try {
    return await work(cri);
  } finally {
    cri.close();
  }
}
