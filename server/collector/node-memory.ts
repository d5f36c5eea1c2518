import { agentContainers } from "../domain/metrics/agent-containers";
import { advanceContainers, createContainersState, type IsDaemonContainer } from "../domain/metrics/containers";
import { createKubeletWindow, type KubeletWindow } from "../domain/metrics/kubelet-window";
import { advanceOperations } from "../domain/metrics/operations";
import type { AgentReport } from "../domain/agent-report";
import type { KubeletPage, Observation } from "../domain/observation";
import { TREND_MS, TREND_SIGNALS, type Point } from "../domain/causes/types";
import { seriesKey, trackCgroupKills, trackSockets, type CgroupKills, type LatestSample, type NodeWindow, type PageCourse, type SocketSince } from "../domain/node-window";
import type { NodeView } from "../domain/node-view";
import type { Sample } from "../domain/signals";
import { AGENT_PERIOD_MS, FRESH_PERIODS, KUBELET_METRICS_PERIOD_MS, type Source } from "../domain/sources";

/** Most series of one node whose newest sample is kept; a node has a few dozen. */
export const MAX_SERIES_PER_NODE = 512;
/** Most points of a trend: TREND_MS at the shortest period, with room for samples that come out of turn. */
export const MAX_TREND_POINTS = 128;

function withPoint(points: readonly Point[], { atMs, value }: Sample): readonly Point[] {
  return [...points.filter((point) => point.atMs < atMs && atMs - point.atMs <= TREND_MS), { atMs, value }].slice(-MAX_TREND_POINTS);
}

/** What the collector remembers of one node between two looks. */
export class NodeMemory {
  #kubelet: KubeletWindow = createKubeletWindow();
  #kubeletMs: number | undefined;
  #failures: Partial<Record<KubeletPage, string>> = {};
  #pages: Partial<Record<KubeletPage, PageCourse>> = {};
  #timeoutSeconds: number | undefined;
  #hasPressure: boolean | undefined;
  #hasNoOperations = false;
  #agentContainers = createContainersState();
  /** When the agent last told the CPU of a CNI daemon. */
  #daemonCpuMs: number | undefined;
  #report: AgentReport | undefined;
  #reportMs: number | undefined;
  #clockBehindMs: number | undefined;
  readonly #latest = new Map<string, LatestSample>();
  readonly #trends = new Map<string, readonly Point[]>();
  lastFreshMs: number | undefined;
  lastFailureMs: number | undefined;
  sockets: ReadonlyMap<string, SocketSince> = new Map();
  cgroupKills: ReadonlyMap<string, CgroupKills> = new Map();
  oomKills: ReadonlyMap<string, readonly number[]> = new Map();
  view: NodeView | undefined;
  apiSampledMs = 0;
  judgeAfterMs = 0;

  constructor(view?: NodeView) {
    this.view = view;
    this.lastFreshMs = view?.lastFreshMs;
    if (view !== undefined) this.oomKills = new Map(view.daemons.map((daemon) => [`${daemon.pod}/${daemon.container}`, daemon.oomKillsMs]));
  }

  get report(): AgentReport | undefined {
    return this.#report;
  }

  remember(samples: readonly Sample[], source: Source): void {
    for (const sample of samples) {
      const key = seriesKey(sample.signal, sample.instance);
      this.#latest.delete(key);
      this.#latest.set(key, { sample, source });
      if (TREND_SIGNALS.includes(sample.signal)) this.#trends.set(key, withPoint(this.#trends.get(key) ?? [], sample));
    }
    while (this.#latest.size > MAX_SERIES_PER_NODE) {
      const oldest = this.#latest.keys().next().value;
      if (oldest === undefined) return;
      this.#latest.delete(oldest);
    }
  }

  /** Takes one kubelet page in; returns the samples that it gives. */
  kubeletPage(observation: Observation & { readonly source: "kubelet" }, isDaemon: IsDaemonContainer): readonly Sample[] {
    this.#noteCourse(observation);
    switch (observation.type) {
      case "failed":
        this.#failures = { ...this.#failures, [observation.page]: observation.hint === undefined ? observation.reason : `${observation.reason} (${observation.hint})` };
        return [];
      case "configz":
        this.#timeoutSeconds = observation.runtimeRequestTimeoutSeconds;
        this.#forgive("configz");
        return [{ signal: "cri.deadline", instance: "", atMs: observation.atMs, value: 2 * observation.runtimeRequestTimeoutSeconds }];
      case "metrics": {
        const { state, samples } = advanceOperations(this.#kubelet.operations, observation.metrics, observation.atMs);
        this.#kubelet = { ...this.#kubelet, operations: state };
        this.#kubeletMs = observation.atMs;
        this.#hasNoOperations = Object.keys(observation.metrics.operations).length === 0;
        this.#forgive("metrics");
        return samples;
      }
      case "cadvisor": {
        const { state, samples } = advanceContainers(this.#kubelet.containers, observation.metrics, observation.atMs, isDaemon);
        this.#kubelet = { ...this.#kubelet, containers: state };
        this.#hasPressure = observation.metrics.hasPressure;
        this.#forgive("cadvisor");
        return samples.filter((sample) => !this.#agentTells(sample));
      }
    }
  }

  /** Takes an agent's report in; returns the samples of it that need what was remembered. */
  agentReport({ report, atMs, clockBehindMs }: Pick<Extract<Observation, { source: "agent" }>, "report" | "atMs" | "clockBehindMs">, isDaemon: IsDaemonContainer): readonly Sample[] {
    this.#report = report;
    this.#reportMs = atMs;
    this.#clockBehindMs = clockBehindMs;
    this.sockets = trackSockets(this.sockets, report, atMs);
    this.cgroupKills = trackCgroupKills(this.cgroupKills, report, atMs);
    const samples: Sample[] = [];
    const page = agentContainers(report.cgroups);
    if (page !== undefined) {
      const advanced = advanceContainers(this.#agentContainers, page, atMs, isDaemon);
      this.#agentContainers = advanced.state;
      samples.push(...advanced.samples);
      if (page.containers.some(({ namespace, pod, container }) => isDaemon(namespace, pod, container))) this.#daemonCpuMs = atMs;
    }
    const timeout = agentTimeoutSeconds(report);
    if (timeout !== undefined && this.#timeoutSeconds === undefined) samples.push({ signal: "cri.deadline", instance: "", atMs, value: 2 * timeout });
    return samples;
  }

  /** Whether the agent tells what CNI daemons get of the CPU, so that cAdvisor need not be asked often. */
  agentTellsDaemonCpu(nowMs: number): boolean {
    return this.#daemonCpuMs !== undefined && Math.abs(nowMs - this.#daemonCpuMs) <= FRESH_PERIODS * AGENT_PERIOD_MS;
  }

  /** One series has one teller: two windows of increments over one another would make a line that jumps. */
  #agentTells({ signal, instance, atMs }: Sample): boolean {
    const latest = this.#latest.get(seriesKey(signal, instance));
    return latest?.source === "agent" && Math.abs(atMs - latest.sample.atMs) <= FRESH_PERIODS * AGENT_PERIOD_MS;
  }

  /** The part of a window that this node's own memory gives. */
  window(expects: { readonly kubelet: boolean; readonly agents: boolean }): Pick<NodeWindow, "kubelet" | "agent" | "latest" | "trends" | "sockets" | "cgroupKills" | "oomKills" | "lastFreshMs" | "lastFailureMs" | "previous" | "previousDiagnosis"> {
    const failure = this.#failures.metrics;
    const timeout = this.#timeoutSeconds ?? (this.#report === undefined ? undefined : agentTimeoutSeconds(this.#report));
    const cgroups = this.#report?.cgroups;
    const cgroupVersion = cgroups?.looked === true ? cgroups.items[0]?.cgroupVersion : undefined;
    const hasPressure = agentContainers(cgroups)?.hasPressure === true ? true : this.#hasPressure;
    return {
      kubelet: {
        configured: expects.kubelet,
        freshForMs: FRESH_PERIODS * KUBELET_METRICS_PERIOD_MS,
        failures: this.#failures,
        pages: this.#pages,
        ...(this.#kubeletMs === undefined ? {} : { lastMs: this.#kubeletMs }),
        ...(failure === undefined ? {} : { reason: failure }),
        ...(timeout === undefined ? {} : { runtimeRequestTimeoutSeconds: timeout }),
        ...(hasPressure === undefined ? {} : { hasPressure }),
        ...(this.#hasNoOperations ? { hasNoOperations: true as const } : {}),
        ...(cgroupVersion === undefined ? {} : { cgroupVersion }),
      },
      agent: {
        configured: expects.agents,
        freshForMs: FRESH_PERIODS * AGENT_PERIOD_MS,
        ...(this.#reportMs === undefined ? { reason: expects.agents ? "no agent reports from this node" : "no agent listener is on (--agent-port)" } : { lastMs: this.#reportMs }),
        ...(this.#clockBehindMs === undefined ? {} : { clockBehindMs: this.#clockBehindMs }),
        ...(this.#report === undefined ? {} : { report: this.#report }),
      },
      latest: this.#latest,
      trends: this.#trends,
      sockets: this.sockets,
      cgroupKills: this.cgroupKills,
      oomKills: this.oomKills,
      ...(this.lastFreshMs === undefined ? {} : { lastFreshMs: this.lastFreshMs }),
      ...(this.lastFailureMs === undefined ? {} : { lastFailureMs: this.lastFailureMs }),
      ...(this.view === undefined ? {} : { previous: this.view.answer, previousDiagnosis: this.view }),
    };
  }

  /** The clock was set back: what is remembered from after `nowMs` was so by now. Left as it is, it would count as fresh, and as just begun, until that time comes again. */
  notAfter(nowMs: number): void {
    const by = (ms: number): number => Math.min(ms, nowMs);
    if (this.#kubeletMs !== undefined) this.#kubeletMs = by(this.#kubeletMs);
    if (this.#reportMs !== undefined) this.#reportMs = by(this.#reportMs);
    if (this.#daemonCpuMs !== undefined) this.#daemonCpuMs = by(this.#daemonCpuMs);
    for (const [key, { sample, source }] of this.#latest) this.#latest.set(key, { sample: { ...sample, atMs: by(sample.atMs) }, source });
    this.#pages = Object.fromEntries(Object.entries(this.#pages).map(([page, course]) => [page, { ...course, ...(course.lastMs === undefined ? {} : { lastMs: by(course.lastMs) }), ...(course.failingSinceMs === undefined ? {} : { failingSinceMs: by(course.failingSinceMs) }) }]));
    this.sockets = new Map([...this.sockets].map(([path, since]) => [path, { ...since, sinceMs: by(since.sinceMs) }]));
    this.cgroupKills = new Map([...this.cgroupKills].map(([instance, known]) => [instance, { ...known, ...(known.risenMs === undefined ? {} : { risenMs: by(known.risenMs) }) }]));
  }

  #noteCourse(observation: Observation & { readonly source: "kubelet" }): void {
    const page = observation.type === "failed" ? observation.page : observation.type;
    const before = this.#pages[page];
    const course: PageCourse =
      observation.type === "failed"
        ? { ...(before?.lastMs === undefined ? {} : { lastMs: before.lastMs }), failingSinceMs: before?.failingSinceMs ?? observation.atMs, timedOut: observation.timedOut === true }
        : { lastMs: observation.atMs };
    this.#pages = { ...this.#pages, [page]: course };
  }

  #forgive(page: KubeletPage): void {
    if (this.#failures[page] === undefined) return;
    const { [page]: _mended, ...others } = this.#failures;
    this.#failures = others;
  }
}

const agentTimeoutSeconds = ({ kubelet }: AgentReport): number | undefined => (kubelet?.looked === true ? kubelet.reading.runtimeRequestTimeoutSeconds : undefined);
