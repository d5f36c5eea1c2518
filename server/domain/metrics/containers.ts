import type { CadvisorMetrics, ContainerMetrics } from "../observation";
import type { Sample, SignalId } from "../signals";
import { counterIncrease } from "./counter";
import { pressureShare, throttledShare } from "./shares";
import { comparable, slide, type Span } from "./window";

/** What one cgroup gained between two pages; absent where the page has no such series. */
interface ContainerSpan extends Span {
  readonly cfs?: { readonly periods: number; readonly throttledPeriods: number };
  readonly pressure?: { readonly waitingSeconds: number; readonly elapsedSeconds: number };
}

interface CgroupReading {
  readonly atMs: number;
  readonly metrics: ContainerMetrics;
}

interface ContainerWindow {
  readonly seenMs: number;
  /** By cgroup path: after a restart the old cgroup can stay on the page for a while beside the new one. */
  readonly cgroups: ReadonlyMap<string, CgroupReading>;
  readonly spans: readonly ContainerSpan[];
  /** The limit under which the CFS periods of the spans passed. */
  readonly quotaMicroseconds?: number;
}

/** The last readings of a node's CNI daemons and the increments of the window. */
export interface ContainersState {
  readonly pageAtMs?: number;
  /** By `namespace/pod/container`. */
  readonly windows: ReadonlyMap<string, ContainerWindow>;
}

export const createContainersState = (): ContainersState => ({ windows: new Map() });

/** Most daemon containers of one node that are kept; a node runs a handful. */
export const MAX_DAEMON_CONTAINERS = 64;
/** Most cgroups of one container: the running one and those of its last lives. */
export const MAX_CGROUPS = 4;

/** Tells whether a container belongs to a CNI daemon of the node. */
export type IsDaemonContainer = (namespace: string, pod: string, container: string) => boolean;

/**
 * Takes one cAdvisor page into the windows and tells `daemon.cpu.throttled_share`, `daemon.cpu.psi_share` (over the last
 * 5 min of increments) and `daemon.memory.working_set` and `daemon.memory.peak` (as they are now) for each container of a CNI daemon. The instance is
 * `pod/container`.
 *
 * A share is told only while the page has the series: where a CPU limit was lifted the CFS series end, and what was
 * throttled before is no news of now. So it is where the limit was changed while the container ran: its periods are counted anew. A restarted container has another cgroup, whose counters began at zero.
 *
 * @param atMs when the page was read, UTC ms
 */
export function advanceContainers(
  state: ContainersState,
  page: CadvisorMetrics,
  atMs: number,
  isDaemon: IsDaemonContainer,
): { readonly state: ContainersState; readonly samples: readonly Sample[] } {
  const windows = new Map([...state.windows].filter(([, window]) => comparable(window.seenMs, atMs) || window.seenMs === atMs));
  const samples: Sample[] = [];
  for (const [key, cgroups] of group(page.containers, isDaemon)) {
    if (!windows.has(key) && windows.size >= MAX_DAEMON_CONTAINERS) continue;
    const window = advanceWindow(windows.get(key), cgroups, atMs, state.pageAtMs);
    windows.set(key, window);
    samples.push(...tell(window, newest(cgroups), atMs));
  }
  return { state: { pageAtMs: atMs, windows }, samples };
}

function group(containers: readonly ContainerMetrics[], isDaemon: IsDaemonContainer): Map<string, ContainerMetrics[]> {
  const groups = new Map<string, ContainerMetrics[]>();
  for (const metrics of containers) {
    if (!isDaemon(metrics.namespace, metrics.pod, metrics.container)) continue;
    const key = `${metrics.namespace}/${metrics.pod}/${metrics.container}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [metrics]);
    else known.push(metrics);
  }
  return groups;
}

function advanceWindow(window: ContainerWindow | undefined, cgroups: readonly ContainerMetrics[], atMs: number, pageAtMs: number | undefined): ContainerWindow {
  const quotaMicroseconds = newest(cgroups)?.cpuQuotaMicroseconds ?? window?.quotaMicroseconds;
  const isOtherLimit = window?.quotaMicroseconds !== undefined && quotaMicroseconds !== window.quotaMicroseconds;
  let spans = isOtherLimit ? window.spans.map(withoutCfs) : (window?.spans ?? []);
  const readings = new Map(window?.cgroups ?? []);
  for (const metrics of cgroups) {
    const span = gained(readings.get(metrics.cgroupId), { atMs, metrics }, pageAtMs);
    // What was gained since the reading before belongs to both limits.
    spans = slide(spans, isOtherLimit && span !== undefined ? withoutCfs(span) : span, atMs);
    readings.delete(metrics.cgroupId); // set again below, so that the order is by last sight
    readings.set(metrics.cgroupId, { atMs, metrics });
  }
  const kept = [...readings].filter(([, reading]) => reading.atMs === atMs || comparable(reading.atMs, atMs)).slice(-MAX_CGROUPS);
  return { seenMs: atMs, cgroups: new Map(kept), spans, ...(quotaMicroseconds === undefined ? {} : { quotaMicroseconds }) };
}

const withoutCfs = ({ cfs: _underAnotherLimit, ...span }: ContainerSpan): ContainerSpan => span;

function gained(before: CgroupReading | undefined, now: CgroupReading, pageAtMs: number | undefined): ContainerSpan | undefined {
  if (before !== undefined && comparable(before.atMs, now.atMs)) return spanOf(before.metrics, now, before.atMs, false);
  if (before === undefined && comparable(pageAtMs, now.atMs) && bornSince(now.metrics, now.atMs - pageAtMs)) return spanOf(undefined, now, pageAtMs, true);
  return undefined;
}

/** Both times are the node's own, so that its clock may differ from ours. */
function bornSince(metrics: ContainerMetrics, elapsedMs: number): boolean {
  if (metrics.startTimeSeconds === undefined || metrics.statsAtMs === undefined) return false;
  const ageMs = metrics.statsAtMs - metrics.startTimeSeconds * 1000;
  return ageMs >= 0 && ageMs <= elapsedMs;
}

function spanOf(before: ContainerMetrics | undefined, now: CgroupReading, fromMs: number, born: boolean): ContainerSpan {
  const { metrics } = now;
  const cfs = [
    [before?.cfsPeriods, metrics.cfsPeriods],
    [before?.cfsThrottledPeriods, metrics.cfsThrottledPeriods],
  ] as const;
  // The two belong together: where one began anew, so did the other, even if it has outgrown its last reading.
  const anew = born || cfs.some(([from, to]) => from !== undefined && to !== undefined && to < from);
  const [periods, throttledPeriods] = cfs.map(([from, to]) => (to === undefined ? undefined : counterIncrease(from, to, anew)));
  const waitingSeconds = metrics.cpuPressureWaitingSeconds === undefined ? undefined : counterIncrease(before?.cpuPressureWaitingSeconds, metrics.cpuPressureWaitingSeconds, born);
  return {
    fromMs,
    toMs: now.atMs,
    ...(periods === undefined || throttledPeriods === undefined ? {} : { cfs: { periods, throttledPeriods } }),
    ...(waitingSeconds === undefined ? {} : { pressure: { waitingSeconds, elapsedSeconds: elapsedSeconds(before, now, fromMs) } }),
  };
}

/** By cAdvisor's own times where it tells them: it reads each cgroup when it likes, not when the page is asked for. */
function elapsedSeconds(before: ContainerMetrics | undefined, now: CgroupReading, fromMs: number): number {
  const from = before === undefined ? (now.metrics.startTimeSeconds ?? NaN) * 1000 : before.statsAtMs;
  const to = now.metrics.statsAtMs;
  const byStats = from === undefined || to === undefined ? NaN : (to - from) / 1000;
  return byStats >= 0 ? byStats : (now.atMs - fromMs) / 1000;
}

/** The container's running life: of several cgroups of one name, the one that started last. */
function newest(cgroups: readonly ContainerMetrics[]): ContainerMetrics | undefined {
  return [...cgroups].sort((a, b) => (b.startTimeSeconds ?? 0) - (a.startTimeSeconds ?? 0) || a.cgroupId.length - b.cgroupId.length)[0];
}

function tell(window: ContainerWindow, now: ContainerMetrics | undefined, atMs: number): Sample[] {
  if (now === undefined) return [];
  const instance = `${now.pod}/${now.container}`;
  const samples: Sample[] = [];
  const sample = (signal: SignalId, value: number | undefined): void => {
    if (value !== undefined) samples.push({ signal, instance, atMs, value });
  };
  const cfs = window.spans.flatMap((span) => span.cfs ?? []);
  if (now.cfsPeriods !== undefined) sample("daemon.cpu.throttled_share", throttledShare(sum(cfs, "periods"), sum(cfs, "throttledPeriods")));
  const pressure = window.spans.flatMap((span) => span.pressure ?? []);
  if (now.cpuPressureWaitingSeconds !== undefined) sample("daemon.cpu.psi_share", pressureShare(sum(pressure, "waitingSeconds"), sum(pressure, "elapsedSeconds"))?.share);
  sample("daemon.memory.working_set", now.memoryWorkingSetBytes);
  sample("daemon.memory.peak", now.memoryMaxUsageBytes);
  return samples;
}

const sum = <K extends string>(items: readonly Readonly<Record<K, number>>[], key: K): number => items.reduce((total, item) => total + item[key], 0);
