import { countWords, durationWords, listWords } from "../words";
import { INCIDENT_TABLE, FORGOTTEN, IMPOSSIBLE, type IncidentInput } from "./machine";
import { sharedTraits, sharedWords, type Traits } from "./shared-traits";
import { FLEET_WINDOW_MS, fleetThreshold } from "./timing";
import { causeKey } from "./track-causes";
import { MAX_ENTRIES, MAX_FLEET_CAUSES, MAX_MEMBERS_NAMED, type Advanced, type FleetIncident, type IncidentEntry, type IncidentSeverity, type NodeIncident } from "./types";

/** Which node incidents belong together: joins by number of the fleet incident, what leaves one, and groups for which there is none yet. */
export interface FleetPlan {
  readonly joins: readonly { readonly node: NodeIncident; readonly fleet: number }[];
  readonly leaves: readonly NodeIncident[];
  readonly groups: readonly { readonly nodes: readonly NodeIncident[]; readonly sameCause?: string }[];
}

/**
 * Nodes that turned within minutes of one another, equally bad, belong together. Nodes that were bad at the first look at
 * them say nothing about when they turned, so only the same cause brings them together.
 *
 * @param incidents every node incident that is not settled
 * @param fleetSize how many nodes the cluster has
 */
export function planFleets(incidents: readonly NodeIncident[], fleets: readonly FleetIncident[], fleetSize: number): FleetPlan {
  const byId = new Map(fleets.map((fleet) => [fleet.id, fleet]));
  const active = fleets.filter(({ state }) => state !== "closed");
  const joins: { node: NodeIncident; fleet: number }[] = [];
  const leaves: NodeIncident[] = [];
  const free: NodeIncident[] = [];
  for (const incident of incidents) {
    if (incident.openedMs === undefined || incident.state === "closed") continue;
    const own = incident.fleet === undefined ? undefined : byId.get(incident.fleet);
    if (own !== undefined && own.severity === incident.severity) continue;
    if (own !== undefined) leaves.push(incident);
    const fleet = active.find((one) => one.id !== own?.id && isOf(incident, one));
    if (fleet === undefined) free.push(incident);
    else joins.push({ node: incident, fleet: fleet.id });
  }
  const least = fleetThreshold(fleetSize);
  return { joins, leaves, groups: (["blocks", "risks"] as const).flatMap((severity) => [...together(free, severity, least), ...alike(free, severity, least)]) };
}

function isOf(incident: NodeIncident, fleet: FleetIncident): boolean {
  if (incident.severity !== fleet.severity) return false;
  if (fleet.sameCause !== undefined || !incident.turnSeen) return fleet.sameCause !== undefined && !incident.turnSeen && leadingKey(incident) === fleet.sameCause;
  return incident.turnMs >= fleet.signMs - FLEET_WINDOW_MS && incident.turnMs <= fleet.lastTurnMs + FLEET_WINDOW_MS;
}

function together(free: readonly NodeIncident[], severity: IncidentSeverity, least: number): FleetPlan["groups"] {
  const turned = free.filter((one) => one.severity === severity && one.turnSeen).sort((a, b) => a.turnMs - b.turnMs || a.id - b.id);
  const chains: NodeIncident[][] = [];
  for (const incident of turned) {
    const chain = chains.at(-1);
    const last = chain?.at(-1);
    if (chain === undefined || last === undefined || incident.turnMs - last.turnMs > FLEET_WINDOW_MS) chains.push([incident]);
    else chain.push(incident);
  }
  const isDense = (chain: readonly NodeIncident[]): boolean => chain.some((first, index) => (chain[index + least - 1]?.turnMs ?? Infinity) - first.turnMs <= FLEET_WINDOW_MS);
  return chains.filter(isDense).map((nodes) => ({ nodes }));
}

function alike(free: readonly NodeIncident[], severity: IncidentSeverity, least: number): FleetPlan["groups"] {
  const byCause = new Map<string, NodeIncident[]>();
  for (const incident of free) {
    const key = incident.severity === severity && !incident.turnSeen ? leadingKey(incident) : undefined;
    if (key === undefined) continue;
    const same = byCause.get(key);
    if (same === undefined) byCause.set(key, [incident]);
    else same.push(incident);
  }
  return [...byCause].filter(([, nodes]) => nodes.length >= least).map(([sameCause, nodes]) => ({ nodes, sameCause }));
}

/** The cause that an incident is about: one that blocks before a risk, a named one before a suspected one, then the oldest. None where nothing says why. */
export function leadingCause(incident: Pick<NodeIncident, "causes">): NodeIncident["causes"][number] | undefined {
  const roots = incident.causes.filter(({ code, under }) => under === undefined && code !== "unknown");
  const rank = (cause: NodeIncident["causes"][number]): number => (cause.state === "ended" ? 4 : 0) + (cause.severity === "blocks" ? 0 : 2) + (cause.certainty === "named" ? 0 : 1);
  return [...roots].sort((a, b) => rank(a) - rank(b) || a.firstMs - b.firstMs)[0];
}
const leadingKey = (incident: NodeIncident): string | undefined => {
  const cause = leadingCause(incident);
  return cause === undefined ? undefined : causeKey(cause);
};

export interface FleetContext {
  readonly nowMs: number;
  /** Traits of the nodes that are well now; asked only where the members changed. */
  readonly wellTraits: () => readonly Traits[];
}

/** A fleet incident of these nodes, none of which is in one. */
export function beginFleet(id: number, nodes: readonly NodeIncident[], sameCause: string | undefined, context: FleetContext): Advanced<FleetIncident> {
  const { nowMs } = context;
  const [first] = nodes;
  const turns = nodes.map(({ turnMs }) => turnMs);
  const [signMs, lastTurnMs] = [Math.min(...turns), Math.max(...turns)];
  const incident: FleetIncident = {
    id,
    scope: "fleet",
    state: "open",
    stateMs: nowMs,
    severity: first?.severity ?? "blocks",
    signMs,
    openedMs: nowMs,
    relapses: 0,
    reopened: 0,
    entries: 0,
    nodes: [],
    members: 0,
    now: { open: 0, unknown: 0, recovering: 0, closed: 0 },
    lastTurnMs,
    ...(sameCause === undefined ? {} : { sameCause }),
    shared: { sick: 0, well: 0, shared: [], compared: [] },
    causes: [],
  };
  const when = sameCause === undefined ? `${countWords(nodes.length, "node")} turned within ${durationWords((lastTurnMs - signMs) / 1_000)}` : `${countWords(nodes.length, "node")} had the same cause at the first look`;
  const opened: IncidentEntry = { atMs: nowMs, kind: "opened", text: `Fleet incident opened: ${when}`, detail: listWords(nodes.map(({ node }) => node), MAX_NAMES_IN_TEXT) };
  const advanced = advanceFleet(incident, nodes, context);
  return { ...advanced, changed: true, entries: [opened, ...advanced.entries.filter(({ kind }) => kind !== "member")], ...(advanced.incident === undefined ? {} : { incident: { ...advanced.incident, entries: advanced.incident.entries + 1 } }) };
}

const MAX_NAMES_IN_TEXT = 12;

/**
 * A fleet incident after one more look at its members: open while any of them is, unknown where none is and some cannot
 * be told, recovering while any still recovers, closed once all are.
 *
 * @param members every member's incident, closed ones too
 */
export function advanceFleet(before: FleetIncident, members: readonly NodeIncident[], context: FleetContext): Advanced<FleetIncident> {
  const { nowMs } = context;
  const ordered = [...members].sort((a, b) => a.turnMs - b.turnMs || a.id - b.id);
  const now = { open: 0, unknown: 0, recovering: 0, closed: 0 };
  for (const { state } of members) if (state !== "watched") now[state] += 1;
  const entries: IncidentEntry[] = [];
  const joined = ordered.length !== before.members;
  const known = new Set(before.nodes);
  const added = ordered.filter(({ node }) => !known.has(node)).map(({ node }) => node);
  if (ordered.length > before.members && added.length > 0) entries.push({ atMs: nowMs, kind: "member", text: `${countWords(added.length, "more node")} turned: ${listWords(added, MAX_NAMES_IN_TEXT)}`, detail: `${ordered.length} by now.` });
  const shared = joined ? sharedTraits(ordered.map(({ traits }) => traits), context.wellTraits()) : before.shared;
  if (joined && sharedWords(shared) !== sharedWords(before.shared)) entries.push({ atMs: nowMs, kind: "shared", text: "What the sick nodes share", detail: sharedWords(shared) });
  const next = INCIDENT_TABLE[before.state][fleetInput(before, now)];
  if (next === FORGOTTEN || next === IMPOSSIBLE) throw new Error(`a fleet incident that is ${before.state} cannot be ${next}`); // it is never watched, and well-held comes only where it recovers
  const moved = next === before.state ? before : moveFleet(before, next, nowMs, entries);
  const incident: FleetIncident = {
    ...moved,
    nodes: ordered.slice(0, MAX_MEMBERS_NAMED).map(({ node }) => node),
    members: ordered.length,
    now,
    lastTurnMs: Math.max(before.lastTurnMs, ...ordered.map(({ turnMs }) => turnMs)),
    shared,
    causes: tallyCauses(ordered),
  };
  const told = entries.filter(({ kind }, index) => before.entries + index < MAX_ENTRIES || kind === "closed" || kind === "reopened");
  const changed = joined || told.length > 0 || JSON.stringify([before.state, before.now, before.causes]) !== JSON.stringify([incident.state, incident.now, incident.causes]);
  return { incident: { ...incident, entries: before.entries + told.length }, entries: told, changed, keep: [] };
}

function fleetInput({ state }: FleetIncident, now: FleetIncident["now"]): IncidentInput {
  if (now.open > 0) return "sick-held";
  if (now.unknown > 0) return "blind";
  return now.recovering === 0 && state === "recovering" ? "well-held" : "well";
}

function moveFleet(before: FleetIncident, next: FleetIncident["state"], nowMs: number, entries: IncidentEntry[]): FleetIncident {
  const { closedMs, closedBecause: _because, ...kept } = before;
  const to = { ...kept, state: next, stateMs: nowMs };
  const tell = (kind: IncidentEntry["kind"], text: string): void => void entries.push({ atMs: nowMs, kind, text });
  if (next === "closed") {
    tell("closed", "Closed: every node's own incident has closed");
    return { ...to, closedMs: nowMs, closedBecause: "recovered" };
  }
  if (before.state === "closed") {
    tell("reopened", `Reopened, ${durationWords((nowMs - (closedMs ?? nowMs)) / 1_000)} after it had closed`);
    return { ...to, reopened: to.reopened + 1 };
  }
  if (next === "recovering") tell("recovering", "No node of it is sick any more");
  if (next === "unknown") tell("unknown", "No node of it is known to be sick; of some it cannot be told");
  if (next === "open" && before.state === "recovering") {
    tell("relapsed", "A node of it is sick again");
    return { ...to, relapses: to.relapses + 1 };
  }
  if (next === "open" && before.state === "unknown") tell("seen-again", "A node of it is seen to be sick");
  return to;
}

function tallyCauses(members: readonly NodeIncident[]): FleetIncident["causes"] {
  const tally = new Map<string, FleetIncident["causes"][number]>();
  for (const { causes } of members) {
    for (const { code, detail, title, under } of causes) {
      if (under !== undefined) continue;
      const key = causeKey({ code, ...(detail === undefined ? {} : { detail }) });
      tally.set(key, { code, ...(detail === undefined ? {} : { detail }), title, nodes: (tally.get(key)?.nodes ?? 0) + 1 });
    }
  }
  return [...tally.values()].sort((a, b) => b.nodes - a.nodes || (a.title < b.title ? -1 : 1)).slice(0, MAX_FLEET_CAUSES);
}
