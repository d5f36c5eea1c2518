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

/** As much of a pod's JSON as is looked into here; the rest goes along untouched. */
export interface RawPod {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string; readonly creationTimestamp: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly hostNetwork?: boolean; readonly containers: readonly RawContainer[] };
  readonly status: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly lastTransitionTime?: string }[];
    readonly containerStatuses?: readonly RawStatus[];
  };
}

export function apiMoment(capture: Capture, suffix: string): ApiMoment {
  const known = new Map<string, DaemonSetObject>();
  const projector = makeProjector({ isDaemonPod: (_, daemonSet) => daemonSet !== undefined, daemonSet: (key) => known.get(key) });
  for (const raw of itemsOf(jsonOf(capture, `daemonset${suffix}.json`))) {
    const daemonSet = projector.daemonSet(raw);
    if (daemonSet !== undefined) known.set(`${daemonSet.namespace}/${daemonSet.name}`, daemonSet);
  }
  const rawPods = itemsOf(jsonOf(capture, `pods${suffix}.json`)) as readonly RawPod[]; // our own recording
  const rawNode = jsonOf(capture, `node${suffix}.json`);
  const node = rawNode === undefined ? undefined : projector.node(rawNode);
  return {
    ...(node === undefined ? {} : { node }),
    daemonSets: [...known.values()],
    daemons: [...known.values()].flatMap((daemonSet) => cniDaemonOf(daemonSet, []) ?? []),
    pods: rawPods.flatMap((raw) => projector.pod(raw) ?? []),
    events: itemsOf(jsonOf(capture, `events${suffix}.json`)).flatMap((raw) => {
      const event = projector.event(raw);
      return event === undefined || event === IGNORED ? [] : [event];
    }),
    rawPods,
    project: (raw) => projector.pod(raw),
  };
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
