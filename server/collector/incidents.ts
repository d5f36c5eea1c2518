import { configChanges, daemonChanges, remadeChange, rolloutChange, rolloutOf, type KnownDaemonSets, type Rollout } from "../domain/cluster-changes";
import { daemonSetKey } from "../domain/cni-daemons";
import { traitsOf } from "../domain/incident/shared-traits";
import type { AgentReport } from "../domain/agent-report";
import type { FleetPart } from "../domain/causes/types";
import type { DaemonSetObject, PodObject } from "../domain/model";
import type { NodeView } from "../domain/node-view";
import type { RevisionsReading } from "../domain/observation";
import type { Log } from "../log";
import { IncidentKeeper, type IncidentSink, type KeptIncidents, type PastIncidents } from "./incident-keeper";
import { ReplicaCounts } from "./replicas";
import type { Writer } from "./writer";

/** So long a rollout waits for what its revisions say; then it is told without. */
export const REVISIONS_WAIT_MS = 30_000;
/** Most rollouts that wait; past it the oldest is told without. */
const MAX_ROLLOUTS = 200;
/** Most names of DaemonSets that are kept beyond their deletion, so that one made anew is known for that; the oldest go first. */
const MAX_NAMES = 2_000;

/**
 * What the pipeline hands over once a node is judged: its incident, and what changed on it. A fault here costs no node its
 * answer: it is said in the log, and the next look tries again.
 */
export class Incidents {
  readonly #keeper: IncidentKeeper;
  readonly #replicas = new ReplicaCounts();
  readonly #rollouts = new Map<string, Rollout>();
  /** As the store remembers them, until each is seen. */
  readonly #remembered: Map<string, DaemonSetObject>;
  /** The last of each "namespace/name", those that are gone too. */
  readonly #byName: Map<string, DaemonSetObject>;

  constructor(private readonly options: { readonly writer: Writer; readonly log: Log; readonly views: readonly NodeView[]; readonly kept?: KeptIncidents; readonly daemonSets: KnownDaemonSets; readonly sink?: IncidentSink }) {
    this.#keeper = new IncidentKeeper(options.sink ?? options.writer, options.kept, options.views.map(({ name }) => name));
    this.#remembered = new Map(options.daemonSets.items.map((daemonSet) => [daemonSet.uid, daemonSet]));
    this.#byName = new Map(options.daemonSets.items.map((daemonSet) => [daemonSetKey(daemonSet), daemonSet]));
  }

  /** A node was judged; `before` is its view of before. */
  looked(before: NodeView | undefined, view: NodeView, nowMs: number): void {
    this.#guarded(view.name, () => {
      for (const change of daemonChanges(before, view, nowMs)) this.options.writer.clusterChange(change);
      if (view.answer.state === "no" || this.#keeper.isSick(view.name)) for (const pod of view.waitingPods) if (pod.hold.kind === "waiting") this.#replicas.want(pod.namespace, pod.owner, pod.name, nowMs);
      this.#keeper.look(view, this.#replicas.of, nowMs);
    });
  }

  /** All nodes of this tick were judged. */
  settle(views: () => Iterable<NodeView>, nodes: number, pods: Iterable<PodObject>, nowMs: number): void {
    for (const [uid, { atMs }] of this.#rollouts) if (Math.abs(nowMs - atMs) >= REVISIONS_WAIT_MS) this.#tellRollout(uid);
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
    const remembered = this.#remembered.get(after.uid);
    this.#remembered.delete(after.uid);
    const known = before ?? remembered;
    const namesake = this.#byName.get(daemonSetKey(after));
    this.#byName.delete(daemonSetKey(after));
    this.#byName.set(daemonSetKey(after), after);
    const first = this.#byName.size > MAX_NAMES ? this.#byName.keys().next().value : undefined;
    if (first !== undefined) this.#byName.delete(first);
    if (known === undefined && namesake !== undefined && namesake.uid !== after.uid) this.#tellRemade(namesake, after, nowMs);
    const found = known === undefined ? undefined : rolloutOf(known, after, nowMs);
    if (found === undefined) return;
    const rollout: Rollout = before === undefined ? { ...found, awaySinceMs: Math.min(this.options.daemonSets.lastMs, nowMs) } : found;
    this.#tellRollout(after.uid); // one that still waits is of a generation before
    const oldest = this.#rollouts.size >= MAX_ROLLOUTS ? this.#rollouts.keys().next().value : undefined;
    if (oldest !== undefined) this.#tellRollout(oldest);
    this.#rollouts.set(after.uid, rollout);
  }

  /** Another DaemonSet of a name that was known. One that was not seen since the start was deleted while nobody looked. */
  #tellRemade(before: DaemonSetObject, after: DaemonSetObject, nowMs: number): void {
    this.#tellRollout(before.uid); // of a generation before
    const wasAway = this.#remembered.delete(before.uid);
    this.options.writer.clusterChange(remadeChange({ before, after, atMs: nowMs, ...(wasAway ? { awaySinceMs: Math.min(this.options.daemonSets.lastMs, nowMs) } : {}) }));
  }

  /** What is to be remembered of these: one whose rollout was not told yet as it was before it, so that a kill loses none. */
  asTold(daemonSets: Iterable<DaemonSetObject>): readonly DaemonSetObject[] {
    return [...daemonSets].map((daemonSet) => this.#rollouts.get(daemonSet.uid)?.before ?? daemonSet);
  }

  /** What the revisions of a rollout say; one that was told already stays as it was told. */
  revisions(uid: string, generation: number, reading: RevisionsReading): void {
    if (this.#rollouts.get(uid)?.after.generation === generation) this.#tellRollout(uid, reading);
  }

  /** Nothing more will come: what waits is told as it is. */
  end(): void {
    for (const uid of [...this.#rollouts.keys()]) this.#tellRollout(uid);
  }

  #tellRollout(uid: string, reading?: RevisionsReading): void {
    const rollout = this.#rollouts.get(uid);
    this.#rollouts.delete(uid);
    if (rollout !== undefined) this.options.writer.clusterChange(rolloutChange(rollout, reading));
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
