import type { NodeModel } from "./node";
import type { PodRecord } from "./records";

/** What an onlooker with sight of everything counts on a node; for tests and benches, never for what the node tells. */
export interface NodeCounts {
  readonly dead: number;
  readonly waiting: number;
  /** Dead sandboxes of pods that wait, and of pods that are gone. */
  readonly ofWaiting: number;
  readonly ofGone: number;
  readonly backlog: number;
}

const waits = (pod: PodRecord): boolean =>
  pod.kind !== "host-network" && pod.kind !== "cni-daemon" && pod.phase !== "Succeeded" && pod.deletingMs === undefined && !pod.sandboxReady.status;

export function countNode(node: NodeModel): NodeCounts {
  let dead = 0;
  let ofWaiting = 0;
  let ofGone = 0;
  for (const sandbox of node.runtime.sandboxes.values()) {
    if (sandbox.state === "ready") continue;
    dead += 1;
    const pod = node.kubelet.pods.get(sandbox.podUid);
    if (pod === undefined) ofGone += 1;
    else if (waits(pod)) ofWaiting += 1;
  }
  const waiting = [...node.kubelet.pods.values()].filter(waits).length;
  return { dead, waiting, ofWaiting, ofGone, backlog: ofWaiting + ofGone };
}

/** Whether a sandbox that needed the CNI became ready after `sinceMs`. */
export const freshSince = (node: NodeModel, sinceMs: number): boolean => (node.kubelet.lastFreshMs ?? 0) > sinceMs;
