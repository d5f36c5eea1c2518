import type { CauseCode } from "../../domain/causes/codes";
import { causeOf } from "../../domain/causes/registry";
import type { HurtOut, IncidentCauseOut, IncidentSummary, SharedOut, StoryItemOut } from "../../contract/incidents";
import type { AttemptGroup } from "../../domain/incident/attempts";
import { leadingCause } from "../../domain/incident/fleet";
import { mergeHurt, type HurtWorkload } from "../../domain/incident/hurt";
import { sharedWords, type SharedTraits } from "../../domain/incident/shared-traits";
import type { StoryItem } from "../../domain/incident/story";
import { stormFinding } from "../../domain/incident/storm-finding";
import { causeKey } from "../../domain/incident/track-causes";
import type { FleetIncident, Incident, IncidentCause } from "../../domain/incident/types";
import { leadOf, natureOf, titleOf } from "../../domain/incident/words";
import type { IncidentRow } from "../../store/types";
import { evidenceOut } from "../evidence-out";
import { iso, isoOr } from "../iso";

/** Most names of hurt system workloads in a list. */
const MAX_SYSTEM_NAMED = 5;

/**
 * An incident as a list shows it. `hurt`: the workloads of a fleet incident's members; a node's own are in it. The state
 * `watched` is nobody's to see and never comes here.
 */
export function incidentSummaryOut(row: IncidentRow, nowMs: number, members: readonly IncidentRow[] = []): IncidentSummary {
  const { incident, people } = row;
  if (incident.state === "watched") throw new Error(`incident ${incident.id} is only watched`); // no reader tells of one
  const nature = incident.scope === "node" ? natureOf(incident, nowMs) : undefined;
  const hurt = hurtOf(incident, members);
  return {
    id: incident.id,
    scope: incident.scope,
    ...(incident.scope === "node"
      ? { node: incident.node, ...optional("pool", incident.traits["pool"]), ...optional("zone", incident.traits["zone"]), ...(incident.fleet === undefined ? {} : { fleet: incident.fleet }) }
      : { members: { count: incident.members, nodes: [...incident.nodes], ...incident.now } }),
    state: incident.state,
    stateSince: iso(incident.stateMs),
    severity: incident.severity,
    title: people.title?.text ?? titleOf(incident),
    ...(people.title === undefined ? {} : { titled: { by: people.title.by, at: iso(people.title.atMs) } }),
    lead: row.silent ?? leadOf(incident, nowMs),
    ...(nature === undefined ? {} : { nature }),
    sign: iso(incident.signMs),
    opened: iso(incident.openedMs ?? incident.signMs),
    ...isoOr("recovered", incident.scope === "node" ? incident.recoveredMs : undefined),
    ...isoOr("closed", incident.closedMs),
    ...(incident.closedBecause === undefined ? {} : { closedBecause: incident.closedBecause }),
    relapses: incident.relapses,
    reopened: incident.reopened,
    causes: briefs(incident),
    hurt: { workloads: hurt.length, waiting: hurt.reduce((sum, { waiting }) => sum + waiting, 0), system: hurt.filter(({ role }) => role !== undefined).slice(0, MAX_SYSTEM_NAMED).map(({ name }) => name) },
    ...(people.acknowledged === undefined ? {} : { acknowledged: { by: people.acknowledged.by, at: iso(people.acknowledged.atMs) } }),
    notes: people.notes,
  };
}

const optional = <K extends string>(key: K, value: string | undefined): { [P in K]?: string } => (value === undefined ? {} : ({ [key]: value } as { [P in K]?: string }));

const STORM_CODE = "storm-of-nodes";
const STORM: { readonly code: CauseCode; readonly detail?: string; readonly title: string } = { code: STORM_CODE, title: causeOf(STORM_CODE)?.title ?? "Many nodes turned together" };

/** A fleet incident's own cause, with what its nodes share as evidence. */
export function stormOut(fleet: FleetIncident): IncidentCauseOut {
  const { summary, evidence } = stormFinding(fleet);
  const isOver = fleet.state === "closed";
  return {
    code: STORM_CODE,
    title: STORM.title,
    certainty: "named",
    severity: fleet.severity,
    state: isOver ? "ended" : fleet.state === "unknown" ? "unseen" : "firing",
    first: iso(fleet.signMs),
    since: iso(fleet.signMs),
    seen: iso(isOver ? (fleet.closedMs ?? fleet.lastTurnMs) : fleet.lastTurnMs),
    ...isoOr("until", fleet.closedMs),
    times: fleet.reopened + 1,
    summary,
    evidence: evidence.map(evidenceOut),
    pods: [],
    ...(fleet.state === "unknown" ? { reason: "no node of it is known to be sick, and of some it cannot be told" } : {}),
  };
}

/** Roots, the one that the incident is about first. */
function briefs(incident: Incident): IncidentSummary["causes"] {
  if (incident.scope === "fleet") {
    const state = incident.state === "closed" ? ("ended" as const) : ("firing" as const);
    return [STORM, ...incident.causes].map(({ code, detail, title }) => ({ code, ...optional("detail", detail), title, certainty: "named", severity: incident.severity, state }));
  }
  const leading = leadingCause(incident);
  const roots = incident.causes.filter(({ under }) => under === undefined);
  return [...roots.filter((cause) => cause === leading), ...roots.filter((cause) => cause !== leading)].map(({ code, detail, title, certainty, severity, state }) => ({ code, ...optional("detail", detail), title, certainty, severity, state }));
}

export const hurtOf = (incident: Incident, members: readonly IncidentRow[]): readonly HurtWorkload[] =>
  incident.scope === "node" ? incident.hurt : mergeHurt(members.flatMap(({ incident: member }) => (member.scope === "node" ? [member.hurt] : [])));

export const hurtOut = (hurt: HurtWorkload): HurtOut => ({
  namespace: hurt.namespace,
  kind: hurt.kind,
  name: hurt.name,
  ...(hurt.role === undefined ? {} : { role: hurt.role }),
  waiting: hurt.waiting,
  mostWaiting: hurt.mostWaiting,
  ...(hurt.started === undefined ? {} : { started: hurt.started }),
  ...(hurt.replicas === undefined ? {} : { replicas: hurt.replicas }),
  since: iso(hurt.sinceMs),
  ...isoOr("until", hurt.toMs),
});

/** Roots before what they brought about, each group with those that go on first. */
export function causesOut(causes: readonly IncidentCause[]): IncidentCauseOut[] {
  const isRoot = (cause: IncidentCause): boolean => cause.under === undefined;
  const rank = (cause: IncidentCause): number => (cause.state === "ended" ? 2 : 0) + (cause.severity === "blocks" ? 0 : 1);
  const roots = causes.filter(isRoot).sort((a, b) => rank(a) - rank(b) || a.firstMs - b.firstMs);
  const placed = roots.flatMap((root) => [root, ...causes.filter(({ under }) => under === root.code)]);
  const keys = new Set(placed.map(causeKey));
  return [...placed, ...causes.filter((cause) => !keys.has(causeKey(cause)))].map(causeOut);
}

const causeOut = (cause: IncidentCause): IncidentCauseOut => ({
  code: cause.code,
  ...optional("detail", cause.detail),
  title: cause.title,
  certainty: cause.certainty,
  severity: cause.severity,
  state: cause.state,
  first: iso(cause.firstMs),
  since: iso(cause.sinceMs),
  seen: iso(cause.seenMs),
  ...isoOr("until", cause.toMs),
  times: cause.times,
  summary: cause.summary,
  evidence: cause.evidence.map(evidenceOut),
  pods: [...(cause.pods ?? [])],
  ...optional("reason", cause.reason),
  ...(cause.under === undefined ? {} : { under: cause.under }),
});

export const sharedOut = (shared: SharedTraits): SharedOut => ({ words: sharedWords(shared), sick: shared.sick, well: shared.well, traits: shared.shared.map((trait) => ({ ...trait })), compared: [...shared.compared] });

export const storyOut = (item: StoryItem): StoryItemOut => ({
  at: iso(item.atMs),
  ...isoOr("until", item.toMs),
  kind: item.kind,
  tone: item.tone,
  title: item.title,
  ...optional("detail", item.detail),
  ...optional("node", item.node),
  ...(item.source === undefined ? {} : { source: item.source }),
  ...optional("diff", item.diff),
  ...(item.attempts === undefined ? {} : { attempts: attemptsOut(item.attempts) }),
  ...optional("requestId", item.requestId),
  ...(item.repeats === undefined ? {} : { repeats: item.repeats }),
});

const attemptsOut = ({ firstMs, lastMs, named, because, ...group }: AttemptGroup): NonNullable<StoryItemOut["attempts"]> => ({
  ...group,
  because: [...because],
  first: iso(firstMs),
  last: iso(lastMs),
  named: named.map(({ pod, attempts, runs }) => ({ pod, attempts, runs: runs.map((run) => ({ from: run.from, to: run.to, first: iso(run.firstMs), last: iso(run.lastMs), text: run.text })) })),
});
