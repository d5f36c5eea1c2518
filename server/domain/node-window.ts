import type { AgentReport, SandboxReading } from "./agent-report";
import type { Answer } from "./answer";
import type { AcceptedException, Diagnosis, FleetPart, Point } from "./causes/types";
import type { CniDaemon } from "./cni-daemons";
import type { DaemonGaps } from "./daemon-gaps";
import type { DaemonSetObject, EventObject, NadFacts, NodeObject, PodObject } from "./model";
import type { KindStatus, KubeletPage } from "./observation";
import { canonicalSocketPath } from "./known-sockets";
import { readSandboxError } from "./own-request";
import type { Sample, SignalId, SocketState } from "./signals";
import type { Source } from "./sources";
import type { SourceFacts } from "./source-status";
import { needsSandbox } from "./waiting";

/**
 * What the collector hands over about one node to have it judged: its own objects and the little that must be
 * remembered between two looks. Nothing here is the whole cluster's, except the few CNI daemons and the NADs' plugin types.
 */
export interface NodeWindow {
  readonly node: NodeObject;
  /** The node's pods by uid, and daemons' pods that may run there alone and that the scheduler could not place. */
  readonly pods: ReadonlyMap<string, PodObject>;
  /** The events kept about a pod; asked only for pods without a ready sandbox. */
  readonly eventsAbout: (uid: string) => Iterable<EventObject>;
  readonly kinds: readonly KindStatus[];
  /** DaemonSets that are CNI daemons (`cniDaemonOf`), of the whole cluster. */
  readonly daemons: readonly CniDaemon[];
  /** Every DaemonSet that is kept, of the whole cluster. */
  readonly daemonSets: readonly DaemonSetObject[];
  /** Network attachments that exist, by "namespace/name", and the plugin types that any of them names. */
  readonly nads: ReadonlyMap<string, NadFacts>;
  readonly nadPluginTypes: ReadonlySet<string>;
  readonly agent: SourceFacts & { readonly report?: AgentReport };
  readonly kubelet: SourceFacts & {
    /** From the kubelet's /configz; where that cannot be read, as the agent found it in the kubelet's own settings. */
    readonly runtimeRequestTimeoutSeconds?: number;
    /** Whether the cAdvisor page holds any pressure family, or the agent reads pressure; absent while neither was read. */
    readonly hasPressure?: boolean;
    readonly cgroupVersion?: 1 | 2;
    /** The newest reading of /metrics succeeded and holds no operation of the runtime at all. */
    readonly hasNoOperations?: true;
    /** Why a page failed last, by page. */
    readonly failures?: Readonly<Partial<Record<KubeletPage, string>>>;
    readonly pages?: Readonly<Partial<Record<KubeletPage, PageCourse>>>;
  };
  /** Absent where no Prometheus is configured. */
  readonly prometheus?: SourceFacts;
  /** The newest sample of each series, under `seriesKey`. */
  readonly latest: ReadonlyMap<string, LatestSample>;
  /** Running values: see `trackFresh`, `trackFailure`, `trackSockets`, `trackCgroupKills`, `trackOomKills`. */
  readonly lastFreshMs?: number;
  readonly lastFailureMs?: number;
  readonly sockets: ReadonlyMap<string, SocketSince>;
  readonly cgroupKills: ReadonlyMap<string, CgroupKills>;
  readonly oomKills: ReadonlyMap<string, readonly number[]>;
  /** The last TREND_MS of TREND_SIGNALS, oldest first, under `seriesKey`. */
  readonly trends: ReadonlyMap<string, readonly Point[]>;
  /** What the whole fleet says of this node; absent where it is in no incident of the fleet. */
  readonly fleet?: FleetPart;
  /** What people accepted as it is; absent: nothing. */
  readonly accepted?: readonly AcceptedException[];
  /** The nodes of the whole cluster without a pod of a CNI daemon; asked only where the daemon lacks its pod here. */
  readonly gapsOf?: (daemon: string) => DaemonGaps | undefined;
  readonly previous?: Answer;
  readonly previousDiagnosis?: Diagnosis;
}

export interface LatestSample {
  readonly sample: Sample;
  readonly source: Source;
}

/** How the readings of one page of a kubelet went. */
export interface PageCourse {
  /** The last success, UTC ms. */
  readonly lastMs?: number;
  /** Since when every reading failed. */
  readonly failingSinceMs?: number;
  /** The last failure was a page that did not come in time, not one that was refused. */
  readonly timedOut?: boolean;
}

/** One series of a node. */
export const seriesKey = (signal: SignalId, instance: string): string => `${signal}\u0000${instance}`;

/** Instances of the daemon's series: its container by pod, and its pod. The same as in `metrics/containers`. */
export const containerInstance = (pod: string, container: string): string => `${pod}/${container}`;

/** Most OOM kills remembered for one container. */
export const MAX_OOM_KILLS_KEPT = 50;
/** Most containers of a node whose OOM kills are remembered; each replacement of a daemon's pod brings a new one. */
export const MAX_OOM_CONTAINERS_KEPT = 32;

/**
 * The newest failed sandbox of a node as a running maximum. A failure that the pod itself asked for says nothing of the
 * node, nor does one of a pod that is finished, being deleted or gone.
 */
export function trackFailure(lastFailureMs: number | undefined, event: EventObject, pod: PodObject | undefined, context: { readonly nadPluginTypes: ReadonlySet<string>; readonly effectivePluginTypes?: readonly string[] }, nowMs: number): number | undefined {
  if (event.reason !== "FailedCreatePodSandBox" || pod === undefined || !needsSandbox(pod)) return lastFailureMs;
  const reading = readSandboxError(event.message, { ...context, ...(pod.networks === undefined ? {} : { networks: pod.networks }) });
  if (reading.verdict === "own-request") return lastFailureMs;
  const atMs = Math.min(event.lastMs, nowMs);
  return lastFailureMs === undefined ? atMs : Math.max(lastFailureMs, atMs);
}

/** A socket's state, and since when it is in it without a break. */
export interface SocketSince {
  readonly state: SocketState;
  readonly sinceMs: number;
}

/**
 * Since when each socket is in its state without a break, by canonical path. Give it every report; a report that could
 * not look at sockets, or a socket that is not in it, ends what was known.
 */
export function trackSockets(known: ReadonlyMap<string, SocketSince>, report: AgentReport, receivedMs: number): ReadonlyMap<string, SocketSince> {
  const next = new Map<string, SocketSince>();
  if (!report.sockets.looked) return next;
  for (const { path, state } of report.sockets.items) {
    const key = canonicalSocketPath(path);
    const before = known.get(key);
    next.set(key, before?.state === state ? before : { state, sinceMs: receivedMs });
  }
  return next;
}

/** How many processes of a container's cgroup the kernel has killed for memory since it began, and when that last rose. */
export interface CgroupKills {
  readonly kills: number;
  /** Absent where it has not risen since it was first seen. */
  readonly risenMs?: number;
}

/**
 * Kills inside the cgroups of CNI daemons, by `containerInstance`. The counter tells of a killed plugin too, after which the
 * container goes on as if nothing had been; it holds no times, so that the reports in which it rises are remembered. Give it every
 * report; one that could not look keeps what was known.
 */
export function trackCgroupKills(known: ReadonlyMap<string, CgroupKills>, report: AgentReport, receivedMs: number): ReadonlyMap<string, CgroupKills> {
  if (report.cgroups?.looked !== true) return known;
  const next = new Map<string, CgroupKills>();
  for (const { cni, pod, container, oomKills } of report.cgroups.items) {
    if (cni === undefined || oomKills === undefined) continue;
    const key = containerInstance(pod, container);
    const before = known.get(key);
    // Fewer than before: another container, which began since the last report.
    const gained = before === undefined ? 0 : oomKills < before.kills ? oomKills : oomKills - before.kills;
    const risenMs = gained > 0 ? receivedMs : before?.risenMs;
    next.set(key, { kills: oomKills, ...(risenMs === undefined ? {} : { risenMs }) });
  }
  return next;
}

/**
 * When each container of a daemon's pod was OOM-killed, by `containerInstance`, oldest first. The pod's status holds only the last
 * end of a container, so each is remembered when it is first seen.
 */
export function trackOomKills(known: ReadonlyMap<string, readonly number[]>, pod: PodObject): ReadonlyMap<string, readonly number[]> {
  let next: Map<string, readonly number[]> | undefined;
  for (const { container, reason, finishedMs } of pod.daemon?.terminations ?? []) {
    if (reason !== "OOMKilled" || finishedMs === undefined) continue;
    const key = containerInstance(pod.name, container);
    const before = (next ?? known).get(key) ?? [];
    if (before.includes(finishedMs)) continue;
    next ??= new Map(known);
    next.delete(key); // set again below, so that the order is by the newest kill
    next.set(key, [...before, finishedMs].sort((a, b) => a - b).slice(-MAX_OOM_KILLS_KEPT));
    const oldest = next.size > MAX_OOM_CONTAINERS_KEPT ? next.keys().next().value : undefined;
    if (oldest !== undefined) next.delete(oldest);
  }
  return next ?? known;
}

/** Every plugin type that the effective conflist needs, delegates included; `undefined` where the agent could not look. */
export function effectivePluginTypes(report: AgentReport): readonly string[] | undefined {
  if (!report.config.looked) return undefined;
  const { pluginTypes, delegateTypes = [] } = report.config.reading;
  return [...pluginTypes, ...delegateTypes];
}

/** The agent's sandboxes by pod uid. */
export function sandboxesByPod(items: readonly SandboxReading[]): ReadonlyMap<string, readonly SandboxReading[]> {
  const byPod = new Map<string, SandboxReading[]>();
  for (const item of items) {
    const own = byPod.get(item.uid);
    if (own === undefined) byPod.set(item.uid, [item]);
    else own.push(item);
  }
  return byPod;
}
