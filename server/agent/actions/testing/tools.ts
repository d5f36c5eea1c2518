import type { Clock } from "../../../clock";
import type { WorkObject } from "../../../domain/actions/work-order";
import type { AgentReport } from "../../../domain/agent-report";
import { createLog } from "../../../log";
import { ownSite } from "../site";
import type { Tools } from "../types";

/** What a doer is given, with what it told and noted kept for the test. */
export function toolsOf(options: { readonly clock: Clock; readonly hostRoot?: string; readonly binDirs?: readonly string[]; readonly criSocket?: string; readonly pods?: readonly string[] }): { readonly tools: Tools; readonly told: WorkObject[]; readonly notes: Readonly<Record<string, string>>[] } {
  const { clock, hostRoot = "", binDirs = [], criSocket, pods = [] } = options;
  const told: WorkObject[] = [];
  const notes: Readonly<Record<string, string>>[] = [];
  const report = { config: { looked: true, reading: { dir: "/etc/cni/net.d", pluginTypes: [], sockets: [], missingBinaries: [], binDirs } } } as unknown as AgentReport; // all that a doer reads of it
  return {
    told,
    notes,
    tools: {
      ...ownSite(hostRoot, { criSocketHere: () => criSocket }, clock),
      clock,
      log: createLog("silent", "test"),
      pods: () => Promise.resolve({ atMs: clock.now(), uids: pods }),
      report: () => report,
      tell: async (object) => void told.push(object),
      note: async (note) => void notes.push(note),
      over: () => false,
      sleep: (ms) => new Promise((resolve) => void clock.after(ms, () => resolve())),
    },
  };
}
