import { CNI_ROWS, isAsked, type CniDaemon } from "../cni-daemons";
import { daemonOfPod } from "../daemon-views";
import type { ContainerTermination, DaemonPodDetail, PodObject } from "../model";
import type { DaemonView, SignalNow } from "../node-view";
import { containerInstance } from "../node-window";
import type { SignalId } from "../signals";
import { agentPart } from "./agent-part";
import { typesInForce } from "./binaries";
import { textsUnseen } from "./findings";
import type { CauseInput } from "./types";

/** A CNI daemon's pod on this node, or one that is made for this node and has none yet. */
export interface DaemonPod {
  readonly pod: PodObject;
  readonly daemon: CniDaemon;
  /** What the API tells of its containers; absent where its DaemonSet was not known when the pod was read. */
  readonly detail?: DaemonPodDetail;
  /** Absent for a pod that is being deleted. */
  readonly view?: DaemonView;
}

const found = new WeakMap<CauseInput, readonly DaemonPod[]>();

/** Pods of CNI daemons on this node, those that are being deleted too, by name. Every check of one judgement reads the same list. */
export function allDaemonPods(input: CauseInput): readonly DaemonPod[] {
  const known = found.get(input);
  if (known !== undefined) return known;
  const all: DaemonPod[] = [];
  for (const pod of input.pods.values()) {
    const daemon = daemonOfPod(pod, input.cniDaemons);
    if (daemon === undefined) continue;
    const view = pod.deleting ? undefined : input.daemons.find((one) => one.daemonSet === daemon.key && one.pod === pod.name);
    all.push({ pod, daemon, ...(pod.daemon === undefined ? {} : { detail: pod.daemon }), ...(view === undefined ? {} : { view }) });
  }
  all.sort((a, b) => (a.pod.name < b.pod.name ? -1 : 1));
  found.set(input, all);
  return all;
}

/** The same without those that are being deleted. */
export const daemonPods = (input: CauseInput): readonly DaemonPod[] => allDaemonPods(input).filter(({ pod }) => !pod.deleting);

/** Why nothing can be said of the CNI daemons of this node: the API, its pods or its DaemonSets are not seen. */
export function daemonsUnseen(input: CauseInput): string | undefined {
  if (input.source("api").freshness !== "fresh") return textsUnseen(input);
  const pods = input.kind("pods");
  if (!pods.seen) return `Pods cannot be seen: ${pods.reason}`;
  const daemonSets = input.kind("daemonsets");
  return daemonSets.seen ? undefined : `DaemonSets cannot be seen: ${daemonSets.reason}`;
}

export const NO_DAEMON = "No CNI daemon's pod is on this node, as far as its DaemonSets tell.";

/** "kube-multus", the container that serves the plugin. */
export const containerOf = ({ daemon }: DaemonPod): string => daemon.container;
/** Instance of the daemon's series. */
export const instanceOf = ({ pod, daemon }: DaemonPod): string => containerInstance(pod.name, daemon.container);
export const signalOf = (input: CauseInput, daemonPod: DaemonPod, signal: SignalId): SignalNow | undefined => input.signal(signal, instanceOf(daemonPod));

/** Since when the container that serves the plugin runs; `undefined` where it does not, or the API does not tell. */
export function runningSinceMs({ detail, daemon }: DaemonPod): number | undefined {
  return detail?.running.find(({ container, init }) => container === daemon.container && !init)?.sinceMs;
}
export const isRunning = ({ detail, daemon }: DaemonPod): boolean => detail?.running.some(({ container, init }) => container === daemon.container && !init) ?? false;

/** How one of its containers last ended; the newest of what the status holds. */
export function lastEnd({ detail }: DaemonPod, of: (one: ContainerTermination) => boolean): ContainerTermination | undefined {
  let newest: ContainerTermination | undefined;
  for (const one of detail?.terminations ?? []) if (of(one) && (newest === undefined || (one.finishedMs ?? 0) >= (newest.finishedMs ?? 0))) newest = one;
  return newest;
}
export const lastEndOfDaemon = (daemonPod: DaemonPod): ContainerTermination | undefined => lastEnd(daemonPod, ({ container, init }) => container === daemonPod.daemon.container && !init);

/**
 * Whether pods need this daemon to run in order to start: the config in force, or the conflist that multus hands pods to, calls a plugin of it
 * that asks it. By the kind of CNI alone where no agent tells the config. `undefined`: it cannot be told.
 */
export function isNeeded(input: CauseInput, daemon: CniDaemon): boolean | undefined {
  const asked = isAsked(daemon);
  if (asked !== true) return asked;
  const config = agentPart(input, "config");
  const own = CNI_ROWS.find(({ cni }) => cni === daemon.cni)?.pluginTypes ?? [];
  if (!config.looked || own.length === 0) return true;
  const files = agentPart(input, "configFiles");
  const { multus, files: all } = files.looked ? files.reading : { multus: undefined, files: [] };
  const types = typesInForce(config.reading, multus, all);
  if (own.some((type) => types.has(type))) return true;
  // What stands behind multus is not known where the agent does not tell which conflist it hands pods to.
  return [...types].every((type) => HANDS_ON.has(type)) && types.size > 0 ? undefined : false;
}

const HANDS_ON: ReadonlySet<string> = new Set(["multus", "multus-shim"]);
