import type { WaitingPod } from "../../answer";
import type { Explanation, MessageFacts } from "../../messages/types";
import type { PodObject } from "../../model";
import { NOW_MS, namespace, objectName, secondsAgo, startedPod, waitingSince } from "../../testing/builders";
import type { MessageCode } from "../codes";
import { causeDocs, type ErrorGroup } from "../types";

/** A group of texts with what they were explained as, for checks that take that as given. */
export function saying(cause: MessageCode, text: string, over: Partial<Omit<ErrorGroup, "explanation">> & { readonly facts?: MessageFacts; readonly detail?: string } = {}): ErrorGroup {
  const { facts = {}, detail, ...group } = over;
  const explanation: Explanation = { cause, ...(detail === undefined ? {} : { detail }), plugin: "generic", confidence: "high", because: [{ text, says: "The test says so" }], lookAt: [], fix: [], docs: causeDocs(cause), facts };
  const pods = group.pods ?? ["default/web-1"];
  return { explanation, text, pods, count: pods.length, firstMs: secondsAgo(120), lastMs: secondsAgo(10), ...group };
}

/** A pod that waits and its object, as an input holds them; stuck where its dwell says so. */
export function waiting(name: string, dwellSeconds: number, over: Partial<PodObject> = {}, hold?: WaitingPod["hold"]): { readonly waitingPods: readonly WaitingPod[]; readonly pods: ReadonlyMap<string, PodObject> } {
  const sinceMs = secondsAgo(dwellSeconds);
  const object = waitingSince(sinceMs, { uid: `uid-${name}`, name: objectName(name), namespace: namespace("default"), ...over });
  return {
    waitingPods: [{ uid: object.uid, namespace: object.namespace, name: object.name, system: false, hold: hold ?? { kind: "waiting", sinceMs, stuck: dwellSeconds >= 90 }, attemptsSeen: 1 }],
    pods: new Map([[object.uid, object]]),
  };
}

/** Several of them in one input. */
export const together = (...all: readonly ReturnType<typeof waiting>[]): ReturnType<typeof waiting> => ({ waitingPods: all.flatMap(({ waitingPods }) => waitingPods), pods: new Map(all.flatMap(({ pods }) => [...pods])) });

/** A pod that runs. */
export const running = (name: string, over: Partial<PodObject> = {}): PodObject => startedPod(secondsAgo(600), { uid: `uid-${name}`, name: objectName(name), ...over });

export const ownRequest = (dwellSeconds: number, because = "It asks for it itself"): WaitingPod["hold"] => ({ kind: "own-request", sinceMs: secondsAgo(dwellSeconds), because });
export { NOW_MS, secondsAgo };
