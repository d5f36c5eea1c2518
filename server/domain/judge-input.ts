import type { ConfigReading, RuntimeReading, SocketReading } from "./agent-report";
import type { NodeCondition } from "./model";
import type { SourceStatus } from "./sources";
import type { Thresholds } from "./thresholds";

/** A part of the API that judging needs: seen, or why not; `absent` where the cluster has no such kind. */
export type Part = { readonly seen: true } | { readonly seen: false; readonly reason: string; readonly absent?: true };

/** The node's pods that have no ready sandbox, counted. Only `waiting` and `stuck` decide anything. */
export interface HeldPods {
  readonly waiting: number;
  readonly waitingSystem: number;
  readonly stuck: number;
  /** Stuck pods whose sandbox was certainly tried: by an event, or by the agent's list. */
  readonly stuckTried: number;
  readonly ownRequest: number;
  readonly other: number;
  readonly oldestWaitMs?: number;
  readonly oldestStuckMs?: number;
  /** When the stuck pod that has waited least began to wait. */
  readonly newestStuckMs?: number;
}

export const NO_HELD_PODS: HeldPods = { waiting: 0, waitingSystem: 0, stuck: 0, stuckTried: 0, ownRequest: 0, other: 0 };

/** What the agent told last; used only while its source is fresh. A part that it could not look at is absent. */
export interface AgentFacts {
  readonly runtime?: RuntimeReading;
  readonly config?: ConfigReading;
  readonly sockets: readonly EffectiveSocket[];
}

export interface EffectiveSocket extends SocketReading {
  /** Called by a plugin of the effective conflist: beside the runtime's own, only such a socket can be a blocker. */
  readonly effective: boolean;
  /** Since when it is in its state without a break; absent where that is not known. */
  readonly sinceMs?: number;
}

/** Name of the runtime's own socket among the agent's readings. */
export const RUNTIME_SOCKET = "cri";

/** Everything that one judgement rests on. Plain data: a recorded input gives the same answer for ever. */
export interface JudgeInput {
  readonly nowMs: number;
  readonly thresholds: Thresholds;
  /** Freshness of the API for this node; stale while its Ready condition is Unknown. */
  readonly api: SourceStatus;
  readonly pods: Part;
  readonly events: Part;
  /** The node's Ready condition; absent where the kubelet never told one. */
  readonly ready?: NodeCondition;
  readonly held: HeldPods;
  readonly lastFreshMs?: number;
  /** The newest failed sandbox attempt that the pod did not ask for itself. */
  readonly lastFailureMs?: number;
  /** The CNI daemons' pods on this node. */
  readonly daemons: readonly { readonly name: string; readonly ready: boolean }[];
  readonly agentStatus: SourceStatus;
  readonly agent?: AgentFacts;
}
