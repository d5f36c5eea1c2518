import { isNodeAction } from "./actions/work-order";
import type { AgentReport } from "./agent-report";
import type { Judgement, WaitingPod } from "./answer";
import { blindSpots } from "./blind-spots";
import { diagnose, marksRisk } from "./causes/diagnose";
import { causeInput } from "./causes/input";
import { NO_DIAGNOSIS, type Diagnosis } from "./causes/types";
import { socketsOfPlugins } from "./cni-daemons";
import { daemonOfPod, daemonView, oomKey } from "./daemon-views";
import { trackFresh } from "./fresh";
import { hostView } from "./host-view";
import { judge, withSince } from "./judge";
import { NO_HELD_PODS, RUNTIME_SOCKET, type AgentFacts, type EffectiveSocket, type HeldPods } from "./judge-input";
import { canonicalSocketPath } from "./known-sockets";
import { deadline } from "./metrics/deadline";
import type { PodObject } from "./model";
import { MAX_WAITING_PODS_KEPT, type DaemonView, type NodeView } from "./node-view";
import { effectivePluginTypes, sandboxesByPod, type NodeWindow } from "./node-window";
import { trailOf } from "./pod-trail";
import { apiSamples } from "./samples";
import { signalsNow } from "./signals-now";
import { apiStatus, partOf, sourceStatus } from "./source-status";
import type { SourceStatus } from "./sources";
import type { Thresholds } from "./thresholds";
import { needsSandbox, sandboxTried, waitingPodOf, type WaitContext } from "./waiting";

/** Pool of a node whose labels name none. */
const NO_POOL = "default";

/**
 * A node as every view, export and API answer reads it: judged at `nowMs` from what the collector keeps of it. Costs time
 * in proportion to the node's own pods; events are asked for only where a pod has no ready sandbox.
 */
export function buildView(window: NodeWindow, nowMs: number, thresholds: Thresholds): NodeView {
  const { node, kinds, previous } = window;
  const ready = node.conditions.find(({ type }) => type === "Ready");
  const sources = sourcesOf(window, nowMs);
  const agentStatus = statusOf(sources, "agent");
  const report = agentStatus.freshness === "fresh" ? window.agent.report : undefined;
  const sockets = socketsOf(window.agent.report, window.sockets);
  const pods = holdPods(window, report, nowMs, thresholds);
  const judgement = judge({
    nowMs,
    thresholds,
    api: statusOf(sources, "api"),
    pods: partOf(kinds, "pods", nowMs),
    events: partOf(kinds, "events", nowMs),
    ...(ready === undefined ? {} : { ready }),
    held: pods.held,
    ...(pods.lastFreshMs === undefined ? {} : { lastFreshMs: pods.lastFreshMs }),
    ...(pods.lastFailureMs === undefined ? {} : { lastFailureMs: pods.lastFailureMs }),
    daemons: pods.daemons.map(({ daemonSet, ready: isReady }) => ({ name: daemonSet, ready: isReady })),
    agentStatus,
    ...(report === undefined ? {} : { agent: agentFacts(report, sockets) }),
  });
  const { held } = pods;
  const provisional = withSince(previous, judgement, nowMs);
  const limit = deadline(window.kubelet.runtimeRequestTimeoutSeconds);
  const config = window.agent.report?.config;
  const host = window.agent.report === undefined ? undefined : hostView(window.agent.report);
  const view: NodeView = {
    name: node.name,
    pool: node.pool ?? NO_POOL,
    ...(node.zone === undefined ? {} : { zone: node.zone }),
    answer: provisional,
    ready: ready?.status ?? "Unknown",
    ...(ready?.message === undefined ? {} : { readyMessage: ready.message }),
    schedulable: !node.unschedulable,
    taints: node.taints,
    conditions: node.conditions,
    versions: node.versions,
    sources,
    signals: [],
    counts: {
      pods: pods.running,
      waiting: held.waiting,
      waitingSystem: held.waitingSystem,
      stuck: held.stuck,
      ownRequest: held.ownRequest,
      other: held.other,
      ...(held.oldestWaitMs === undefined ? {} : { oldestWaitMs: held.oldestWaitMs }),
    },
    ...(pods.lastFreshMs === undefined ? {} : { lastFreshMs: pods.lastFreshMs }),
    waitingPods: pods.waitingPods,
    deadline: limit,
    daemons: pods.daemons,
    sockets: sockets.map(({ sinceMs: _, ...socket }) => socket),
    ...(config?.looked === true ? { config: configView(config.reading) } : {}),
    ...(host === undefined ? {} : { host }),
    ...(report?.actions === undefined ? {} : { nodeActions: report.actions.filter(isNodeAction) }),
    ...(window.agent.report?.lostReports === undefined ? {} : { lostReports: window.agent.report.lostReports }),
    blind: blindSpots(window, sources, nowMs),
    ...NO_DIAGNOSIS,
  };
  const signals = signalsNow({ window, sources, daemons: pods.daemons, apiSamples: apiSamples(view, nowMs), deadlineAssumed: limit.assumed, nowMs });
  const judged = { ...pods, answer: provisional, sockets, signals, sources, deadline: limit };
  const diagnosis = diagnose(causeInput(window, judged, nowMs, thresholds), window.previousDiagnosis ?? NO_DIAGNOSIS);
  return { ...view, signals, ...diagnosis, answer: withSince(previous, withRisk(judgement, diagnosis), nowMs) };
}

/** Row 5 of DESIGN "Judging": a node that starts pods is at risk where a cause fires that was measured (docs/decisions/0044). */
function withRisk(judgement: Judgement, diagnosis: Diagnosis): Judgement {
  const risk = judgement.row === 5 && judgement.state === "yes" ? marksRisk(diagnosis) : undefined;
  return risk === undefined ? judgement : { ...judgement, atRisk: true, summary: `${judgement.summary} At risk: ${risk.summary}` };
}

/** Freshness of every source of the node at `nowMs`; Prometheus only where one is configured. */
function sourcesOf(window: NodeWindow, nowMs: number): readonly SourceStatus[] {
  const ready = window.node.conditions.find(({ type }) => type === "Ready");
  const agent = window.agent.configured || window.agent.reason !== undefined ? window.agent : { ...window.agent, reason: "no agent on this node" };
  return [
    apiStatus(window.kinds, ready, nowMs),
    sourceStatus("kubelet", window.kubelet, nowMs),
    sourceStatus("agent", agent, nowMs),
    ...(window.prometheus === undefined ? [] : [sourceStatus("prometheus", window.prometheus, nowMs)]),
  ];
}

function statusOf(sources: readonly SourceStatus[], source: SourceStatus["source"]): SourceStatus {
  return sources.find((one) => one.source === source) ?? { source, freshness: "absent", reason: "not configured" };
}

interface HeldList {
  readonly held: HeldPods;
  readonly waitingPods: readonly WaitingPod[];
  readonly daemons: readonly DaemonView[];
  /** Pods that are bound to the node and not finished. */
  readonly running: number;
  readonly lastFreshMs?: number;
  readonly lastFailureMs?: number;
}

function holdPods(window: NodeWindow, report: AgentReport | undefined, nowMs: number, thresholds: Thresholds): HeldList {
  const sandboxes = report?.sandboxes.looked === true ? sandboxesByPod(report.sandboxes.items) : undefined;
  const types = report === undefined ? undefined : effectivePluginTypes(report);
  const held = { ...NO_HELD_PODS };
  const found: WaitingPod[] = [];
  const daemons: DaemonView[] = [];
  let running = 0;
  let { lastFreshMs, lastFailureMs } = window;
  // Below 1.29 a start that is seen here may be a container's second: then only what was tracked counts.
  const tracked = lastFreshMs !== undefined;
  for (const pod of window.pods.values()) {
    if (pod.readyToStart !== undefined || !tracked) lastFreshMs = trackFresh(lastFreshMs, pod, nowMs);
    if (pod.node !== undefined && pod.phase !== "Succeeded" && pod.phase !== "Failed") running += 1;
    const daemon = daemonOfPod(pod, window.daemons);
    if (daemon !== undefined && !pod.deleting) daemons.push(daemonView(pod, daemon, window.oomKills.get(oomKey(pod, daemon))));
    if (!needsSandbox(pod)) continue;
    const trail = trailOf(window.eventsAbout(pod.uid));
    const own = sandboxes?.get(pod.uid);
    const context: WaitContext = { nadPluginTypes: window.nadPluginTypes, ...(types === undefined ? {} : { effectivePluginTypes: types }), ...(own === undefined ? {} : { sandboxes: own }) };
    const one = waitingPodOf(pod, trail, context, nowMs, thresholds);
    if (one === undefined) continue;
    found.push(one);
    count(held, one, pod, sandboxTried(trail, own));
    if (one.hold.kind === "waiting" && trail?.error !== undefined) lastFailureMs = Math.max(lastFailureMs ?? trail.error.atMs, trail.error.atMs);
  }
  found.sort((a, b) => a.hold.sinceMs - b.hold.sinceMs || (a.uid < b.uid ? -1 : 1));
  daemons.sort((a, b) => (a.daemonSet < b.daemonSet ? -1 : a.daemonSet > b.daemonSet ? 1 : a.pod < b.pod ? -1 : 1));
  return { held, waitingPods: found.slice(0, MAX_WAITING_PODS_KEPT), daemons, running, ...(lastFreshMs === undefined ? {} : { lastFreshMs }), ...(lastFailureMs === undefined ? {} : { lastFailureMs }) };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function count(held: Mutable<HeldPods>, { hold }: WaitingPod, pod: PodObject, tried: boolean): void {
  if (hold.kind === "own-request") held.ownRequest += 1;
  if (hold.kind === "other") held.other += 1;
  if (hold.kind !== "waiting") return;
  const { sinceMs } = hold;
  held.waiting += 1;
  if (pod.system) held.waitingSystem += 1;
  held.oldestWaitMs = Math.min(held.oldestWaitMs ?? sinceMs, sinceMs);
  if (!hold.stuck) return;
  held.stuck += 1;
  if (tried) held.stuckTried += 1;
  held.oldestStuckMs = Math.min(held.oldestStuckMs ?? sinceMs, sinceMs);
  held.newestStuckMs = Math.max(held.newestStuckMs ?? sinceMs, sinceMs);
}

/** The agent's sockets, each with whether the effective conflist calls it: by its own config, or by a plugin known to. */
function socketsOf(report: AgentReport | undefined, known: NodeWindow["sockets"]): readonly EffectiveSocket[] {
  if (report?.sockets.looked !== true) return [];
  const config = report.config.looked ? report.config.reading : undefined;
  const called = new Set([...(config?.sockets ?? []).map(canonicalSocketPath), ...(config === undefined || config.sockets.length > 0 ? [] : socketsOfPlugins(config.pluginTypes))]);
  return report.sockets.items.map((socket) => {
    const path = canonicalSocketPath(socket.path);
    const since = known.get(path);
    return { ...socket, effective: socket.name !== RUNTIME_SOCKET && called.has(path), ...(since?.state === socket.state ? { sinceMs: since.sinceMs } : {}) };
  });
}

function agentFacts(report: AgentReport, sockets: readonly EffectiveSocket[]): AgentFacts {
  return {
    ...(report.runtime.looked ? { runtime: report.runtime.reading } : {}),
    ...(report.config.looked ? { config: report.config.reading } : {}),
    sockets,
  };
}

function configView({ dir, effectiveFile, pluginTypes, missingBinaries }: NonNullable<AgentFacts["config"]>): NonNullable<NodeView["config"]> {
  return { dir, ...(effectiveFile === undefined ? {} : { effectiveFile }), pluginTypes, missingBinaries };
}
