import { z } from "zod";
import type { ContainerResources, ContainerTermination, DaemonPodDetail, FilledIn } from "../../../domain/model";
import { MAX_TEXT_CHARS } from "../text";
import { present, type Lenient } from "./fields";
import { amountOf, quantity } from "./quantity";

const MAX_NAME_CHARS = 253;

/** A container of a pod's spec or of a template, with what limits it. */
export function containerSchema({ optional, text }: Lenient) {
  const amounts = optional(z.object({ cpu: optional(quantity), memory: optional(quantity) }));
  return z.object({ name: z.string().max(MAX_NAME_CHARS), image: text(1_024), resources: optional(z.object({ limits: amounts, requests: amounts })) });
}
export type ContainerSpec = z.output<ReturnType<typeof containerSchema>>;

export function resourcesOf(container: ContainerSpec, init: boolean): ContainerResources {
  const { limits, requests } = container.resources ?? {};
  return {
    name: container.name,
    init,
    ...present({
      cpuLimitCores: amountOf(limits?.cpu),
      cpuRequestCores: amountOf(requests?.cpu),
      memoryLimitBytes: amountOf(limits?.memory),
      memoryRequestBytes: amountOf(requests?.memory),
    }),
  };
}

export function containerStatusSchema({ optional, text, time, number }: Lenient) {
  const terminated = optional(z.object({ reason: text(), exitCode: number, startedAt: time, finishedAt: time, message: text(MAX_TEXT_CHARS) }));
  const state = optional(z.object({ running: optional(z.object({ startedAt: time })), terminated, waiting: optional(z.object({ reason: text() })) }));
  return z.object({ name: z.string().max(MAX_NAME_CHARS), restartCount: number, state, lastState: state });
}
export type ContainerStatus = z.output<ReturnType<typeof containerStatusSchema>>;

/** When the earliest container of these began to run, as far as its last two lives say. */
export function earliestStartMs(statuses: readonly ContainerStatus[]): number | undefined {
  let earliest: number | undefined;
  for (const { state, lastState } of statuses) {
    for (const ms of [state?.running?.startedAt, state?.terminated?.startedAt, lastState?.running?.startedAt, lastState?.terminated?.startedAt]) {
      if (ms !== undefined && (earliest === undefined || ms < earliest)) earliest = ms;
    }
  }
  return earliest;
}

/** Most different values that are shared; a cluster has a few for each of its DaemonSets. */
const MAX_SHARED = 2_000;
const sharedValues = new Map<string, unknown>();

/** The pods of a DaemonSet have the same containers and images: 5,000 nodes with ten such pods each keep them once. */
function shared<T>(value: T): T {
  const key = JSON.stringify(value);
  const known = sharedValues.get(key);
  if (known !== undefined) return known as T; // equal text, so of the same shape
  if (sharedValues.size >= MAX_SHARED) sharedValues.clear();
  sharedValues.set(key, value);
  return value;
}

export function daemonDetail(parts: {
  readonly containers: readonly ContainerSpec[];
  readonly initContainers: readonly ContainerSpec[];
  readonly statuses: readonly ContainerStatus[];
  readonly initStatuses: readonly ContainerStatus[];
  readonly ready: boolean;
  readonly revision: string | undefined;
  readonly filledIn: readonly FilledIn[] | undefined;
  readonly readySinceMs: number | undefined;
  readonly unscheduled: DaemonPodDetail["unscheduled"];
}): DaemonPodDetail {
  const all = [...parts.initStatuses.map((status) => ({ status, init: true })), ...parts.statuses.map((status) => ({ status, init: false }))];
  return {
    containers: shared([...parts.initContainers.map((container) => resourcesOf(container, true)), ...parts.containers.map((container) => resourcesOf(container, false))]),
    restarts: all.reduce((sum, { status }) => sum + (status.restartCount ?? 0), 0),
    ready: parts.ready,
    ...present({ readySinceMs: parts.readySinceMs, unscheduled: parts.unscheduled }),
    running: all.flatMap(({ status, init }) => (status.state?.running === undefined ? [] : [{ container: status.name, init, ...present({ sinceMs: status.state.running.startedAt }) }])),
    terminations: all.flatMap(({ status, init }) =>
      [status.lastState?.terminated, status.state?.terminated].flatMap((ended): ContainerTermination[] =>
        ended === undefined ? [] : [{ container: status.name, init, ...present({ reason: ended.reason, exitCode: ended.exitCode, finishedMs: ended.finishedAt, message: ended.message }) }],
      ),
    ),
    waitingReasons: all.flatMap(({ status }) => (status.state?.waiting?.reason === undefined ? [] : [status.state.waiting.reason])),
    ...present({ revision: parts.revision, filledIn: parts.filledIn === undefined ? undefined : shared(parts.filledIn) }),
    images: shared(Object.fromEntries([...parts.initContainers, ...parts.containers].flatMap(({ name, image }) => (image === undefined ? [] : [[name, image]])))),
  };
}
