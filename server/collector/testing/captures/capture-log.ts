import type { AgentReport } from "../../../domain/agent-report";
import { parseNodeName, type NodeName } from "../../../domain/ids";
import type { NodeObject, PodObject } from "../../../domain/model";
import type { KindStatus, Observation, WatchedKind } from "../../../domain/observation";
import { momentsOf, pageSuffix, type Capture, type Moment } from "./capture";
import { samplesOf, type CourseSample } from "./listing";
import { apiMoment, daemonPodAsOf, podAsOf, type ApiMoment } from "./objects";
import { pageOf } from "./pages";
import { daemonPodOf, momentReport, sampleReport } from "./reports";

/** Pages of one kind are taken as scrapes that follow each other at this distance. */
export const SCRAPE_MS = 15_000;
/** A moment holds for this long, since a capture may be taken long before a pod counts as stuck; only what it was goes on. */
export const HOLDS_MS = 120_000;

export interface CaptureLog {
  /** In the order of time. */
  readonly observations: readonly Observation[];
  /** When the last moment has been seen for as long as it holds: then it is to be judged. */
  readonly judgeMs: number;
  /** When each sample of the course was taken. */
  readonly sampledMs: readonly number[];
  readonly node: NodeName;
  readonly expects: { readonly kubelet: boolean; readonly agents: boolean };
}

/**
 * A capture as the log of observations that a collector would have had. Each moment is told with all that was captured of it: its
 * objects, the page before and its own, an agent's report of its listings; then nothing changes for a while but the time. A
 * course that was counted all along is told in between: the pods as they must have been by their own times, the daemon as its
 * container's state was noted, and what was counted as an agent's report. The log ends with the moment `lastSuffix`.
 */
export async function captureLog(capture: Capture, lastSuffix: string): Promise<CaptureLog> {
  const all = momentsOf(capture);
  const moments = all.slice(0, all.findIndex(({ suffix }) => suffix === lastSuffix) + 1).map((moment) => ({ ...moment, api: apiMoment(capture, moment.suffix) }));
  const node = moments.flatMap(({ api }) => api.node?.name ?? [])[0] ?? moments.flatMap(({ api }) => api.pods.flatMap((pod) => pod.node ?? []))[0] ?? parseNodeName("node-1");
  if (node === undefined || moments.length === 0) throw new Error(`${capture.name} holds no moment "${lastSuffix}"`);
  const lastMs = moments.at(-1)?.atMs ?? 0;
  const samples = samplesOf(capture).filter(({ atMs }) => atMs <= lastMs); // beyond it nothing tells which pods there were
  const told: Observation[] = [];
  let isReported = samples.length > 0;
  let judgeMs = 0;
  let fromMs = 0;
  for (const [at, moment] of moments.entries()) {
    const untilMs = Math.max(moment.atMs, Math.min(moment.atMs + HOLDS_MS, (moments[at + 1]?.atMs ?? Infinity) - 2 * SCRAPE_MS));
    fromMs = Math.max(moment.atMs - SCRAPE_MS, fromMs);
    judgeMs = untilMs;
    const report = await momentReport(capture, moment.suffix, moment.api, node, moment.atMs);
    isReported ||= report !== undefined;
    const isCounted = samples.some(({ atMs }) => atMs > moment.atMs && atMs < untilMs);
    told.push(...momentObservations({ capture, node, moment, before: moments[at - 1], fromMs, untilMs, report, isCounted }));
    fromMs = untilMs + 1_000;
  }
  told.push(...courseObservations(capture, node, moments, samples));
  // The order of what is told at one time stays, so that lists come before what stands on them.
  const observations = told.map((one, at) => ({ one, at })).sort((a, b) => a.one.atMs - b.one.atMs || a.at - b.at).map(({ one }, at) => numbered(one, at));
  const names = [...capture.files.keys()];
  return { observations, judgeMs, sampledMs: samples.map(({ atMs }) => atMs), node, expects: { kubelet: names.some((name) => name.includes("-metrics-")), agents: isReported } };
}

type ApiAtMoment = Moment & { readonly api: ApiMoment };

const numbered = (observation: Observation, sequence: number): Observation => (observation.source === "agent" ? { ...observation, report: { ...observation.report, sequence } } : observation);

interface Told {
  readonly capture: Capture;
  readonly node: NodeName;
  readonly moment: ApiAtMoment;
  readonly before: Moment | undefined;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly report: AgentReport | undefined;
  /** The course was counted after the moment, so that nothing has to be assumed of it. */
  readonly isCounted: boolean;
}

function momentObservations({ capture, node, moment, before, fromMs, untilMs, report, isCounted }: Told): readonly Observation[] {
  const { suffix, atMs, api } = moment;
  const told: Observation[] = [...apiLists(api, node, fromMs, api.captured.pods ? api.pods : undefined), ...api.events.map((object): Observation => ({ source: "api", type: "event", atMs: fromMs, object }))];
  const wanted = (namespace: string, pod: string): boolean => api.daemons.some(({ daemonSet }) => daemonSet.namespace === namespace && pod.startsWith(`${daemonSet.name}-`));
  const { runtimeRequestTimeoutSeconds } = capture;
  if (runtimeRequestTimeoutSeconds !== undefined) told.push({ source: "kubelet", type: "configz", node, atMs: fromMs, runtimeRequestTimeoutSeconds });
  for (const page of ["metrics", "cadvisor"] as const) {
    const first = pageOf(capture, page, before === undefined ? "-before" : pageSuffix(before.suffix), wanted);
    const own = pageOf(capture, page, pageSuffix(suffix), wanted);
    if (own === undefined && before !== undefined) told.push({ source: "kubelet", type: "failed", node, atMs: fromMs, page, reason: "not captured" });
    if (own === undefined) continue;
    if (first !== undefined) told.push(first(node, fromMs));
    for (let ms = atMs; ms <= untilMs; ms += SCRAPE_MS) told.push(own(node, ms));
  }
  for (let ms = fromMs; ms <= untilMs; ms = ms < atMs ? atMs : ms + SCRAPE_MS) {
    told.push(...statuses(ms, api.captured));
    if (report !== undefined && (ms <= atMs || !isCounted)) told.push({ source: "agent", type: "report", node, atMs: ms, report: movedTo(report, ms) });
  }
  return told;
}

/** The same report at another time: what it tells the age of is as old as it was. */
function movedTo(report: AgentReport, atMs: number): AgentReport {
  const byMs = atMs - report.atMs;
  if (byMs === 0 || report.processes?.looked !== true) return { ...report, atMs };
  const items = report.processes.items.map((process) => (process.startedMs === undefined ? process : { ...process, startedMs: process.startedMs + byMs }));
  return { ...report, atMs, processes: { ...report.processes, items } };
}

/** The first list of each kind, or the next one: what it no longer holds is gone. Pods that were not captured stay as they were last. */
function apiLists(api: ApiMoment, node: NodeName, atMs: number, pods: readonly PodObject[] | undefined): readonly Observation[] {
  const object = api.node ?? notCaptured(node);
  return [
    ...api.daemonSets.map((daemonSet): Observation => ({ source: "api", type: "daemonset", atMs, object: daemonSet })),
    { source: "api", type: "listed", atMs, kind: "daemonsets", keys: new Set(api.daemonSets.map(({ uid }) => uid)) },
    { source: "api", type: "node", atMs, object },
    { source: "api", type: "listed", atMs, kind: "nodes", keys: new Set([object.name]) },
    ...(pods ?? []).map((pod): Observation => ({ source: "api", type: "pod", atMs, object: pod })),
    ...(pods === undefined ? [] : [{ source: "api", type: "listed", atMs, kind: "pods", keys: new Set(pods.map(({ uid }) => uid)) } satisfies Observation]),
    ...(api.captured.events ? [{ source: "api", type: "listed", atMs, kind: "events", keys: new Set<string>() } satisfies Observation] : []),
    ...statuses(atMs, api.captured),
  ];
}

/** What was not captured is not to be seen. No capture holds network attachments; those of clusters without multus could hold none. */
function statuses(atMs: number, captured: ApiMoment["captured"]): readonly Observation[] {
  const seen: Readonly<Record<Exclude<WatchedKind, "nads">, boolean>> = { nodes: true, pods: captured.pods, events: captured.events, daemonsets: true };
  const watched = (Object.keys(seen) as readonly (keyof typeof seen)[]).map((kind): KindStatus => (seen[kind] ? { kind, state: "watching", lastMs: atMs, objects: 1 } : unseen(kind, kind)));
  return [...watched, unseen("nads", "network attachments")].map((status): Observation => ({ source: "api", type: "kind-status", atMs, status }));
}

const unseen = (kind: WatchedKind, words: string): KindStatus => ({ kind, state: "forbidden", reason: `${words} were not captured`, objects: 0 });

const notCaptured = (name: NodeName): NodeObject => ({ name, uid: "not-captured", unschedulable: false, taints: [], conditions: [], addresses: [], versions: {}, allocatable: {} });

function courseObservations(capture: Capture, node: NodeName, moments: readonly ApiAtMoment[], samples: readonly CourseSample[]): readonly Observation[] {
  const states = capture.files.get("states.txt")?.split("\n") ?? [];
  let endedMs: number | undefined;
  let restarts = 0;
  return samples.flatMap((sample, at) => {
    const next = moments.find(({ atMs }) => atMs >= sample.atMs);
    if (next === undefined) return [];
    const { api } = next;
    if ((sample.counts["restarts"] ?? 0) > restarts) endedMs = sample.atMs;
    restarts = sample.counts["restarts"] ?? restarts;
    const daemon = daemonPodOf(api);
    const pods = api.rawPods.flatMap((raw) => {
      const then = raw === daemon?.pod ? daemonPodAsOf(raw, daemon.daemon.container, sample, states[at], endedMs) : podAsOf(raw, sample.atMs);
      return then === undefined ? [] : (api.project(then) ?? []);
    });
    const report = sampleReport(sample, api, node, daemon?.pod);
    return [...apiLists(api, node, sample.atMs, pods), { source: "agent", type: "report", node, atMs: sample.atMs, report } satisfies Observation];
  });
}
