import { purgeable, sandboxName } from "../../domain/actions/dead-sandbox";
import { DEFAULT_PARALLEL } from "../../domain/actions/purge-dead-sandboxes";
import { MAX_ORDER_OBJECTS, type WorkObject } from "../../domain/actions/work-order";
import type { SandboxReading } from "../../domain/agent-report";
import { reasonOf } from "../host-fs";
import { createPace, type Pace } from "./pace";
import { keptList, type SandboxRuntime } from "./sandboxes";
import type { Doer, Tools } from "./types";

/** The network plugin's DEL is part of it. */
const STOP_WITHIN_MS = 60_000;

/** Stops and removes dead sandboxes, each looked at again right before. */
export const purgeDeadSandboxes: Doer = {
  survey: async (_order, tools) =>
    tools.withRuntime(async (runtime) => {
      const all = await runtime.list();
      const pods = await tools.pods();
      const nowMs = tools.clock.now();
      const dead = all.filter(({ ready }) => !ready).sort((a, b) => (a.createdMs ?? 0) - (b.createdMs ?? 0));
      const looked = dead.map((sandbox): WorkObject => {
        const verdict = purgeable(sandbox, all, pods, nowMs);
        return { id: sandbox.id, name: sandboxName(sandbox), ...(verdict.purge ? { outcome: "would", reason: verdict.because } : { outcome: "left", reason: verdict.reason }) };
      });
      return [...looked.filter(({ outcome }) => outcome === "would"), ...looked.filter(({ outcome }) => outcome !== "would")].slice(0, MAX_ORDER_OBJECTS);
    }),
  carryOut: async (order, tools) =>
    tools.withRuntime(async (runtime) => {
      const todo = [...order.objects];
      const pace = createPace();
      const lists = keptList(runtime);
      const work = async (): Promise<void> => {
        for (let id = todo.shift(); id !== undefined; id = todo.shift()) {
          if (tools.over()) return;
          await tools.tell(await purgeOne(id, runtime, lists, pace, tools));
          await tools.sleep(pace.pauseMs());
        }
      };
      await Promise.all(Array.from({ length: order.params.parallel ?? DEFAULT_PARALLEL }, work));
    }),
  recover: async (_order, { notes, objects }, tools) => {
    for (const note of notes) {
      const { begins: id, name = "" } = note;
      if (id !== undefined && !objects.some((one) => one.id === id)) await tools.tell({ id, name, outcome: "failed", reason: "the agent ended while it was removed: it may be gone or not" });
    }
  },
};

async function purgeOne(id: string, runtime: SandboxRuntime, lists: () => Promise<readonly SandboxReading[]>, pace: Pace, tools: Tools): Promise<WorkObject> {
  let name = id.slice(0, 12);
  let stopMs: number | undefined;
  try {
    const pods = await tools.pods();
    const all = await lists();
    const sandbox = (await runtime.list(id)).find((one) => one.id === id);
    if (sandbox === undefined) return { id, name, outcome: "left", reason: "it is gone already" };
    name = sandboxName(sandbox);
    const verdict = purgeable(sandbox, [...all.filter((one) => one.id !== id), sandbox], pods, tools.clock.now());
    if (!verdict.purge) return { id, name, outcome: "left", reason: verdict.reason };
    await tools.note({ begins: id, name });
    stopMs = tools.monotonicMs();
    await runtime.stop(id, STOP_WITHIN_MS);
    await runtime.remove(id, STOP_WITHIN_MS);
    return { id, name, outcome: "done", reason: verdict.because };
  } catch (error) {
    return { id, name, outcome: "failed", reason: reasonOf(error) };
  } finally {
    if (stopMs !== undefined) pace.done(tools.monotonicMs() - stopMs, liveCallers(tools));
  }
}

/** Callers of plugins that live: with each the daemon's queue is longer. By the newest report, so some seconds old. */
function liveCallers(tools: Tools): number | undefined {
  const processes = tools.report()?.processes;
  return processes?.looked === true ? processes.items.filter(({ called }) => called !== false).length : undefined;
}
