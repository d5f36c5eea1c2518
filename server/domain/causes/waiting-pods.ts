import type { WaitingPod } from "../answer";
import type { PodObject } from "../model";
import { requestedAttachments } from "../own-request";
import { MAX_PODS_NAMED, type CauseInput, type ErrorGroup, type Severity } from "./types";

export const podKey = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string => `${namespace}/${name}`;

/** Names of pods, as many as a finding lists. */
export const namesOf = (pods: readonly { readonly namespace: string; readonly name: string }[]): readonly string[] => pods.slice(0, MAX_PODS_NAMED).map(podKey);

/** Pods that wait for a sandbox and nothing else, oldest first. */
export const waitsForNode = (input: CauseInput): readonly WaitingPod[] => input.waitingPods.filter(({ hold }) => hold.kind === "waiting");

/** Those of them that wait for longer than a healthy node needs. */
export const stuckPods = (input: CauseInput): readonly WaitingPod[] => input.waitingPods.filter(({ hold }) => hold.kind === "waiting" && hold.stuck);

/**
 * A notice where every pod that says so is held by what it asks for itself: such a pod tells nothing of the node
 * (docs/decisions/0027 and 0074).
 */
export function milderForOwnRequests(input: CauseInput, groups: readonly ErrorGroup[]): { readonly severity?: Severity } {
  if (groups.some(({ count, pods }) => count > pods.length)) return {};
  const own = new Set(input.waitingPods.filter(({ hold }) => hold.kind === "own-request").map(podKey));
  return groups.length > 0 && groups.every(({ pods }) => pods.every((name) => own.has(name))) ? { severity: "notice" } : {};
}

/** Network attachments that a pod asks for, as "namespace/name". */
function attachmentsOf(pod: PodObject): readonly string[] {
  if (pod.networks === undefined) return [];
  return [...new Set(requestedAttachments(pod.networks).map(({ namespace = pod.namespace, name }) => `${namespace}/${name}`))];
}

export interface Asking {
  readonly pod: WaitingPod;
  readonly attachments: readonly string[];
}

/** Pods without a sandbox that ask for network attachments, with what they ask for. */
export function askingPods(input: CauseInput): readonly Asking[] {
  return input.waitingPods.flatMap((pod) => {
    const object = input.pods.get(pod.uid);
    const attachments = object === undefined ? [] : attachmentsOf(object);
    return attachments.length === 0 ? [] : [{ pod, attachments }];
  });
}
