import { cniDaemonOf, type CniDaemon } from "../../../domain/cni-daemons";
import type { DaemonSetObject, EventObject, NodeObject, PodObject } from "../../../domain/model";
import { IGNORED, makeProjector } from "../../../sources/kube-api/project";
import { itemsOf, jsonOf, type Capture } from "./capture";
import type { CourseSample } from "./listing";

/** The API's objects of one moment, through the API source's own projection. */
export interface ApiMoment {
  readonly node?: NodeObject;
  readonly daemonSets: readonly DaemonSetObject[];
  readonly daemons: readonly CniDaemon[];
  readonly pods: readonly PodObject[];
  readonly events: readonly EventObject[];
  /** The pods as the API told them. */
  readonly rawPods: readonly RawPod[];
  /** Which kinds were captured; what is missing says nothing of what there was. */
  readonly captured: { readonly pods: boolean; readonly events: boolean };
  /** A pod of this moment, changed, through the same projection. */
  readonly project: (raw: RawPod) => PodObject | undefined;
}

export interface RawStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly containerID?: string;
  readonly state?: RawState;
  readonly lastState?: RawState;
  readonly ready?: boolean;
}
interface RawState {
  readonly running?: { readonly startedAt?: string };
  readonly waiting?: { readonly reason?: string };
  readonly terminated?: { readonly reason?: string; readonly exitCode?: number; readonly finishedAt?: string; readonly startedAt?: string };
}
interface RawContainer {
  readonly name: string;
  readonly resources?: { readonly limits?: { readonly cpu?: string; readonly memory?: string } };
}

interface RawVolume {
  readonly name: string;
  readonly configMap?: { readonly name?: string };
}

/** As much of a pod's JSON as is looked into here; the rest goes along untouched. */
export interface RawPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid?: string }[];
  };
  readonly spec: { readonly nodeName?: string; readonly hostNetwork?: boolean; readonly containers: readonly RawContainer[]; readonly volumes?: readonly RawVolume[] };
  readonly status: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly lastTransitionTime?: string }[];
    readonly containerStatuses?: readonly RawStatus[];
  };
}

export function apiMoment(capture: Capture, suffix: string): ApiMoment {
  const known = new Map<string, DaemonSetObject>();
  const projector = makeProjector({ isDaemonPod: (_, daemonSet) => daemonSet !== undefined, daemonSet: (key) => known.get(key) });
  const rawPods = itemsOf(jsonOf(capture, `pods${suffix}.json`)) as readonly RawPod[]; // our own recording
  for (const raw of [...itemsOf(jsonOf(capture, `daemonset${suffix}.json`)), ...ownersOf(rawPods)]) {
    const daemonSet = projector.daemonSet(raw);
    const key = daemonSet === undefined ? "" : `${daemonSet.namespace}/${daemonSet.name}`;
    if (daemonSet !== undefined && !known.has(key)) known.set(key, daemonSet);
  }
  const rawEvents = jsonOf(capture, `events${suffix}.json`);
  const node = itemsOf(jsonOf(capture, `node${suffix}.json`)).flatMap((raw) => projector.node(raw) ?? [])[0];
  return {
    ...(node === undefined ? {} : { node }),
    daemonSets: [...known.values()],
    daemons: [...known.values()].flatMap((daemonSet) => cniDaemonOf(daemonSet, []) ?? []),
    pods: rawPods.flatMap((raw) => projector.pod(raw) ?? []),
    captured: { pods: jsonOf(capture, `pods${suffix}.json`) !== undefined, events: rawEvents !== undefined },
    events: itemsOf(rawEvents).flatMap((raw) => {
      const event = projector.event(raw);
      return event === undefined || event === IGNORED ? [] : [event];
    }),
    rawPods,
    project: (raw) => projector.pod(raw),
  };
}

/**
 * The DaemonSets of which only pods were captured: a pod that one controls tells its name, and its own spec what the template says. How many
 * pods it wants is not told by that; those that are here are counted.
 */
function ownersOf(pods: readonly RawPod[]): readonly unknown[] {
  const owned = new Map<string, RawPod[]>();
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find(({ kind }) => kind === "DaemonSet");
    const key = `${pod.metadata.namespace}/${owner?.name ?? ""}`;
    if (owner !== undefined) owned.set(key, [...(owned.get(key) ?? []), pod]);
  }
  return [...owned.values()].flatMap((all) => {
    const newest = all.toSorted((a, b) => Date.parse(b.metadata.creationTimestamp) - Date.parse(a.metadata.creationTimestamp))[0];
    const owner = newest?.metadata.ownerReferences?.find(({ kind }) => kind === "DaemonSet");
    if (newest === undefined || owner === undefined) return [];
    const { namespace, labels = {} } = newest.metadata;
    const matchLabels = Object.fromEntries(Object.entries(labels).filter(([label]) => label !== "controller-revision-hash" && label !== "pod-template-generation"));
    const ready = all.filter(({ status }) => status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True")).length;
    const { affinity: _forItsNode, ...spec } = newest.spec as RawPod["spec"] & { readonly affinity?: unknown };
    return [{ metadata: { name: owner.name, namespace, uid: owner.uid ?? `owner of ${newest.metadata.uid}` }, spec: { selector: { matchLabels }, template: { spec } }, status: { desiredNumberScheduled: all.length, numberReady: ready, updatedNumberScheduled: all.length } }];
  });
}

const READY_TO_START = "PodReadyToStartContainers";
const NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status";

/**
 * A pod as it must have been at an earlier time, by its own times: absent before it was made, without a sandbox until its
 * condition turned. Only for pods whose network a CNI makes; a pod on the host's network is given back as it is.
 */
export function podAsOf(raw: RawPod, atMs: number): RawPod | undefined {
  if (Date.parse(raw.metadata.creationTimestamp) > atMs) return undefined;
  const ready = raw.status.conditions?.find(({ type }) => type === READY_TO_START);
  if (raw.spec.hostNetwork === true || ready?.status !== "True" || Date.parse(ready.lastTransitionTime ?? "") <= atMs) return raw;
  const { [NETWORK_STATUS]: _told, ...annotations } = raw.metadata.annotations ?? {};
  return {
    metadata: { ...raw.metadata, annotations },
    spec: raw.spec,
    status: {
      phase: "Pending",
      conditions: (raw.status.conditions ?? []).map((condition) => (condition.type === "PodScheduled" ? condition : { ...condition, status: "False", lastTransitionTime: raw.metadata.creationTimestamp })),
    },
  };
}

/**
 * The daemon's pod as the course of a trial counted it. `state` is the line that `states.txt` has for this sample, cut as it is;
 * without such a file the container is taken to run again at once. Why it ended is told by the status that was captured last.
 */
export function daemonPodAsOf(raw: RawPod, container: string, sample: CourseSample, state: string | undefined, endedMs: number | undefined): RawPod {
  const statuses = (raw.status.containerStatuses ?? []).map((status): RawStatus => {
    if (status.name !== container) return status;
    const restarts = Math.min(stateNumber(state, "restartCount") ?? sample.counts["restarts"] ?? 0, status.restartCount ?? 0);
    const reason = status.lastState?.terminated?.reason ?? "Error";
    const ended = (at: string): RawState => ({ terminated: { reason, exitCode: 137, finishedAt: at } });
    const [first, second] = state?.split('"lastState":') ?? [];
    // A line that was cut before it speaks of the last end tells nothing of it; the end before that is not made up.
    const lastEnd = state !== undefined ? timeIn(second, "finishedAt") : restarts > 0 && endedMs !== undefined ? new Date(endedMs).toISOString() : undefined;
    const nowEnded = first?.includes('"state":{"terminated"') === true ? timeIn(first, "finishedAt") : undefined;
    const startedAt = timeIn(first, "startedAt") ?? lastEnd ?? status.state?.running?.startedAt ?? raw.metadata.creationTimestamp;
    const isWaiting = first?.includes('"state":{"waiting"') === true;
    return {
      ...status,
      restartCount: restarts,
      ready: nowEnded === undefined && !isWaiting,
      state: nowEnded !== undefined ? ended(nowEnded) : isWaiting ? { waiting: { reason: "CrashLoopBackOff" } } : { running: { startedAt } },
      lastState: lastEnd === undefined ? {} : ended(lastEnd),
    };
  });
  const runs = statuses.find(({ name }) => name === container)?.ready === true;
  const conditions = (raw.status.conditions ?? []).map((condition) => (condition.type === "Ready" || condition.type === "ContainersReady" ? { ...condition, status: runs ? "True" : "False" } : condition));
  return { ...raw, status: { ...raw.status, conditions, containerStatuses: statuses } };
}

const timeIn = (text: string | undefined, key: string): string | undefined => new RegExp(`"${key}":"([^"]+)"`).exec(text ?? "")?.[1];
function stateNumber(text: string | undefined, key: string): number | undefined {
  const found = new RegExp(`"${key}":(\\d+)`).exec(text ?? "")?.[1];
  return found === undefined ? undefined : Number(found);
}
