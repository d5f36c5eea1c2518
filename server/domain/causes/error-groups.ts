import type { WaitingPod } from "../answer";
import { explain } from "../messages/explain";
import type { Explanation } from "../messages/types";
import type { EventObject, PodObject } from "../model";
import { MAX_ERROR_GROUPS, MAX_PODS_NAMED, RECENT_TEXT_MS, type ErrorGroup } from "./types";

/** What is said of a sandbox that could not be made, and of one that could not be taken down. */
const MAKING: ReadonlySet<string> = new Set(["FailedCreatePodSandBox", "NoNetworkFound", "NetworkNotReady", "FailedPodSandBoxStatus"]);
const TEARING: ReadonlySet<string> = new Set(["FailedKillPod", "FailedPodSandBoxStatus"]);
/** Most texts of one pod that are read: a storm's pod says different things in its two phases. */
const MAX_TEXTS_PER_POD = 3;

/** An event does not change, so what it says is worked out once. */
const explained = new WeakMap<EventObject, Explanation>();

/**
 * The texts that count now, by what they mean: of pods that have no sandbox, their newest ones; of pods that are being
 * deleted, complaints of the last RECENT_TEXT_MS. Newest group first.
 */
export function errorGroups(waiting: readonly WaitingPod[], pods: ReadonlyMap<string, PodObject>, eventsAbout: (uid: string) => Iterable<EventObject>, nowMs: number): readonly ErrorGroup[] {
  const groups = new Map<string, Draft>();
  for (const { uid, namespace, name, hold } of waiting) add(groups, `${namespace}/${name}`, textsOf(eventsAbout(uid), MAKING, hold.sinceMs - SLACK_MS), hold.sinceMs);
  for (const pod of pods.values()) if (pod.deleting) add(groups, `${pod.namespace}/${pod.name}`, textsOf(eventsAbout(pod.uid), TEARING, nowMs - RECENT_TEXT_MS));
  return [...groups.values()].sort((a, b) => b.lastMs - a.lastMs).slice(0, MAX_ERROR_GROUPS);
}

/** Event times have whole seconds, and the condition turned when the kubelet wrote it. */
const SLACK_MS = 30_000;

/** A try takes four minutes at most, as kubelets are set: a pod that has said something else for longer is past what it said before. */
const OUTDATED_MS = 300_000;

type Draft = { -readonly [K in keyof ErrorGroup]: ErrorGroup[K] } & { pods: string[] };

function textsOf(events: Iterable<EventObject>, reasons: ReadonlySet<string>, sinceMs: number): readonly EventObject[] {
  const found: EventObject[] = [];
  for (const event of events) if (event.about.kind === "Pod" && reasons.has(event.reason) && event.lastMs >= sinceMs) found.push(event);
  found.sort((a, b) => b.lastMs - a.lastMs);
  const newestMs = found[0]?.lastMs ?? 0;
  return found.filter(({ lastMs }) => newestMs - lastMs <= OUTDATED_MS).slice(0, MAX_TEXTS_PER_POD);
}

function add(groups: Map<string, Draft>, pod: string, events: readonly EventObject[], waitingSinceMs?: number): void {
  const counted = new Set<string>();
  for (const event of events) {
    const explanation = explanationOf(event);
    const key = groupKey(explanation);
    const group = groups.get(key);
    const again = counted.has(key);
    counted.add(key);
    if (group === undefined) {
      groups.set(key, { explanation, text: event.message, pods: [pod], count: 1, firstMs: event.firstMs, lastMs: event.lastMs, ...(waitingSinceMs === undefined ? {} : { waitingSinceMs }) });
      continue;
    }
    if (waitingSinceMs !== undefined) group.waitingSinceMs = Math.min(group.waitingSinceMs ?? waitingSinceMs, waitingSinceMs);
    if (event.lastMs > group.lastMs) Object.assign(group, { explanation, text: event.message, lastMs: event.lastMs });
    group.firstMs = Math.min(group.firstMs, event.firstMs);
    if (again) continue;
    group.count += 1;
    if (group.pods.length < MAX_PODS_NAMED) group.pods.push(pod);
  }
}

function explanationOf(event: EventObject): Explanation {
  const known = explained.get(event);
  if (known !== undefined) return known;
  const explanation = explain(event.message, { reason: event.reason });
  explained.set(event, explanation);
  return explanation;
}

const groupKey = ({ cause, detail, plugin, facts }: Explanation): string => JSON.stringify([cause, detail, plugin, facts.pluginType, facts.network, facts.socketPath]);
