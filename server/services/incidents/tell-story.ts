import { fleetStory, nodeStory, type PersonFact, type RunFact } from "../../domain/incident/story";
import { STORY_LEAD_MS } from "../../domain/incident/timing";
import type { NodeIncident } from "../../domain/incident/types";
import type { NodeName } from "../../domain/ids";
import { explain } from "../../domain/messages/explain";
import type { EventObject } from "../../domain/model";
import { MAX_TIMELINE_EVENTS, MAX_TIMELINE_POINTS } from "../../domain/timeline";
import type { ActionRun } from "../../store/state-types";
import type { IncidentWhole } from "../../store/types";
import type { ActionCtx } from "../ctx";

/** Events begin to be told this long before the first sign, and everything ends this long after it closed. */
const EVENTS_LEAD_MS = 15 * 60_000;
const AFTER_MS = 15 * 60_000;
/** Most events that a story reads: four pages of the store. */
const MAX_EVENT_PAGES = 4;
const MAX_CHANGES = 200;
const MAX_RUNS = 100;

export interface Told {
  readonly fromMs: number;
  readonly toMs: number;
  readonly items: ReturnType<typeof nodeStory>["items"];
  readonly truncated: boolean;
}

/** The story of an incident, from an hour before its first sign until a while after it closed, or now. */
export async function tellStory(ctx: ActionCtx, whole: IncidentWhole): Promise<Told> {
  const { incident } = whole;
  const nowMs = ctx.clock.now();
  const fromMs = incident.signMs - STORY_LEAD_MS;
  const toMs = Math.max(fromMs + 1, Math.min(nowMs, incident.closedMs === undefined ? nowMs : incident.closedMs + AFTER_MS));
  const people = personFacts(whole);
  if (incident.scope === "fleet") {
    const members = whole.members.flatMap(({ incident: member }) => (member.scope === "node" ? [member] : []));
    const runs = await runFacts(ctx, fromMs, toMs, (run) => incident.nodes.includes(run.plan.node));
    const changes = ctx.reader.clusterChanges({ node: "", fromMs, toMs, limit: MAX_CHANGES }); // no node is named "", so these are the cluster's
    return { fromMs, toMs, ...fleetStory({ incident, entries: whole.entries, members, changes, runs, people }) };
  }
  const node = incident.node as NodeName; // it came from the cluster through the name's parser
  // Nothing is drawn; but gaps are found in the tier that so many points would take, and coarse spans hide short ones.
  const { answers, gaps } = ctx.reader.timeline({ node, fromMs, toMs, signals: [], points: MAX_TIMELINE_POINTS });
  const events = readAllEvents(ctx, node, incident.signMs - EVENTS_LEAD_MS, toMs);
  const runs = await runFacts(ctx, fromMs, toMs, (run) => touches(run, incident));
  const story = nodeStory({ incident, entries: whole.entries, answers, gaps, events, changes: ctx.reader.clusterChanges({ node, fromMs, toMs, limit: MAX_CHANGES }), runs, people, explain: (text) => explain(text, { reason: "FailedCreatePodSandBox" }) });
  return { fromMs, toMs, ...story };
}

/** A DaemonSet's change from another node's page reaches this node too. */
const touches = (run: ActionRun, incident: NodeIncident): boolean => run.plan.node === incident.node || run.plan.affected.nodes > 1;

function readAllEvents(ctx: ActionCtx, node: NodeName, fromMs: number, toMs: number): readonly EventObject[] {
  const all: EventObject[] = [];
  let beforeMs: number | undefined;
  for (let page = 0; page < MAX_EVENT_PAGES; page += 1) {
    const { items, truncated } = ctx.reader.events({ node, fromMs, toMs, limit: MAX_TIMELINE_EVENTS, ...(beforeMs === undefined ? {} : { beforeMs }) });
    all.push(...items);
    beforeMs = items.at(-1)?.lastMs;
    if (!truncated || beforeMs === undefined) break;
  }
  return all;
}

async function runFacts(ctx: ActionCtx, fromMs: number, toMs: number, isOf: (run: ActionRun) => boolean): Promise<readonly RunFact[]> {
  const runs = await ctx.state.runs({ sinceMs: fromMs, limit: MAX_RUNS });
  return runs.filter((run) => run.startedMs <= toMs && isOf(run)).map((run) => ({
    requestId: run.requestId,
    title: run.plan.title,
    actor: run.actor,
    startedMs: run.startedMs,
    state: run.state,
    ...(run.error === undefined ? {} : { error: run.error }),
    ...(run.seenMs === undefined ? {} : { seenMs: run.seenMs }),
    checks: run.verifications.flatMap(({ doneMs, verdict, because }) => (doneMs === undefined || verdict === undefined ? [] : [{ doneMs, verdict, because: because ?? "" }])),
  }));
}

function personFacts({ people, notes }: IncidentWhole): readonly PersonFact[] {
  const { acknowledged, title } = people;
  return [
    ...(acknowledged === undefined ? [] : [{ atMs: acknowledged.atMs, by: acknowledged.by, what: "acknowledged" as const }]),
    ...(title === undefined ? [] : [{ atMs: title.atMs, by: title.by, what: "titled" as const, text: title.text }]),
    ...notes.map(({ atMs, by, text }) => ({ atMs, by, what: "noted" as const, text })),
  ];
}
