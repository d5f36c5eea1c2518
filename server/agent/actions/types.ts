import type { NodePods, WorkObject, WorkOrder } from "../../domain/actions/work-order";
import type { AgentReport } from "../../domain/agent-report";
import type { Clock } from "../../clock";
import type { Log } from "../../log";
import type { HostFiles } from "./host-files";
import type { SandboxRuntime } from "./sandboxes";

/** What of the node an action works on. */
export interface Site {
  readonly files: HostFiles;
  /** Rejects where there is no runtime to be reached. */
  withRuntime<T>(work: (runtime: SandboxRuntime) => Promise<T>): Promise<T>;
  /** Milliseconds that only grow, for how long something took. */
  monotonicMs(): number;
}

/** What a node action is carried out with. */
export interface Tools extends Site {
  readonly clock: Clock;
  readonly log: Log;
  /** This node's pods by a list that is young enough, waited for if need be; the newest that could be had where the order's time runs out. */
  pods(): Promise<NodePods>;
  /** The newest report of this agent; absent before the first. */
  report(): AgentReport | undefined;
  /** Kept and told: what became of one object. Resolves once it is on the disk. */
  tell(object: WorkObject): Promise<void>;
  /** On the disk before it resolves; given back by `recover` after a restart. */
  note(note: Readonly<Record<string, string>>): Promise<void>;
  /** True once nothing may be begun any more: the order's time is over, or the agent was told to end. */
  over(): boolean;
  /** Resolves early where the agent is told to end. */
  sleep(ms: number): Promise<void>;
}

/** The doing part of one node action. One file each. */
export interface Doer {
  /** Everything that would be touched now, and what is near it and would be left, with the reason. Touches nothing. */
  survey(order: WorkOrder, tools: Tools): Promise<readonly WorkObject[]>;
  /** Touches objects of the order alone, each looked at again right before. Tells each. */
  carryOut(order: WorkOrder, tools: Tools): Promise<void>;
  /** After a restart in the middle: puts right what must not stay half done. Begins nothing new. */
  recover?(order: WorkOrder, before: { readonly notes: readonly Readonly<Record<string, string>>[]; readonly objects: readonly WorkObject[] }, tools: Tools): Promise<void>;
}
