import type { AgentReport, SandboxReading } from "../agent-report";
import { MAX_PODS_AGE_MS, type NodePods } from "./work-order";

/** A dead sandbox younger than this may be of an attempt that is still being cleared away by those whose work it is. */
export const MIN_DEAD_AGE_MS = 10 * 60_000;

export type Purgeable = { readonly purge: true; readonly because: string } | { readonly purge: false; readonly reason: string };

/**
 * Whether a sandbox may be taken away: dead, old enough, and either of a pod that is gone or not the newest of its pod.
 * Times are the node's own, ages in ms; `pods.atMs` is by the same clock.
 *
 * @param all every sandbox that the runtime lists, this one included
 */
export function purgeable(sandbox: SandboxReading, all: readonly SandboxReading[], pods: NodePods, nowMs: number): Purgeable {
  if (sandbox.ready) return { purge: false, reason: "it is ready" };
  if (sandbox.createdMs === undefined) return { purge: false, reason: "its age is unknown" };
  const ageMs = nowMs - sandbox.createdMs;
  if (ageMs < MIN_DEAD_AGE_MS) return { purge: false, reason: `it is ${Math.max(0, Math.floor(ageMs / 1_000))} s old, less than ${MIN_DEAD_AGE_MS / 60_000} min` };
  if (sandbox.uid === "") return { purge: false, reason: "the runtime does not say whose it is" };
  const own = all.filter((one) => one.uid === sandbox.uid);
  if (own.some((one) => isNewer(one, sandbox))) return { purge: true, because: "its pod has a newer sandbox" };
  const podsAgeMs = Math.abs(nowMs - pods.atMs);
  if (podsAgeMs > MAX_PODS_AGE_MS) return { purge: false, reason: `the list of pods is ${Math.round(podsAgeMs / 1_000)} s old, more than ${MAX_PODS_AGE_MS / 1_000} s` };
  if (pods.uids.includes(sandbox.uid)) return { purge: false, reason: "it is the newest of a pod that lives" };
  if (own.some((one) => one.ready)) return { purge: false, reason: "its pod has a ready sandbox" };
  return { purge: true, because: "its pod is gone" };
}

/**
 * The server's list of a node's pods, with those that the kubelet itself still has by the node's own report, where its list is open and as young
 * as the server's has to be: whatever the server says, they are not gone. The kubelet's list alone confirms nothing, since one that has just started
 * without an API server knows static pods alone. `nowMs` by the node's clock.
 */
export function withKubeletPods(pods: NodePods, report: Pick<AgentReport, "atMs" | "kubeletPods"> | undefined, nowMs: number): NodePods {
  if (report?.kubeletPods?.looked !== true || Math.abs(nowMs - report.atMs) > MAX_PODS_AGE_MS) return pods;
  return { ...pods, uids: [...new Set([...pods.uids, ...report.kubeletPods.items.map(({ uid }) => uid)])] };
}

/** By attempt, which the kubelet counts up; by time where a kubelet that lost count began again. */
function isNewer(one: SandboxReading, than: SandboxReading): boolean {
  if (one.id === than.id) return false;
  if (one.attempt !== than.attempt) return one.attempt > than.attempt;
  return one.createdMs !== undefined && than.createdMs !== undefined && one.createdMs > than.createdMs;
}

export const sandboxName = ({ namespace, name, attempt }: SandboxReading): string => `${namespace}/${name}, attempt ${attempt}`;
