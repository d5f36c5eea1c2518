import type { LostReports } from "../domain/agent-report";
import type { WaitingPod } from "../domain/answer";
import type { EventObject } from "../domain/model";
import type { DaemonView, NodeView, SignalNow } from "../domain/node-view";
import { podsSeen } from "../domain/pods-seen";
import { SIGNALS } from "../domain/signals";
import type { SourceStatus } from "../domain/sources";
import type { DaemonOut, NodeDetail, NodeEvents, NodeSummary, WaitingPodOut } from "../contract/schemas";
import { evidenceOut } from "./evidence-out";
import { causeBriefOut } from "./diagnosis-out";
import { iso, isoOr } from "./iso";

/**
 * The collector's view of a node in the shape of the API: the same facts, times as ISO 8601. Nothing is judged here,
 * so a page, an export and the API cannot disagree.
 */
export function summaryOut(view: NodeView): NodeSummary {
  const { answer, counts } = view;
  return {
    name: view.name,
    pool: view.pool,
    ...(view.zone === undefined ? {} : { zone: view.zone }),
    answer: { state: answer.state, atRisk: answer.atRisk, idle: answer.idle, since: iso(answer.sinceMs), row: answer.row, summary: answer.summary, proof: answer.proof.map(evidenceOut) },
    ready: view.ready,
    ...(view.readyMessage === undefined ? {} : { readyMessage: view.readyMessage }),
    schedulable: view.schedulable,
    taints: [...view.taints],
    versions: { ...view.versions },
    sources: view.sources.map(sourceOut),
    signals: view.signals.map(signalOut),
    counts: {
      seen: podsSeen(view),
      pods: counts.pods, waiting: counts.waiting, waitingSystem: counts.waitingSystem, stuck: counts.stuck, ownRequest: counts.ownRequest, other: counts.other,
      ...isoOr("oldestWaitSince", counts.oldestWaitMs),
    },
    causes: view.causes.map(causeBriefOut),
    ...isoOr("lastFreshAt", view.lastFreshMs),
    deadline: { ...view.deadline },
  };
}

export const signalOut = (now: SignalNow): NodeSummary["signals"][number] => ({
  signal: now.signal,
  instance: now.instance,
  source: now.source,
  state: now.state,
  unit: SIGNALS[now.signal].unit,
  ...(now.value === undefined ? {} : { value: now.value }),
  ...isoOr("at", now.atMs),
  ...(now.reason === undefined ? {} : { reason: now.reason }),
});

export const sourceOut = (status: SourceStatus): NodeSummary["sources"][number] => ({
  source: status.source,
  freshness: status.freshness,
  ...isoOr("last", status.lastMs),
  ...(status.reason === undefined ? {} : { reason: status.reason }),
  ...(status.clockBehindSeconds === undefined ? {} : { clockBehindSeconds: status.clockBehindSeconds }),
});

/** Absent where the agent does not tell it. */
export const lostOut = (lost: LostReports | undefined): { readonly lostReports?: NonNullable<NodeDetail["lostReports"]> } =>
  lost === undefined ? {} : { lostReports: { thinned: lost.thinned, tooOld: lost.tooOld, ...isoOr("from", lost.fromMs), ...isoOr("to", lost.toMs) } };

export const waitingPodOut = (pod: WaitingPod): WaitingPodOut => ({
  uid: pod.uid,
  namespace: pod.namespace,
  name: pod.name,
  system: pod.system,
  hold: pod.hold.kind,
  since: iso(pod.hold.sinceMs),
  stuck: pod.hold.kind === "waiting" && pod.hold.stuck,
  ...(pod.hold.kind === "waiting" ? {} : { because: pod.hold.because }),
  ...(pod.lastError === undefined ? {} : { lastError: { text: pod.lastError.text, at: iso(pod.lastError.atMs) } }),
  attemptsSeen: pod.attemptsSeen,
});

export const daemonOut = (daemon: DaemonView): DaemonOut => ({
  daemonSet: daemon.daemonSet,
  pod: daemon.pod,
  container: daemon.container,
  ready: daemon.ready,
  restarts: daemon.restarts,
  ...(daemon.cpuLimitCores === undefined ? {} : { cpuLimitCores: daemon.cpuLimitCores }),
  ...(daemon.memoryLimitBytes === undefined ? {} : { memoryLimitBytes: daemon.memoryLimitBytes }),
  ...(daemon.memoryRequestBytes === undefined ? {} : { memoryRequestBytes: daemon.memoryRequestBytes }),
  ...(daemon.lastTermination === undefined ? {} : { lastTermination: { reason: daemon.lastTermination.reason, exitCode: daemon.lastTermination.exitCode, ...isoOr("at", daemon.lastTermination.atMs) } }),
  oomKills: daemon.oomKillsMs.map(iso),
});

export const eventOut = (event: EventObject): NodeEvents["items"][number] => ({
  uid: event.uid,
  reason: event.reason,
  type: event.type,
  message: event.message,
  count: event.count,
  first: iso(event.firstMs),
  last: iso(event.lastMs),
  about: { kind: event.about.kind, name: event.about.name, ...(event.about.namespace === undefined ? {} : { namespace: event.about.namespace }) },
});
