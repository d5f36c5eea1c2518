import { advance, advanceGone, isSettled } from "../domain/incident/advance";
import { advanceFleet, beginFleet, planFleets } from "../domain/incident/fleet";
import type { CountReplicas } from "../domain/incident/hurt";
import { traitsOf, type Traits } from "../domain/incident/shared-traits";
import { REOPEN_GRACE_MS } from "../domain/incident/timing";
import type { Advanced, FleetIncident, Incident, IncidentEntry, KeepStretch, NodeIncident } from "../domain/incident/types";
import type { FleetPart } from "../domain/causes/types";
import type { NodeView } from "../domain/node-view";

/** Where what became of incidents goes; the writer puts it into the batch of the tick. */
export interface IncidentSink {
  saveIncident(incident: Incident): void;
  /** A sign that did not hold: nothing of it is kept. */
  forgetIncident(id: number): void;
  /** Its entries of before go; those that come are all of them. */
  retellIncident(id: number): void;
  incidentEntry(incident: number, entry: IncidentEntry): void;
  keepSamples(stretch: KeepStretch): void;
}

/** Figures alone (a peak, a sentence) are saved at most this often. */
const SAVE_FIGURES_EVERY_MS = 60_000;

export interface KeptIncidents {
  readonly items: readonly Incident[];
  readonly lastId: number;
  /** When the last look before this start was; absent where there was none. */
  readonly lastLookMs: number | undefined;
}

export const NO_INCIDENTS: KeptIncidents = { items: [], lastId: 0, lastLookMs: undefined };
/** How long a closed incident is still of interest to a collector that starts. */
export const LOAD_CLOSED_MS = REOPEN_GRACE_MS;

/**
 * The incidents of a cluster between two looks. All rules are in `domain/incident`; here is only what is remembered, and it
 * is what the store holds: a collector that starts goes on with that.
 */
export class IncidentKeeper {
  /** The newest incident of each node that is not settled. */
  readonly #byNode = new Map<string, NodeIncident>();
  /** Those, and settled ones as long as their fleet incident is not. */
  readonly #nodes = new Map<number, NodeIncident>();
  readonly #fleets = new Map<number, FleetIncident>();
  readonly #looks = new Map<string, number>();
  readonly #savedMs = new Map<number, number>();
  readonly #known: ReadonlySet<string>;
  #lastId: number;
  #moved = false;

  /** `known`: nodes of which the store has a view, so that the last look of before was at them too. */
  constructor(
    private readonly sink: IncidentSink,
    private readonly loaded: KeptIncidents = NO_INCIDENTS,
    known: Iterable<string> = [],
  ) {
    this.#known = new Set(known);
    this.#lastId = loaded.lastId;
    for (const incident of loaded.items) {
      if (incident.scope === "fleet") this.#fleets.set(incident.id, incident);
      else {
        this.#nodes.set(incident.id, incident);
        this.#byNode.set(incident.node, incident); // in the order of their numbers, so the newest stays
      }
    }
  }

  /** One look at a node. */
  look(view: NodeView, count: CountReplicas, nowMs: number): void {
    const previousMs = this.#looks.get(view.name) ?? (this.#known.has(view.name) ? this.loaded.lastLookMs : undefined);
    this.#looks.set(view.name, nowMs);
    const before = this.#byNode.get(view.name);
    const advanced = advance(before, view, {
      nowMs,
      ...(previousMs === undefined ? {} : { previousMs }),
      traits: () => traitsOf(view),
      waitingPods: view.waitingPods,
      count,
      newId: () => (this.#lastId += 1),
    });
    this.#take(before, advanced, nowMs);
  }

  /** The node left the cluster. */
  gone(node: string, nowMs: number): void {
    this.#looks.delete(node);
    const before = this.#byNode.get(node);
    if (before !== undefined) this.#take(before, advanceGone(before, nowMs), nowMs);
  }

  /** Incidents of nodes that are not there end; called once the cluster's nodes were listed. */
  retain(isThere: (node: string) => boolean, nowMs: number): void {
    for (const [node, { state }] of this.#byNode) if (state !== "closed" && !isThere(node)) this.gone(node, nowMs);
  }

  /** After the looks of a tick: groups what turned together, moves fleet incidents, lets go of what is settled. */
  settle(nowMs: number, fleetSize: number, wellTraits: () => readonly Traits[]): void {
    this.#letGo(nowMs);
    if (!this.#moved && ![...this.#fleets.values()].some(({ state }) => state === "recovering")) return;
    this.#moved = false;
    const context = { nowMs, wellTraits };
    const plan = planFleets([...this.#byNode.values()], [...this.#fleets.values()], fleetSize);
    for (const node of plan.leaves) this.#assign(node, undefined, nowMs);
    for (const { node, fleet } of plan.joins) this.#assign(node, fleet, nowMs);
    for (const { nodes, sameCause } of plan.groups) {
      const id = (this.#lastId += 1);
      this.#takeFleet(beginFleet(id, nodes, sameCause, context));
      for (const node of nodes) this.#assign(node, id, nowMs);
    }
    for (const fleet of [...this.#fleets.values()]) this.#takeFleet(advanceFleet(fleet, this.#membersOf(fleet.id), context));
  }

  /** No node has an incident that is not settled: nobody is hurt, and nobody's replicas need counting. */
  get isIdle(): boolean {
    return this.#byNode.size === 0;
  }

  incidentOf(node: string): NodeIncident | undefined {
    return this.#byNode.get(node);
  }

  /** What the node's fleet incident says of it, while both last. */
  fleetOf(node: string): FleetPart | undefined {
    const own = this.#byNode.get(node);
    const fleet = own?.fleet === undefined || own.state === "closed" ? undefined : this.#fleets.get(own.fleet);
    if (fleet === undefined || fleet.state === "closed") return undefined;
    return { seen: true, includesThis: true, shared: fleet.shared, ...(fleet.sameCause === undefined ? { turned: { firstMs: fleet.signMs, lastMs: fleet.lastTurnMs } } : {}) };
  }

  /** Whether a node is in an incident that is not closed: then it is no example of a well one. */
  isSick(node: string): boolean {
    const state = this.#byNode.get(node)?.state;
    return state !== undefined && state !== "closed";
  }

  /**
   * Takes over what a history that was filled in later knows. An incident that was open at its end is the one that is
   * open now: it keeps its number and gets the older story. What ended in the past is added.
   */
  adoptPast(past: PastIncidents, nowMs: number): void {
    const numbers = new Map<number, number>();
    for (const fleet of past.fleets()) numbers.set(fleet.id, (this.#lastId += 1));
    for (const old of past.nodes()) this.#adopt(old, past, old.fleet === undefined ? undefined : numbers.get(old.fleet), nowMs);
    for (const old of past.fleets()) {
      const fleet: FleetIncident = { ...old, id: numbers.get(old.id) ?? old.id };
      if (!isSettled(fleet, nowMs)) this.#fleets.set(fleet.id, fleet);
      this.sink.saveIncident(fleet);
      for (const entry of past.entriesOf(old.id)) this.sink.incidentEntry(fleet.id, entry);
    }
    this.#moved = true;
  }

  #adopt(old: NodeIncident, past: PastIncidents, fleet: number | undefined, nowMs: number): void {
    const live = this.#byNode.get(old.node);
    const goesOn = old.state !== "closed" && live !== undefined && live.state !== "closed";
    const { fleet: _old, ...rest } = old;
    const ownFleet = (goesOn ? live.fleet : undefined) ?? fleet;
    const incident: NodeIncident = { ...rest, id: goesOn ? live.id : (this.#lastId += 1), ...(ownFleet === undefined ? {} : { fleet: ownFleet }) };
    if (goesOn) this.sink.retellIncident(incident.id);
    this.#nodes.set(incident.id, incident);
    if (live === undefined || goesOn) this.#byNode.set(incident.node, incident);
    this.#save(incident, nowMs);
    for (const entry of past.entriesOf(old.id)) this.sink.incidentEntry(incident.id, entry);
    for (const stretch of past.keptOf(old.id)) this.sink.keepSamples({ ...stretch, incident: incident.id });
  }

  #take(before: NodeIncident | undefined, advanced: Advanced, nowMs: number): void {
    const { incident, entries, keep, changed } = advanced;
    if (incident === undefined) {
      if (before === undefined || !changed) return;
      this.#byNode.delete(before.node);
      this.#nodes.delete(before.id);
      this.#savedMs.delete(before.id);
      this.sink.forgetIncident(before.id);
      return;
    }
    this.#nodes.set(incident.id, incident);
    this.#byNode.set(incident.node, incident);
    if (changed || nowMs - (this.#savedMs.get(incident.id) ?? 0) >= SAVE_FIGURES_EVERY_MS) this.#save(incident, nowMs);
    for (const entry of entries) this.sink.incidentEntry(incident.id, entry);
    for (const stretch of keep) this.sink.keepSamples(stretch);
    if (changed) this.#moved = true;
  }

  #takeFleet({ incident, entries, changed }: Advanced<FleetIncident>): void {
    if (incident === undefined) return;
    this.#fleets.set(incident.id, incident);
    if (changed) this.sink.saveIncident(incident);
    for (const entry of entries) this.sink.incidentEntry(incident.id, entry);
  }

  #assign(incident: NodeIncident, fleet: number | undefined, nowMs: number): void {
    const { fleet: _before, ...rest } = incident;
    const assigned: NodeIncident = { ...rest, entries: rest.entries + 1, ...(fleet === undefined ? {} : { fleet }) };
    this.#nodes.set(assigned.id, assigned);
    if (this.#byNode.get(assigned.node)?.id === assigned.id) this.#byNode.set(assigned.node, assigned);
    this.#save(assigned, nowMs);
    const entry: IncidentEntry = fleet === undefined ? { atMs: nowMs, kind: "left", text: "No longer part of its fleet incident: it is worse than the others" } : { atMs: nowMs, kind: "joined", text: `Part of fleet incident ${fleet}` };
    this.sink.incidentEntry(assigned.id, entry);
  }

  #save(incident: NodeIncident, nowMs: number): void {
    this.#savedMs.set(incident.id, nowMs);
    this.sink.saveIncident(incident);
  }

  #membersOf(fleet: number): readonly NodeIncident[] {
    return [...this.#nodes.values()].filter((incident) => incident.fleet === fleet);
  }

  #letGo(nowMs: number): void {
    for (const fleet of this.#fleets.values()) if (isSettled(fleet, nowMs)) this.#fleets.delete(fleet.id);
    for (const incident of this.#nodes.values()) {
      if (!isSettled(incident, nowMs)) continue;
      if (this.#byNode.get(incident.node)?.id === incident.id) this.#byNode.delete(incident.node);
      if (incident.fleet !== undefined && this.#fleets.has(incident.fleet)) continue;
      this.#nodes.delete(incident.id);
      this.#savedMs.delete(incident.id);
    }
  }
}

/** What a history that is filled in finds: kept aside until it is whole, since what is open at its end goes on in the present. */
export class PastIncidents implements IncidentSink {
  readonly #incidents = new Map<number, Incident>();
  readonly #entries = new Map<number, IncidentEntry[]>();
  readonly #kept = new Map<number, Map<number, KeepStretch>>();

  saveIncident(incident: Incident): void {
    this.#incidents.set(incident.id, incident);
  }
  forgetIncident(id: number): void {
    this.#incidents.delete(id);
    this.#entries.delete(id);
  }
  retellIncident(id: number): void {
    this.#entries.delete(id);
  }
  incidentEntry(incident: number, entry: IncidentEntry): void {
    const entries = this.#entries.get(incident);
    if (entries === undefined) this.#entries.set(incident, [entry]);
    else entries.push(entry);
  }
  keepSamples(stretch: KeepStretch): void {
    const own = this.#kept.get(stretch.incident) ?? new Map<number, KeepStretch>();
    this.#kept.set(stretch.incident, own.set(stretch.fromMs, stretch));
  }

  /** Whatever is more than watched. */
  nodes(): readonly NodeIncident[] {
    return [...this.#incidents.values()].filter((incident): incident is NodeIncident => incident.scope === "node" && incident.state !== "watched");
  }
  fleets(): readonly FleetIncident[] {
    return [...this.#incidents.values()].filter((incident): incident is FleetIncident => incident.scope === "fleet");
  }
  entriesOf(id: number): readonly IncidentEntry[] {
    return this.#entries.get(id) ?? [];
  }
  keptOf(id: number): readonly KeepStretch[] {
    return [...(this.#kept.get(id)?.values() ?? [])];
  }
}
