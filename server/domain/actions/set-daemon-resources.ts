import { SECOND_MS } from "../durations";
import type { ContainerResources, DaemonSetObject } from "../model";
import type { DaemonView } from "../node-view";
import { cpuQuantity, memoryQuantity, memoryWords } from "../quantity";
import type { ActionReading, ApiCall, DiffLine, Hazard, Plan, PlanInput, Refusal, Verification } from "./types";
import { VERIFY_AFTER_MS } from "./types";

export const SET_DAEMON_RESOURCES = "set-daemon-resources";

/** `cpuLimitCores: null` means no CPU limit. Memory request and limit must both stand in the result. */
export interface SetDaemonResourcesParams {
  readonly container: string;
  readonly cpuLimitCores: number | null;
  readonly memoryRequestBytes?: number | undefined;
  readonly memoryLimitBytes?: number | undefined;
}

const GI = 2 ** 30;
const MI = 2 ** 20;
/** What cleared a storm of 600 sandboxes in about three minutes in the incident this product was started from. */
export const EMERGENCY = { cpuLimitCores: 2, memoryLimitBytes: 4 * GI } as const;
/** Least memory request that a preset proposes: above every steady state on record, far below a burst. */
const PRESET_MIN_REQUEST_BYTES = 256 * MI;
/** Memory that looped under load with no CPU limit; below it a burst is likely to be killed. */
const OOM_PRONE_BYTES = 2 * GI;
/** With a CPU limit below this the daemon was throttled in every period under load. */
const THROTTLE_PRONE_CORES = 0.5;
export const BOUNDS = { minCpuCores: 0.01, maxCpuCores: 128, minMemoryBytes: 16 * MI, maxMemoryBytes: 256 * GI } as const;

export type Preset = "emergency" | "lasting";

/** The two ways that are offered by a click; other values are allowed, with their hazards. */
export function presetParams(preset: Preset, container: ContainerResources): SetDaemonResourcesParams {
  const memoryLimitBytes = Math.max(EMERGENCY.memoryLimitBytes, container.memoryLimitBytes ?? 0);
  const memoryRequestBytes = Math.min(memoryLimitBytes, Math.max(container.memoryRequestBytes ?? 0, PRESET_MIN_REQUEST_BYTES));
  return { container: container.name, cpuLimitCores: preset === "emergency" ? EMERGENCY.cpuLimitCores : null, memoryRequestBytes, memoryLimitBytes };
}

/**
 * Changes CPU limit, memory request and memory limit of a CNI daemon's DaemonSet. Pure: the same input gives the same
 * plan and version. Refusals stand in the plan; nothing is thrown.
 */
export function planSetDaemonResources(params: SetDaemonResourcesParams, input: PlanInput): Plan<SetDaemonResourcesParams> {
  const { daemonSet, view, fleet } = input;
  const container = daemonSet.containers.find((one) => !one.init && one.name === params.container);
  const wanted = {
    cpuLimitCores: params.cpuLimitCores,
    memoryRequestBytes: params.memoryRequestBytes ?? container?.memoryRequestBytes,
    memoryLimitBytes: params.memoryLimitBytes ?? container?.memoryLimitBytes,
  };
  const refusals = refuse(params, container, daemonSet, wanted);
  const patch = patchCall(daemonSet, params.container, container, wanted);
  const name = `${daemonSet.namespace}/${daemonSet.name}`;
  return {
    action: SET_DAEMON_RESOURCES,
    title: `Set ${params.container} to ${wanted.cpuLimitCores === null ? "no CPU limit" : `${cpuQuantity(wanted.cpuLimitCores)} CPU`} and ${wanted.memoryLimitBytes === undefined ? "no memory limit" : memoryWords(wanted.memoryLimitBytes)}`,
    node: view.name,
    object: { kind: "DaemonSet", namespace: daemonSet.namespace, name: daemonSet.name },
    params,
    steps: [
      { title: "Check that nothing changed since the plan", writes: false, call: { method: "GET", segments: daemonSetPath(daemonSet), query: {} } },
      { title: "Try it on the server without keeping it", writes: false, call: { ...patch, query: { ...patch.query, dryRun: "All" } } },
      { title: `Set limits and requests of ${name}`, writes: true, call: patch },
      { title: `Verify on ${view.name} after ${VERIFY_AFTER_MS.map((ms) => ms / (60 * SECOND_MS)).join(", ")} min, from when its pod runs with the change`, writes: false },
    ],
    diff: container === undefined ? [] : diffOf(container, wanted),
    affected: { nodes: daemonSet.desired, ofNodes: fleet.nodes, podsRestarted: daemonSet.updateStrategy === "OnDelete" ? 0 : daemonSet.desired, atOnce: daemonSet.updateStrategy === "OnDelete" ? "none by itself" : (daemonSet.maxUnavailable ?? "1") },
    hazards: hazardsOf(input, container, wanted),
    refusals,
    undo:
      container === undefined
        ? { possible: false, how: "There is nothing to go back to." }
        : {
            possible: true,
            how: "Sets the values of before again, which rolls every node once more.",
            call: undoCall(daemonSet, container),
          },
    confirm: daemonSet.desired > 1 ? { kind: "type", text: daemonSet.name } : { kind: "click", text: "" },
    needs: { verb: "patch", group: "apps", resource: "daemonsets", namespace: daemonSet.namespace, name: daemonSet.name },
    version: [daemonSet.uid, daemonSet.generation, view.answer.state, params.container, params.cpuLimitCores ?? "none", wanted.memoryRequestBytes ?? "none", wanted.memoryLimitBytes ?? "none"].join(":"),
    evidence: view.answer.proof,
    passRule: "Worked: pods that waited got a sandbox, none is stuck, and the daemon was not killed for memory since. Worse: it was, or more pods wait and none started.",
  };
}

type Wanted = { readonly cpuLimitCores: number | null; readonly memoryRequestBytes: number | undefined; readonly memoryLimitBytes: number | undefined };

const daemonSetPath = (daemonSet: DaemonSetObject): readonly string[] => ["apis", "apps", "v1", "namespaces", daemonSet.namespace, "daemonsets", daemonSet.name];

/** A CPU request that is absent defaults to the limit and would reserve it on every node, so one is always written. */
const DEFAULT_CPU_REQUEST_CORES = 0.1;
const cpuRequestOf = (container: ContainerResources | undefined, wanted: Wanted): number => container?.cpuRequestCores ?? Math.min(DEFAULT_CPU_REQUEST_CORES, wanted.cpuLimitCores ?? DEFAULT_CPU_REQUEST_CORES);

function patchCall(daemonSet: DaemonSetObject, name: string, container: ContainerResources | undefined, wanted: Wanted): ApiCall {
  return resourcesCall(daemonSet, name, { ...wanted, cpuRequestCores: cpuRequestOf(container, wanted) }, { resourceVersion: daemonSet.resourceVersion });
}

/** Puts back exactly what stood there, what was absent included; whatever the DaemonSet's version is by then. */
function undoCall(daemonSet: DaemonSetObject, before: ContainerResources): ApiCall {
  const { cpuLimitCores = null, cpuRequestCores = null, memoryLimitBytes, memoryRequestBytes } = before;
  return resourcesCall(daemonSet, before.name, { cpuLimitCores, cpuRequestCores, memoryLimitBytes, memoryRequestBytes }, undefined);
}

function resourcesCall(daemonSet: DaemonSetObject, name: string, values: Wanted & { readonly cpuRequestCores: number | null }, metadata: { readonly resourceVersion: string } | undefined): ApiCall {
  const cpu = (cores: number | null): string | null => (cores === null ? null : cpuQuantity(cores));
  const memory = (bytes: number | undefined): string | null => (bytes === undefined ? null : memoryQuantity(bytes));
  const resources = { limits: { cpu: cpu(values.cpuLimitCores), memory: memory(values.memoryLimitBytes) }, requests: { cpu: cpu(values.cpuRequestCores), memory: memory(values.memoryRequestBytes) } };
  return {
    method: "PATCH",
    segments: daemonSetPath(daemonSet),
    query: { fieldManager: "sandglass" },
    contentType: "application/strategic-merge-patch+json",
    body: { ...(metadata === undefined ? {} : { metadata }), spec: { template: { spec: { containers: [{ name, resources }] } } } },
  };
}

function refuse(params: SetDaemonResourcesParams, container: ContainerResources | undefined, daemonSet: DaemonSetObject, wanted: Wanted): Refusal[] {
  const refusals: Refusal[] = [];
  const add = (field: string, message: string): void => void refusals.push({ field, message });
  if (container === undefined) add("container", `${daemonSet.namespace}/${daemonSet.name} has no container "${params.container}"; it has ${daemonSet.containers.filter((one) => !one.init).map((one) => one.name).join(", ")}.`);
  if (wanted.memoryLimitBytes === undefined) add("memoryLimit", "The result would have no memory limit. A daemon without one is what a node's out-of-memory handling picks first: give a limit.");
  if (wanted.memoryRequestBytes === undefined) add("memoryRequest", "The result would have no memory request. It would default to the limit, and a node without that much room would be left without the daemon: give a request.");
  if (wanted.memoryLimitBytes !== undefined && wanted.memoryRequestBytes !== undefined && wanted.memoryRequestBytes > wanted.memoryLimitBytes) {
    add("memoryRequest", `The memory request (${memoryQuantity(wanted.memoryRequestBytes)}) is above the limit (${memoryQuantity(wanted.memoryLimitBytes)}); the API server refuses that.`);
  }
  if (wanted.cpuLimitCores !== null && container?.cpuRequestCores !== undefined && wanted.cpuLimitCores < container.cpuRequestCores) {
    add("cpuLimit", `The CPU limit (${cpuQuantity(wanted.cpuLimitCores)}) is below the request (${cpuQuantity(container.cpuRequestCores)}); the API server refuses that.`);
  }
  if (container !== undefined && (wanted.cpuLimitCores ?? undefined) === container.cpuLimitCores && wanted.memoryLimitBytes === container.memoryLimitBytes && wanted.memoryRequestBytes === container.memoryRequestBytes) {
    add("params", "The container has exactly these values already.");
  }
  return refusals;
}

function hazardsOf(input: PlanInput, container: ContainerResources | undefined, wanted: Wanted): Hazard[] {
  const { daemonSet, view, fleet } = input;
  const hazards: Hazard[] = [];
  if (daemonSet.updateStrategy === "OnDelete") {
    hazards.push({ title: "No pod changes by itself.", detail: `The update strategy is OnDelete: the daemon's pod on ${view.name} has the old values until it is deleted.` });
  } else if (daemonSet.desired > 1) {
    hazards.push({ title: `Rolls all ${daemonSet.desired} nodes, ${daemonSet.maxUnavailable ?? "1"} at once.`, detail: "Each has no CNI daemon for some seconds while its pod is replaced. Pods that start there meanwhile wait." });
  }
  if (wanted.cpuLimitCores === null && (wanted.memoryLimitBytes ?? Infinity) < OOM_PRONE_BYTES) {
    hazards.push({ title: "Likely to be killed for memory.", detail: `Without a CPU limit the daemon takes all waiting calls at once; at ${memoryWords(wanted.memoryLimitBytes ?? 0)} such a burst has looped in out-of-memory kills before.` });
  } else if (wanted.memoryLimitBytes !== undefined && wanted.memoryLimitBytes < OOM_PRONE_BYTES && view.counts.waiting > 0) {
    hazards.push({ title: "Little memory for what waits.", detail: `${view.counts.waiting} pods wait on ${view.name}; all their calls reach the daemon together, in ${memoryWords(wanted.memoryLimitBytes)}.` });
  }
  if (wanted.cpuLimitCores === null && container?.cpuLimitCores !== undefined) {
    hazards.push({ title: "The throttling chart goes blank.", detail: "Without a CPU limit there are no CFS periods to count. Pressure (PSI) is shown instead where the node has it." });
  }
  if (wanted.cpuLimitCores !== null && wanted.cpuLimitCores < THROTTLE_PRONE_CORES) {
    hazards.push({ title: "Still a tight CPU limit.", detail: `${cpuQuantity(wanted.cpuLimitCores)} CPU can be throttled in every period while a backlog is worked off.` });
  }
  if (wanted.memoryLimitBytes !== undefined && container?.memoryLimitBytes !== undefined && wanted.memoryLimitBytes < container.memoryLimitBytes) {
    hazards.push({ title: "Lowers the memory limit.", detail: `From ${memoryWords(container.memoryLimitBytes)} to ${memoryWords(wanted.memoryLimitBytes)}. An undersized limit is worse than none.` });
  }
  if (wanted.memoryLimitBytes !== undefined && fleet.smallestNodeMemoryBytes !== undefined && wanted.memoryLimitBytes > fleet.smallestNodeMemoryBytes) {
    hazards.push({ title: "More than the smallest node has.", detail: `The limit is ${memoryWords(wanted.memoryLimitBytes)}; the smallest node offers ${memoryWords(Math.floor(fleet.smallestNodeMemoryBytes / MI) * MI)}.` });
  }
  if (fleet.otherNo > 0) hazards.push({ title: `${fleet.otherNo} other ${fleet.otherNo === 1 ? "node" : "nodes"} cannot start pods either.`, detail: "The change rolls there too." });
  hazards.push({ title: "May be set back.", detail: "Whoever manages the DaemonSet (Helm, an operator, GitOps) sets its own values again. Put the change there as well." });
  return hazards;
}

function diffOf(container: ContainerResources, wanted: Wanted): DiffLine[] {
  const lines: DiffLine[] = [{ kind: "same", text: `- name: ${container.name}` }, { kind: "same", text: "  resources:" }, { kind: "same", text: "    limits:" }];
  const change = (key: string, before: string | undefined, after: string | undefined): void => {
    if (before === after) {
      if (after !== undefined) lines.push({ kind: "same", text: `      ${key}: ${after}` });
      return;
    }
    if (before !== undefined) lines.push({ kind: "removed", text: `      ${key}: ${before}` });
    if (after !== undefined) lines.push({ kind: "added", text: `      ${key}: ${after}` });
  };
  const cpu = (cores: number | null | undefined): string | undefined => (cores === null || cores === undefined ? undefined : cpuQuantity(cores));
  const memory = (bytes: number | undefined): string | undefined => (bytes === undefined ? undefined : memoryQuantity(bytes));
  change("cpu", cpu(container.cpuLimitCores), cpu(wanted.cpuLimitCores));
  change("memory", memory(container.memoryLimitBytes), memory(wanted.memoryLimitBytes));
  lines.push({ kind: "same", text: "    requests:" });
  change("cpu", cpu(container.cpuRequestCores), cpuQuantity(cpuRequestOf(container, wanted)));
  change("memory", memory(container.memoryRequestBytes), memory(wanted.memoryRequestBytes));
  return lines;
}

/** True once the node runs the daemon with the change: its pod there has the values and is ready to be measured. */
export function seenSetDaemonResources(plan: Plan<SetDaemonResourcesParams>, daemons: readonly DaemonView[]): boolean {
  const key = `${plan.object.namespace}/${plan.object.name}`;
  const { container, cpuLimitCores, memoryLimitBytes, memoryRequestBytes } = plan.params;
  return daemons.some(
    (daemon) =>
      daemon.daemonSet === key &&
      daemon.container === container &&
      daemon.cpuLimitCores === (cpuLimitCores ?? undefined) &&
      (memoryLimitBytes === undefined || daemon.memoryLimitBytes === memoryLimitBytes) &&
      (memoryRequestBytes === undefined || daemon.memoryRequestBytes === memoryRequestBytes),
  );
}

/** Waiting pods that may be left for "worked": one late starter is not a failure. */
const WORKED_WAITING_SHARE = 0.1;
/** More waiting pods than this share above the start, and no fresh sandbox, is worse. */
const WORSE_WAITING_SHARE = 0.1;

/**
 * Compares the stored signals of before with those at a check. `seenMs` is when the node's daemon ran with the change;
 * absent: it never did. Ages in ms.
 */
export function verifySetDaemonResources(before: ActionReading, after: ActionReading, seenMs: number | undefined, isLast: boolean): Verification {
  if (seenMs === undefined) return { verdict: "could-not-verify", because: "The daemon's pod on this node was not seen with the change." };
  if (after.answer === "unknown") return { verdict: "could-not-verify", because: "The node's sources are stale, so there is nothing to compare." };
  const kills = after.oomKillsMs.filter((ms) => ms >= seenMs).length;
  if (kills > 0) return { verdict: "worse", because: `The daemon was killed for memory ${kills === 1 ? "once" : `${kills} times`} since the change.` };
  const fresh = after.lastFreshMs !== undefined && after.lastFreshMs >= seenMs;
  if (after.waiting === undefined || before.waiting === undefined) return { verdict: "could-not-verify", because: "How many pods wait is not known for both moments." };
  const numbers = `${before.waiting} pods waited before, ${after.waiting} now`;
  if (before.answer === "yes" && after.answer === "no") return { verdict: "worse", because: `The node could start pods before and cannot now; ${numbers}.` };
  if (fresh && (after.stuck ?? 0) === 0 && after.waiting <= Math.max(1, before.waiting * WORKED_WAITING_SHARE)) return { verdict: "worked", because: `${numbers}, none stuck, a fresh sandbox since the change.` };
  if (!fresh && after.waiting > before.waiting * (1 + WORSE_WAITING_SHARE) + 1) return { verdict: isLast ? "worse" : "too-early", because: `${numbers}, and no fresh sandbox since the change.` };
  if (!isLast) return { verdict: "too-early", because: `${numbers}${fresh ? ", some start" : ", no fresh sandbox yet"}.` };
  if (fresh && after.waiting < before.waiting) return { verdict: "worked", because: `${numbers}, and sandboxes start again.` };
  return { verdict: "no-effect", because: `${numbers}${fresh ? "" : ", and no fresh sandbox since the change"}.` };
}
