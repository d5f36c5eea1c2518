import type { Answer, WaitingPod } from "../answer";
import type { EffectiveSocket, HeldPods } from "../judge-input";
import type { DaemonView, SignalNow } from "../node-view";
import { seriesKey, type NodeWindow } from "../node-window";
import { partOf } from "../source-status";
import type { SourceStatus } from "../sources";
import type { Thresholds } from "../thresholds";
import { errorGroups } from "./error-groups";
import type { CauseInput } from "./types";

/** What was already worked out of a node's window when its causes are looked for. */
export interface Judged {
  readonly answer: Answer;
  readonly held: HeldPods;
  readonly lastFreshMs?: number;
  readonly waitingPods: readonly WaitingPod[];
  readonly daemons: readonly DaemonView[];
  readonly sockets: readonly EffectiveSocket[];
  readonly signals: readonly SignalNow[];
  readonly sources: readonly SourceStatus[];
  readonly deadline: { readonly seconds: number; readonly assumed: boolean };
}

/** The input of the checks: the agent's report and the texts of events only while their source is fresh, so that no check can rest on old ones. */
export function causeInput(window: NodeWindow, judged: Judged, nowMs: number, thresholds: Thresholds): CauseInput {
  const source = (name: SourceStatus["source"]): SourceStatus => judged.sources.find((one) => one.source === name) ?? { source: name, freshness: "absent", reason: "not configured" };
  const agentFresh = source("agent").freshness === "fresh";
  const { report } = window.agent;
  const nadsSeen = partOf(window.kinds, "nads", nowMs).seen;
  const textsSeen = source("api").freshness === "fresh" && partOf(window.kinds, "events", nowMs).seen;
  return {
    nowMs,
    thresholds,
    node: window.node,
    answer: judged.answer,
    held: judged.held,
    ...(judged.lastFreshMs === undefined ? {} : { lastFreshMs: judged.lastFreshMs }),
    waitingPods: judged.waitingPods,
    pods: window.pods,
    eventsAbout: window.eventsAbout,
    errors: textsSeen ? errorGroups(judged.waitingPods, window.pods, window.eventsAbout, nowMs) : [],
    daemons: judged.daemons,
    cniDaemons: window.daemons,
    daemonSets: window.daemonSets,
    ...(nadsSeen ? { nads: window.nads } : {}),
    nadPluginTypes: window.nadPluginTypes,
    ...(agentFresh && report !== undefined ? { report } : {}),
    sockets: agentFresh ? judged.sockets : [],
    cgroupKills: agentFresh ? window.cgroupKills : new Map(),
    deadline: judged.deadline,
    signal: (signal, instance = "") => judged.signals.find((one) => one.signal === signal && one.instance === instance),
    signalsOf: (signal) => judged.signals.filter((one) => one.signal === signal),
    trend: (signal, instance = "") => window.trends.get(seriesKey(signal, instance)) ?? [],
    source,
    kind: (kind) => partOf(window.kinds, kind, nowMs),
    ...(window.fleet === undefined ? {} : { fleet: window.fleet }),
    accepted: window.accepted ?? [],
    gapsOf: window.gapsOf ?? (() => undefined),
    kubeletFailures: window.kubelet.failures ?? {},
    kubeletPages: window.kubelet.pages ?? {},
  };
}
