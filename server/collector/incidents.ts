import { configChanges, daemonChanges, rolloutChange } from "../domain/cluster-changes";
import { traitsOf } from "../domain/incident/shared-traits";
import type { AgentReport } from "../domain/agent-report";
import type { FleetPart } from "../domain/causes/types";
import type { DaemonSetObject, PodObject } from "../domain/model";
import type { NodeView } from "../domain/node-view";
import type { Log } from "../log";
import { IncidentKeeper, type IncidentSink, type KeptIncidents, type PastIncidents } from "./incident-keeper";
import { ReplicaCounts } from "./replicas";
import type { Writer } from "./writer";

/**
 * What the pipeline hands over once a node is judged: its incident, and what changed on it. A fault here costs no node its
 * answer: it is said in the log, and the next look tries again.
 */
export class Incidents {
  readonly #keeper: IncidentKeeper;
  readonly #replicas = new ReplicaCounts();

  constructor(private readonly options: { readonly writer: Writer; readonly log: Log; readonly views: readonly NodeView[]; readonly kept?: KeptIncidents; readonly sink?: IncidentSink }) {
    this.#keeper = new IncidentKeeper(options.sink ?? options.writer, options.kept, options.views.map(({ name }) => name));
  }

  /** A node was judged; `before` is its view of before. */
  looked(before: NodeView | undefined, view: NodeView, nowMs: number): void {
    this.#guarded(view.name, () => {
      for (const change of daemonChanges(before, view, nowMs)) this.options.writer.clusterChange(change);
      if (view.answer.state === "no" || this.#keeper.isSick(view.name)) for (const pod of view.waitingPods) if (pod.hold.kind === "waiting") this.#replicas.want(pod.namespace, pod.owner, pod.name);
      this.#keeper.look(view, this.#replicas.of, nowMs);
    });
  }

  /** All nodes of this tick were judged. */
  settle(views: () => Iterable<NodeView>, nodes: number, pods: Iterable<PodObject>, nowMs: number): void {
    this.#guarded(undefined, () => {
      this.#keeper.settle(nowMs, nodes, () => [...views()].filter((view) => view.answer.state === "yes" && !this.#keeper.isSick(view.name)).map(traitsOf));
      if (this.#keeper.isIdle) this.#replicas.clear();
      else this.#replicas.refresh(pods, nowMs);
    });
  }

  fleetOf(node: string): FleetPart | undefined {
    return this.#keeper.fleetOf(node);
  }

  gone(node: string, nowMs: number): void {
    this.#guarded(node, () => this.#keeper.gone(node, nowMs));
  }

  /** The cluster's nodes were listed whole. */
  listed(isThere: (node: string) => boolean, nowMs: number): void {
    this.#guarded(undefined, () => this.#keeper.retain(isThere, nowMs));
  }

  daemonSet(before: DaemonSetObject | undefined, after: DaemonSetObject, nowMs: number): void {
    const change = before === undefined ? undefined : rolloutChange(before, after, nowMs);
    if (change !== undefined) this.options.writer.clusterChange(change);
  }

  report(node: string, report: AgentReport): void {
    for (const change of configChanges(node, report.configChanges ?? [])) this.options.writer.clusterChange(change);
  }

  adoptPast(past: PastIncidents, nowMs: number): void {
    this.#guarded(undefined, () => this.#keeper.adoptPast(past, nowMs));
  }

  #guarded(node: string | undefined, run: () => void): void {
    try {
      run();
    } catch (err) {
      this.options.log.error({ err, ...(node === undefined ? {} : { node }) }, "incidents could not be brought up to date");
    }
  }
}
