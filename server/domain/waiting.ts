import type { SandboxReading } from "./agent-report";
import type { PodHold, WaitingPod } from "./answer";
import { hasReadySandbox } from "./fresh";
import type { PodObject } from "./model";
import { readSandboxError, type RequestContext } from "./own-request";
import type { PodTrail } from "./pod-trail";
import type { Thresholds } from "./thresholds";

/** What is known beside the pod itself. */
export interface WaitContext {
  readonly nadPluginTypes: ReadonlySet<string>;
  readonly effectivePluginTypes?: readonly string[];
  /** The pod's sandboxes in a fresh list of the agent; absent where there is no such list. */
  readonly sandboxes?: readonly SandboxReading[];
}

/**
 * How a pod is held, or `undefined` where it is not held at all: not bound, on the host's network, finished, being
 * deleted, or with a ready sandbox. See DESIGN "Words": *waiting pod*, *dwell*, *stuck*, *held by its own request*.
 */
export function holdOf(pod: PodObject, trail: PodTrail | undefined, context: WaitContext, nowMs: number, thresholds: Thresholds): PodHold | undefined {
  if (!needsSandbox(pod)) return undefined;
  const sinceMs = waitSinceMs(pod, nowMs);
  if (containerBegan(pod, trail, sinceMs)) return undefined;
  const earlier = heldEarlier(pod, trail, context.sandboxes);
  if (earlier !== undefined) return { kind: "other", sinceMs, because: earlier };
  if (trail?.error !== undefined) {
    const request: RequestContext = {
      nadPluginTypes: context.nadPluginTypes,
      ...(pod.networks === undefined ? {} : { networks: pod.networks }),
      ...(context.effectivePluginTypes === undefined ? {} : { effectivePluginTypes: context.effectivePluginTypes }),
    };
    const reading = readSandboxError(trail.error.text, request);
    if (reading.verdict === "own-request") return { kind: "own-request", sinceMs, because: reading.because };
  }
  return { kind: "waiting", sinceMs, stuck: nowMs - sinceMs >= thresholds.stuckAfterSeconds * 1_000 };
}

/** The same with what a page shows of the pod. */
export function waitingPodOf(pod: PodObject, trail: PodTrail | undefined, context: WaitContext, nowMs: number, thresholds: Thresholds): WaitingPod | undefined {
  const hold = holdOf(pod, trail, context, nowMs, thresholds);
  if (hold === undefined) return undefined;
  return {
    uid: pod.uid,
    namespace: pod.namespace,
    name: pod.name,
    system: pod.system,
    ...(pod.owner === undefined ? {} : { owner: pod.owner }),
    hold,
    ...(trail?.error === undefined ? {} : { lastError: { text: shortened(trail.error.text), atMs: trail.error.atMs } }),
    attemptsSeen: trail?.attempts ?? 0,
  };
}

/** Characters of an error that a view keeps: a sick node has hundreds of pods, and the event itself is stored whole. */
export const MAX_SHOWN_ERROR_CHARS = 600;
/** The cause stands at the end of a nested error, who says it at the beginning. */
const SHOWN_HEAD_CHARS = 200;

function shortened(text: string): string {
  if (text.length <= MAX_SHOWN_ERROR_CHARS) return text;
  return `${text.slice(0, SHOWN_HEAD_CHARS)} … ${text.slice(text.length - (MAX_SHOWN_ERROR_CHARS - SHOWN_HEAD_CHARS - 3))}`;
}

/** Bound, not on the host's network, neither finished nor being deleted, and without a ready sandbox. */
export function needsSandbox(pod: PodObject): boolean {
  if (pod.node === undefined || pod.hostNetwork || pod.deleting) return false;
  if (pod.phase === "Succeeded" || pod.phase === "Failed") return false;
  return !hasReadySandbox(pod);
}

/**
 * The later of PodScheduled=True and the condition PodReadyToStartContainers turning False. A pod that was made with its
 * node already set has no PodScheduled: then its creation. Never after `nowMs`, so that clocks that differ give no negative dwell.
 */
function waitSinceMs(pod: PodObject, nowMs: number): number {
  const boundMs = pod.scheduledMs ?? pod.createdMs;
  const turnedMs = pod.readyToStart?.status === false ? pod.readyToStart.sinceMs : undefined;
  const sinceMs = boundMs === undefined ? turnedMs : turnedMs === undefined ? boundMs : Math.max(boundMs, turnedMs);
  return Math.min(sinceMs ?? nowMs, nowMs);
}

/** True where an event or the agent's list shows that a sandbox of this pod was tried. */
export function sandboxTried(trail: PodTrail | undefined, sandboxes: readonly SandboxReading[] | undefined): boolean {
  return trail?.attemptMs !== undefined || (sandboxes !== undefined && sandboxes.length > 0);
}

/**
 * Where no condition tells of the sandbox (before 1.29, or a status that the kubelet has not written yet), the kubelet's
 * events do: it pulls images and starts containers only in a sandbox that stands. Newer trouble with the sandbox wins.
 */
function containerBegan(pod: PodObject, trail: PodTrail | undefined, sinceMs: number): boolean {
  if (pod.readyToStart !== undefined || trail?.containerMs === undefined) return false;
  return trail.containerMs >= sinceMs && (trail.sandboxMs === undefined || trail.containerMs >= trail.sandboxMs);
}

/** What holds the pod before its sandbox, in words; `undefined` where nothing does. */
function heldEarlier(pod: PodObject, trail: PodTrail | undefined, sandboxes: readonly SandboxReading[] | undefined): string | undefined {
  const earlier = trail?.earlier;
  const sandboxMs = newestSandboxMs(trail, sandboxes);
  if (earlier !== undefined && (sandboxMs === undefined || earlier.atMs > sandboxMs)) return `${earlier.reason}: ${earlier.text}`;
  if (!pod.hasAttachableVolumes && !pod.hasResourceClaims) return undefined;
  if (sandboxTried(trail, sandboxes)) return undefined;
  return pod.hasAttachableVolumes ? "Its volumes may still be attached or mounted; no sandbox was tried yet" : "Its resource claims may still be prepared; no sandbox was tried yet";
}

function newestSandboxMs(trail: PodTrail | undefined, sandboxes: readonly SandboxReading[] | undefined): number | undefined {
  let newest = trail?.sandboxMs;
  for (const { createdMs } of sandboxes ?? []) if (createdMs !== undefined && (newest === undefined || createdMs > newest)) newest = createdMs;
  return newest;
}
