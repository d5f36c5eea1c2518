import type { AgentReport } from "./agent-report";
import { hasReadySandbox } from "./fresh";
import { canonicalSocketPath } from "./known-sockets";
import type { PodObject } from "./model";
import { containerInstance } from "./node-window";
import type { NodeView } from "./node-view";
import { podsSeen } from "./pods-seen";
import { socketStateCode, type Sample } from "./signals";

/**
 * The samples that the API gives of a node, out of its view; none while the API is not fresh for it, since a count of
 * what was is no count of what is. A dwell without a waiting pod and a limit that is not set have no sample.
 *
 * @param nowMs the moment of the view, UTC ms
 */
export function apiSamples(view: NodeView, nowMs: number): readonly Sample[] {
  if (view.sources.find(({ source }) => source === "api")?.freshness !== "fresh") return [];
  const { counts } = view;
  const samples: Sample[] = [];
  const add = (signal: Sample["signal"], value: number, instance = ""): void => {
    samples.push({ signal, instance, atMs: nowMs, value });
  };
  if (podsSeen(view)) {
    add("pods.waiting", counts.waiting);
    add("pods.stuck", counts.stuck);
    add("pods.own_request", counts.ownRequest);
    add("pods.other_wait", counts.other);
    if (counts.oldestWaitMs !== undefined) add("pods.oldest_dwell", Math.max(0, nowMs - counts.oldestWaitMs) / 1_000);
  }
  for (const daemon of view.daemons) {
    const instance = containerInstance(daemon.pod, daemon.container);
    add("daemon.restarts", daemon.restarts, daemon.pod);
    if (daemon.cpuLimitCores !== undefined) add("daemon.cpu.limit", daemon.cpuLimitCores, instance);
    if (daemon.memoryLimitBytes !== undefined) add("daemon.memory.limit", daemon.memoryLimitBytes, instance);
  }
  return samples;
}

/**
 * The samples that an agent's report gives. Parts that the agent could not look at have none, nor has a list of
 * sandboxes that was cut.
 *
 * @param livePods the node's pods by uid; absent while they are not known, and then there is no backlog, because a dead sandbox of a
 *   running pod cannot be told from one that matters
 * @param atMs when the report was made, by the server's clock
 */
export function agentSamples(report: AgentReport, livePods: ReadonlyMap<string, PodObject> | undefined, atMs: number): readonly Sample[] {
  const samples: Sample[] = [];
  const add = (signal: Sample["signal"], value: number, instance = ""): void => {
    samples.push({ signal, instance, atMs, value });
  };
  if (report.sandboxes.looked) {
    const { items, tookSeconds, truncated } = report.sandboxes;
    add("cri.list_seconds", tookSeconds);
    if (!truncated) {
      const dead = items.filter(({ ready }) => !ready);
      add("sandbox.ready", items.length - dead.length);
      add("sandbox.dead", dead.length);
      if (livePods !== undefined) add("sandbox.backlog", dead.filter(({ uid }) => isBacklog(livePods.get(uid))).length);
    }
  }
  if (report.sockets.looked) {
    for (const { path, state, latencySeconds } of report.sockets.items) {
      const instance = canonicalSocketPath(path);
      add("socket.state", socketStateCode(state), instance);
      if (latencySeconds !== undefined) add("socket.latency", latencySeconds, instance);
    }
  }
  return samples;
}

/**
 * Whether a dead sandbox is backlog: its pod is gone, or lives and has not started. The leftover of a finished pod is not,
 * nor that of a pod with a newer, ready sandbox, nor that of a pod which ran and is being deleted.
 */
export function isBacklog(pod: PodObject | undefined): boolean {
  if (pod === undefined) return true;
  if (pod.phase === "Succeeded" || pod.phase === "Failed") return false;
  if (pod.deleting) return pod.containerStartedMs === undefined;
  return !hasReadySandbox(pod);
}
