import type { PodObject } from "./model";

/**
 * True where the pod has a ready sandbox now. Kubernetes 1.29 and later say so in a condition; before that a pod IP or
 * a started container is the first sign. Says nothing of pods on the host's network, which need no CNI.
 */
export function hasReadySandbox(pod: PodObject): boolean {
  return pod.readyToStart === undefined ? pod.hasIp || pod.containerStartedMs !== undefined : pod.readyToStart.status;
}

/**
 * When the sandbox of this pod became ready, UTC ms; `undefined` where it is no fresh sandbox: none ready, no time told,
 * or a pod on the host's network (a restarted daemon would otherwise prove itself). A pod that is being deleted still
 * counts: its sandbox did start.
 *
 * `before` is the same pod as it was last seen. Below 1.29 a container's start stands for the sandbox's, and only the
 * first one does: a container that crashes and starts again says nothing about new sandboxes.
 */
export function freshMsOf(pod: PodObject, before?: PodObject): number | undefined {
  if (pod.hostNetwork || !hasReadySandbox(pod)) return undefined;
  if (pod.readyToStart !== undefined) return pod.readyToStart.sinceMs;
  return before !== undefined && hasReadySandbox(before) ? undefined : pod.containerStartedMs;
}

/**
 * The newest fresh sandbox of a node as a running maximum: pods vanish, and what they proved must not vanish with them.
 * A time after `nowMs` (a node whose clock is ahead) counts as now, so that it cannot prove the future.
 */
export function trackFresh(lastFreshMs: number | undefined, pod: PodObject, nowMs: number, before?: PodObject): number | undefined {
  const freshMs = freshMsOf(pod, before);
  if (freshMs === undefined) return lastFreshMs;
  const capped = Math.min(freshMs, nowMs);
  return lastFreshMs === undefined ? capped : Math.max(lastFreshMs, capped);
}
