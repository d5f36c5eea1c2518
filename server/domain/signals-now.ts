import type { AgentReport } from "./agent-report";
import { FAMILY_GONE } from "./kubelet-versions";
import { containerInstance, seriesKey, type LatestSample, type NodeWindow } from "./node-window";
import type { DaemonView, SignalNow } from "./node-view";
import { SIGNALS, SIGNAL_IDS, type Sample, type SignalDefinition, type SignalId } from "./signals";
import { AGENT_PERIOD_MS, API_FRESH_MS, CADVISOR_PERIOD_MS, FRESH_PERIODS, KUBELET_METRICS_PERIOD_MS, type Source, type SourceStatus } from "./sources";
import { durationWords, rangeWords } from "./words";

export interface SignalContext {
  readonly window: NodeWindow;
  readonly sources: readonly SourceStatus[];
  readonly daemons: readonly DaemonView[];
  /** The API's own samples of this moment (`apiSamples`). */
  readonly apiSamples: readonly Sample[];
  readonly deadlineAssumed: boolean;
  readonly nowMs: number;
}

/**
 * Every signal of the node with its state: a fresh value, a stale one marked so, or unknown with the reason. A daemon's
 * signals have one entry for each of its pods here; a socket's one for each socket that was ever told.
 */
export function signalsNow(context: SignalContext): readonly SignalNow[] {
  const latest = new Map(context.window.latest);
  for (const sample of context.apiSamples) latest.set(seriesKey(sample.signal, sample.instance), { sample, source: "api" });
  const instances = instancesBySignal(latest, context.daemons);
  return SIGNAL_IDS.flatMap((signal) => [...(instances.get(signal) ?? [])].map((instance) => signalNow(signal, instance, latest, context)));
}

function instancesBySignal(latest: ReadonlyMap<string, LatestSample>, daemons: readonly DaemonView[]): ReadonlyMap<SignalId, ReadonlySet<string>> {
  const containers = daemons.map(({ pod, container }) => containerInstance(pod, container));
  const pods = daemons.map(({ pod }) => pod);
  const bySignal = new Map<SignalId, Set<string>>();
  for (const signal of SIGNAL_IDS) {
    const definition: SignalDefinition = SIGNALS[signal];
    const expected = signal === "daemon.restarts" ? pods : signal.startsWith("daemon.") ? containers : definition.instance === undefined ? [""] : [];
    bySignal.set(signal, new Set(expected));
  }
  // Series of pods that are gone are history: they stay on the timeline, and have no value now.
  for (const { sample } of latest.values()) if (!sample.signal.startsWith("daemon.")) bySignal.get(sample.signal)?.add(sample.instance);
  return bySignal;
}

function signalNow(signal: SignalId, instance: string, latest: ReadonlyMap<string, LatestSample>, context: SignalContext): SignalNow {
  const found = latest.get(seriesKey(signal, instance));
  const source = found?.source ?? SIGNALS[signal].sources[0] ?? "api";
  const base = { signal, instance, source };
  const settled = settledReason(signal, instance, latest, context);
  if (settled !== undefined) return { ...base, state: "unknown", reason: settled };
  if (found === undefined) return { ...base, state: "unknown", reason: missingReason(signal, source, context) };
  const { value, atMs } = found.sample;
  const status = context.sources.find((one) => one.source === source);
  if (status?.freshness !== "fresh") return { ...base, state: "stale", value, atMs, reason: status?.reason ?? "its source is not heard" };
  const ageMs = context.nowMs - atMs;
  if (ageMs <= freshForMs(signal, source)) return { ...base, state: "fresh", value, atMs };
  const partReason = source === "agent" ? agentReason(signal, context.window.agent.report) : familyGone(signal, context);
  return { ...base, state: "stale", value, atMs, reason: partReason ?? `last told ${durationWords(ageMs / 1_000)} ago` };
}

function freshForMs(signal: SignalId, source: Source): number {
  if (source === "api") return API_FRESH_MS;
  if (source === "agent") return FRESH_PERIODS * AGENT_PERIOD_MS;
  if (signal === "cri.deadline") return Number.POSITIVE_INFINITY;
  return FRESH_PERIODS * (signal.startsWith("daemon.") ? CADVISOR_PERIOD_MS : KUBELET_METRICS_PERIOD_MS);
}

/** Reasons that hold whatever was measured before: a limit that is not there, a percentile of no call. */
function settledReason(signal: SignalId, instance: string, latest: ReadonlyMap<string, LatestSample>, context: SignalContext): string | undefined {
  if (signal.startsWith("daemon.")) return daemonReason(signal, instance, latest, context);
  if (signal === "cri.deadline" && context.deadlineAssumed) return `assumed, since /configz could not be read${suffix(context.window.kubelet.failures?.configz)}`;
  if (signal.startsWith("cri.run_sandbox.p")) return percentileReason(signal, latest, context);
  if (signal === "pods.oldest_dwell" && context.sources.some(({ source, freshness }) => source === "api" && freshness === "fresh") && !context.apiSamples.some((sample) => sample.signal === signal)) return NO_POD_WAITS;
  return undefined;
}

function daemonReason(signal: SignalId, instance: string, latest: ReadonlyMap<string, LatestSample>, { daemons, window }: SignalContext): string | undefined {
  const daemon = daemons.find(({ pod, container }) => containerInstance(pod, container) === instance);
  if (daemon === undefined) return undefined;
  const noCpuLimit = daemon.cpuLimitCores === undefined;
  if (signal === "daemon.cpu.limit" && noCpuLimit) return "no limit";
  if (signal === "daemon.memory.limit" && daemon.memoryLimitBytes === undefined) return "no limit";
  if (signal === "daemon.cpu.throttled_share" && noCpuLimit) return "no limit";
  if (signal === "daemon.cpu.psi_share" && !latest.has(seriesKey(signal, instance)) && (window.kubelet.hasPressure === false || window.kubelet.cgroupVersion === 1)) {
    return window.kubelet.cgroupVersion === 2 ? "no PSI from this kubelet" : window.kubelet.cgroupVersion === 1 ? "no PSI on cgroup v1" : "no PSI from this kubelet (there is none on cgroup v1)";
  }
  return undefined;
}

/** A percentile counts only together with the calls of the same reading. */
function percentileReason(signal: SignalId, latest: ReadonlyMap<string, LatestSample>, { sources, nowMs }: SignalContext): string | undefined {
  const calls = latest.get(seriesKey("cri.run_sandbox.calls", ""))?.sample;
  if (calls === undefined || sources.find(({ source }) => source === "kubelet")?.freshness !== "fresh" || nowMs - calls.atMs > freshForMs("cri.run_sandbox.calls", "kubelet")) return undefined;
  const own = latest.get(seriesKey(signal, ""))?.sample;
  if (calls.value > 0 && own !== undefined && own.atMs >= calls.atMs) return undefined;
  if (calls.value === 0) return NO_CALL_FINISHED;
  const low = signal.endsWith(".high") ? latest.get(seriesKey(LOW_OF[signal] ?? signal, ""))?.sample : undefined;
  return low !== undefined && low.atMs >= calls.atMs ? `${ABOVE_LAST_BUCKET}: ${rangeWords(low.value)}` : undefined;
}

/** What stands in the place of a value where there is nothing to see: nothing is hidden then. */
export const NO_POD_WAITS = "no pod waits";
export const NO_CALL_FINISHED = "no call finished";
export const ABOVE_LAST_BUCKET = "above the last bucket";

const LOW_OF: Readonly<Partial<Record<SignalId, SignalId>>> = {
  "cri.run_sandbox.p50.high": "cri.run_sandbox.p50.low",
  "cri.run_sandbox.p95.high": "cri.run_sandbox.p95.low",
  "cri.run_sandbox.p99.high": "cri.run_sandbox.p99.low",
};

/** Why a series has no sample at all. */
function missingReason(signal: SignalId, source: Source, context: SignalContext): string {
  const status = context.sources.find((one) => one.source === source);
  if (source === "agent") return status?.freshness === "absent" ? (status.reason ?? "no agent on this node") : (agentReason(signal, context.window.agent.report) ?? status?.reason ?? "the agent did not tell it");
  if (status?.freshness !== "fresh") return status?.reason ?? "its source is not heard";
  if (signal === "pods.oldest_dwell") return NO_POD_WAITS;
  if (source === "kubelet") {
    const page = signal.startsWith("daemon.") ? "cadvisor" : "metrics";
    const failed = context.window.kubelet.failures?.[page];
    return failed ?? (signal.startsWith("daemon.") ? "cAdvisor does not tell it for this container" : (familyGone(signal, context) ?? "a second reading is needed first"));
  }
  return "not told yet";
}

/** A kubelet lists its sandboxes every second, so a page without any operation lacks the family, not the calls. */
const familyGone = (signal: SignalId, { window }: SignalContext): string | undefined => (signal.startsWith("cri.") && signal !== "cri.deadline" && window.kubelet.hasNoOperations === true ? FAMILY_GONE : undefined);

function agentReason(signal: SignalId, report: AgentReport | undefined): string | undefined {
  if (report === undefined) return undefined;
  if (signal.startsWith("socket.")) return report.sockets.looked ? undefined : report.sockets.reason;
  if (signal.startsWith("daemon.")) return report.cgroups?.looked === false ? report.cgroups.reason : undefined;
  if (signal === "cri.deadline") return report.kubelet?.looked === false ? report.kubelet.reason : undefined;
  if (!report.sandboxes.looked) return report.sandboxes.reason;
  if (report.sandboxes.truncated && signal.startsWith("sandbox.")) return "the runtime's list was cut, so it gives no count";
  return undefined;
}

const suffix = (reason: string | undefined): string => (reason === undefined ? "" : `: ${reason}`);
