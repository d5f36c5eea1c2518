import type { CauseCode } from "../causes/codes";
import type { Explanation } from "../messages/types";
import type { EventObject } from "../model";
import { lineWords } from "../words";

/** Failed sandboxes whose errors mean the same, over however long they came. Counts of events are no rates: the kubelet folds equal ones into one. */
export interface AttemptGroup {
  readonly cause: CauseCode;
  readonly detail?: string;
  /** Whose words they are: "multus", "containerd" … */
  readonly plugin: string;
  readonly confidence: Explanation["confidence"];
  /** What in the text says so. */
  readonly because: readonly string[];
  /** One of the texts, cut. */
  readonly text: string;
  readonly events: number;
  readonly pods: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Most attempts first, at most MAX_PODS_IN_GROUP. */
  readonly named: readonly PodAttempts[];
}

export interface PodAttempts {
  /** "namespace/name". */
  readonly pod: string;
  /** Attempts of this pod with this meaning, by their number among all of the pod, at most MAX_RUNS_OF_POD. */
  readonly runs: readonly { readonly from: number; readonly to: number; readonly firstMs: number; readonly lastMs: number; readonly text: string }[];
  readonly attempts: number;
}

export const MAX_PODS_IN_GROUP = 12;
export const MAX_RUNS_OF_POD = 8;
export const MAX_GROUPS = 24;
const MAX_TEXT_CHARS = 600;
const MAX_QUOTES = 2;

/** The kubelet tells a failed attempt to make a sandbox with it. */
const ATTEMPT = "FailedCreatePodSandBox";
export const isAttempt = ({ reason, about }: EventObject): boolean => reason === ATTEMPT && about.kind === "Pod";

/** Texts that differ in more than ids; an explanation of one takes about a quarter of a millisecond. */
const MAX_SHAPES_EXPLAINED = 200;
/** Detail of texts that nobody read, being too many that differ. */
export const NOT_READ_DETAIL = "not-read";
const NOT_READ: Explanation = { cause: "unknown", detail: NOT_READ_DETAIL, plugin: "generic", confidence: "low", because: [], lookAt: [], fix: [], docs: "", facts: {} };

/**
 * The text without what makes each attempt's another one: its pod's name, ids of pods and sandboxes, addresses. A name without
 * a dash may be a word of the error, so it stays.
 */
function shapeOf({ message, about }: EventObject): string {
  const unnamed = about.name.includes("-") ? message.replaceAll(about.name, "…") : message;
  return unnamed.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "…").replaceAll(/[0-9a-f]{12,}/g, "…").replaceAll(/\d+/g, "0");
}

interface Open {
  readonly explanation: Explanation;
  readonly text: string;
  events: number;
  firstMs: number;
  lastMs: number;
  readonly pods: Map<string, { attempts: number; runs: PodAttempts["runs"][number][] }>;
}

/**
 * Failed attempts grouped by what their texts mean, the group that began first first. Attempt n of a pod is counted over
 * the events given, in their order.
 */
export function groupAttempts(events: readonly EventObject[], explain: (text: string) => Explanation): readonly AttemptGroup[] {
  const groups = new Map<string, Open>();
  const numbers = new Map<string, number>();
  const known = new Map<string, Explanation>();
  for (const event of events.filter(isAttempt).sort((a, b) => a.firstMs - b.firstMs || a.lastMs - b.lastMs)) {
    const shape = shapeOf(event);
    const explanation = known.get(shape) ?? (known.size < MAX_SHAPES_EXPLAINED ? explain(event.message) : NOT_READ);
    known.set(shape, explanation);
    const key = `${explanation.cause} ${explanation.detail ?? ""}`;
    const group = groups.get(key) ?? { explanation, text: lineWords(event.message, MAX_TEXT_CHARS), events: 0, firstMs: event.firstMs, lastMs: event.lastMs, pods: new Map() };
    groups.set(key, group);
    const pod = `${event.about.namespace ?? event.namespace}/${event.about.name}`;
    const before = numbers.get(pod) ?? 0;
    const count = Math.max(1, event.count);
    numbers.set(pod, before + count);
    group.events += count;
    group.lastMs = Math.max(group.lastMs, event.lastMs);
    const own = group.pods.get(pod) ?? { attempts: 0, runs: [] };
    own.attempts += count;
    if (own.runs.length < MAX_RUNS_OF_POD) own.runs.push({ from: before + 1, to: before + count, firstMs: event.firstMs, lastMs: event.lastMs, text: lineWords(event.message, MAX_TEXT_CHARS) });
    group.pods.set(pod, own);
  }
  return [...groups.values()].slice(0, MAX_GROUPS).map(closed);
}

function closed({ explanation, pods, ...group }: Open): AttemptGroup {
  const named = [...pods].map(([pod, own]): PodAttempts => ({ pod, ...own })).sort((a, b) => b.attempts - a.attempts || (a.pod < b.pod ? -1 : 1));
  return {
    ...group,
    cause: explanation.cause,
    ...(explanation.detail === undefined ? {} : { detail: explanation.detail }),
    plugin: explanation.plugin,
    confidence: explanation.confidence,
    because: explanation.because.slice(0, MAX_QUOTES).map(({ text, says }) => `“${lineWords(text, 160)}” ${says}`),
    pods: pods.size,
    named: named.slice(0, MAX_PODS_IN_GROUP),
  };
}
