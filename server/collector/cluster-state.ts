import type { NodeName } from "../domain/ids";
import type { DaemonSetObject, EventObject, NadFacts, NodeObject, PodObject } from "../domain/model";
import type { KindStatus, Observation, WatchedKind } from "../domain/observation";

/** Events kept in memory per pod, newest last; the store keeps all. */
export const MAX_EVENTS_PER_POD = 12;
/** Objects about which events are kept while the object itself is not known (its pod comes later, or is gone). */
export const MAX_EVENT_SUBJECTS = 200_000;
/** How long after its newest event: longer than a list of all pods takes, so that one that is told later finds them. */
export const UNKNOWN_SUBJECT_MS = 600_000;
const SWEEP_EVERY_MS = 60_000;

const NO_PODS: ReadonlyMap<string, PodObject> = new Map();
const NO_EVENTS: readonly EventObject[] = [];

/**
 * The cluster's objects as the watches tell them, indexed by node. Every change names the nodes that it touches, so
 * that only those are judged again.
 */
export class ClusterState {
  readonly nodes = new Map<NodeName, NodeObject>();
  readonly daemonSets = new Map<string, DaemonSetObject>();
  readonly nads = new Map<string, NadFacts>();
  readonly kinds = new Map<WatchedKind, KindStatus>();
  readonly #pods = new Map<string, PodObject>();
  readonly #podsByNode = new Map<NodeName, Map<string, PodObject>>();
  readonly #events = new Map<string, EventObject[]>();
  #sweptMs = 0;

  /** Pods that are bound to the node, and daemons' pods that may run there alone and that the scheduler could not place. */
  podsOf(node: NodeName): ReadonlyMap<string, PodObject> {
    return this.#podsByNode.get(node) ?? NO_PODS;
  }
  pods(): Iterable<PodObject> {
    return this.#pods.values();
  }
  pod(uid: string): PodObject | undefined {
    return this.#pods.get(uid);
  }
  hasPod(uid: string): boolean {
    return this.#pods.has(uid);
  }
  eventsAbout(uid: string): readonly EventObject[] {
    return this.#events.get(uid) ?? NO_EVENTS;
  }
  get podCount(): number {
    return this.#pods.size;
  }

  /** The clock was set back: every kind was heard of by now, and not later. */
  notAfter(nowMs: number): void {
    for (const [kind, status] of this.kinds) if (status.lastMs !== undefined && status.lastMs > nowMs) this.kinds.set(kind, { ...status, lastMs: nowMs });
  }

  /** The node that an event speaks of: its reporter's host, its pod's node, or itself. */
  nodeOf(event: EventObject): NodeName | undefined {
    const pod = event.about.uid === undefined ? undefined : this.#pods.get(event.about.uid);
    const place = placeOf(pod);
    if (place !== undefined) return place;
    const named = event.about.kind === "Node" ? event.about.name : event.host;
    return named !== undefined && this.nodes.has(named as NodeName) ? (named as NodeName) : undefined;
  }

  /** Takes one observation of the API in; returns the nodes to judge again, or "all". */
  apply(observation: Observation & { readonly source: "api" }): Iterable<NodeName> | "all" {
    switch (observation.type) {
      case "node":
        this.nodes.set(observation.object.name, observation.object);
        return [observation.object.name];
      case "node-gone":
        this.nodes.delete(observation.name);
        return [observation.name];
      case "pod":
        return this.#putPod(observation.object);
      case "pod-gone":
        return this.#dropPod(observation.uid);
      case "event":
        this.#sweepEvents(observation.atMs);
        return this.#putEvent(observation.object);
      case "daemonset":
        this.daemonSets.set(observation.object.uid, observation.object);
        return "all";
      case "daemonset-gone":
        this.daemonSets.delete(observation.uid);
        return "all";
      case "revisions":
        return [];
      case "nad":
        this.nads.set(observation.key, { pluginTypes: observation.pluginTypes, ...(observation.problem === undefined ? {} : { problem: observation.problem }) });
        return [];
      case "nad-gone":
        this.nads.delete(observation.key);
        return [];
      case "listed":
        return this.#forgetMissing(observation.kind, observation.keys);
      case "kind-status":
        return this.#putStatus(observation.status, observation.atMs);
    }
  }

  /** A sign of life that tells nothing else changes no answer by itself, and comes every few seconds. */
  #putStatus(status: KindStatus, atMs: number): readonly NodeName[] | "all" {
    const before = this.kinds.get(status.kind);
    // A watch remembers its last word by the clock as it was before it was set back.
    const lastMs = status.lastMs === undefined || status.lastMs <= atMs ? status.lastMs : Math.min(before?.lastMs ?? atMs, atMs);
    this.kinds.set(status.kind, lastMs === undefined ? status : { ...status, lastMs });
    return before?.state === status.state && before.reason === status.reason ? [] : "all";
  }

  #putPod(pod: PodObject): NodeName[] {
    const before = placeOf(this.#pods.get(pod.uid));
    const now = placeOf(pod);
    const touched: NodeName[] = [];
    if (before !== undefined && before !== now) {
      this.#podsByNode.get(before)?.delete(pod.uid);
      touched.push(before);
    }
    this.#pods.set(pod.uid, pod);
    if (now !== undefined) {
      let own = this.#podsByNode.get(now);
      if (own === undefined) this.#podsByNode.set(now, (own = new Map()));
      own.set(pod.uid, pod);
      touched.push(now);
    }
    return touched;
  }

  #dropPod(uid: string): NodeName[] {
    const place = placeOf(this.#pods.get(uid));
    this.#pods.delete(uid);
    this.#events.delete(uid);
    if (place === undefined) return [];
    const own = this.#podsByNode.get(place);
    own?.delete(uid);
    if (own?.size === 0) this.#podsByNode.delete(place);
    return [place];
  }

  #putEvent(event: EventObject): NodeName[] {
    const subject = event.about.uid;
    if (subject !== undefined) {
      const kept = (this.#events.get(subject) ?? []).filter((other) => other.uid !== event.uid);
      kept.push(event);
      kept.sort((a, b) => a.lastMs - b.lastMs);
      if (kept.length > MAX_EVENTS_PER_POD) kept.shift();
      this.#events.delete(subject);
      this.#events.set(subject, kept);
      if (this.#events.size > MAX_EVENT_SUBJECTS) {
        const oldest = this.#events.keys().next().value;
        if (oldest !== undefined) this.#events.delete(oldest);
      }
    }
    const node = this.nodeOf(event);
    return node === undefined ? [] : [node];
  }

  /** Events of pods that are not known end after UNKNOWN_SUBJECT_MS; of known ones with the pod. */
  #sweepEvents(nowMs: number): void {
    if (Math.abs(nowMs - this.#sweptMs) < SWEEP_EVERY_MS) return;
    this.#sweptMs = nowMs;
    for (const [subject, events] of this.#events) if (!this.#pods.has(subject) && nowMs - (events.at(-1)?.lastMs ?? 0) > UNKNOWN_SUBJECT_MS) this.#events.delete(subject);
  }

  #forgetMissing(kind: WatchedKind, keys: ReadonlySet<string>): NodeName[] {
    const touched: NodeName[] = [];
    if (kind === "nodes") {
      for (const name of [...this.nodes.keys()]) {
        if (keys.has(name)) continue;
        this.nodes.delete(name);
        touched.push(name);
      }
    } else if (kind === "pods") {
      for (const uid of [...this.#pods.keys()]) if (!keys.has(uid)) touched.push(...this.#dropPod(uid));
    } else if (kind === "daemonsets") {
      for (const uid of [...this.daemonSets.keys()]) if (!keys.has(uid)) this.daemonSets.delete(uid);
    } else if (kind === "nads") {
      for (const key of [...this.nads.keys()]) if (!keys.has(key)) this.nads.delete(key);
    }
    return touched;
  }
}

/** Where a pod belongs: its node, or the only one that it may run on. */
const placeOf = (pod: PodObject | undefined): NodeName | undefined => pod?.node ?? pod?.daemon?.unscheduled?.forNode;
