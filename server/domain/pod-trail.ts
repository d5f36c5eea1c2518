import type { EventObject } from "./model";

/**
 * What the events of one pod say about its sandbox. Times are those at which each thing was last told; counts of events
 * are not rates.
 */
export interface PodTrail {
  /** Newest sign that the sandbox's turn had come: an attempt, a failure, or the kubelet refusing because the network is not ready. */
  readonly sandboxMs?: number;
  /** Newest proof that a sandbox was tried. */
  readonly attemptMs?: number;
  /** Newest text of a failed attempt. */
  readonly error?: { readonly text: string; readonly atMs: number };
  /** Newest complaint of something that comes before the sandbox: a mount, an attachment, a resource claim. */
  readonly earlier?: { readonly reason: string; readonly text: string; readonly atMs: number };
  /** Newest sign of a container: the kubelet pulls an image only once the sandbox stands. */
  readonly containerMs?: number;
  /** FailedCreatePodSandBox and SandboxChanged told for the pod, by their counts. */
  readonly attempts: number;
}

/** Longest event text that is kept and read. */
export const MAX_ERROR_TEXT_CHARS = 4_096;

/** Counted as attempts; the second is Normal, and in a storm's second half the only one that still comes. */
const ATTEMPTS: ReadonlySet<string> = new Set(["FailedCreatePodSandBox", "SandboxChanged"]);
/** Each of these is said while or after a sandbox was tried. AddedInterface and NoNetworkFound come from multus inside the attempt. */
const TRIED: ReadonlySet<string> = new Set([...ATTEMPTS, "FailedPodSandBoxStatus", "AddedInterface", "NoNetworkFound"]);
/** The kubelet holds the pod before its sandbox, and the reason is the network all the same. */
const NETWORK_FIRST: ReadonlySet<string> = new Set(["NetworkNotReady"]);
const ERRORS: ReadonlySet<string> = new Set(["FailedCreatePodSandBox", "NoNetworkFound"]);
/** What a pod can wait for before its sandbox is tried. */
const EARLIER: ReadonlySet<string> = new Set([
  "FailedMount",
  "FailedAttachVolume",
  "FailedMapVolume",
  "FailedPrepareDynamicResources",
  "FailedResourceClaimCreation",
]);
/** Said of a container, so after the pod's sandbox became ready. */
const CONTAINER: ReadonlySet<string> = new Set(["Pulling", "Pulled", "Created", "Started", "BackOff", "ErrImageNeverPull"]);

/** Whether an event about a pod says anything of its sandbox. */
const isTrailReason = (reason: string): boolean => TRIED.has(reason) || NETWORK_FIRST.has(reason) || EARLIER.has(reason) || CONTAINER.has(reason);

/** The trail of a pod from its events, in any order; `undefined` where none of them says anything about its sandbox. */
export function trailOf(events: Iterable<EventObject>): PodTrail | undefined {
  let sandboxMs: number | undefined;
  let attemptMs: number | undefined;
  let containerMs: number | undefined;
  let error: EventObject | undefined;
  let earlier: EventObject | undefined;
  let attempts = 0;
  let told = false;
  for (const event of events) {
    const { reason, lastMs } = event;
    if (event.about.kind !== "Pod" || !isTrailReason(reason)) continue;
    told = true;
    if (ATTEMPTS.has(reason)) attempts += Math.max(1, event.count);
    if (TRIED.has(reason)) attemptMs = Math.max(attemptMs ?? lastMs, lastMs);
    if (CONTAINER.has(reason)) containerMs = Math.max(containerMs ?? lastMs, lastMs);
    if (TRIED.has(reason) || NETWORK_FIRST.has(reason)) sandboxMs = Math.max(sandboxMs ?? lastMs, lastMs);
    if (ERRORS.has(reason) && (error === undefined || lastMs >= error.lastMs)) error = event;
    if (EARLIER.has(reason) && (earlier === undefined || lastMs >= earlier.lastMs)) earlier = event;
  }
  if (!told) return undefined;
  return {
    ...(sandboxMs === undefined ? {} : { sandboxMs }),
    ...(attemptMs === undefined ? {} : { attemptMs }),
    ...(error === undefined ? {} : { error: { text: textOf(error), atMs: error.lastMs } }),
    ...(earlier === undefined ? {} : { earlier: { reason: earlier.reason, text: textOf(earlier), atMs: earlier.lastMs } }),
    ...(containerMs === undefined ? {} : { containerMs }),
    attempts,
  };
}

const textOf = (event: EventObject): string => event.message.slice(0, MAX_ERROR_TEXT_CHARS);
