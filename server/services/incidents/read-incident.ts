import type { IncidentDetail } from "../../contract/incidents";
import { NATURE_WORDS, natureOf } from "../../domain/incident/words";
import { ServiceError } from "../../errors";
import type { ActionCtx } from "../ctx";
import { iso } from "../iso";
import { causesOut, hurtOf, hurtOut, incidentSummaryOut, sharedOut, stormOut, storyOut } from "./incident-out";
import { tellStory } from "./tell-story";

/** One incident whole: how it stands, its causes with their evidence, its story, who is hurt, what people said. Throws `not-found`. */
export async function readIncident({ ctx, input }: { readonly ctx: ActionCtx; readonly input: { readonly id: number } }): Promise<IncidentDetail> {
  const whole = ctx.reader.incident(input.id);
  if (whole === undefined) throw new ServiceError("not-found", `There is no incident ${input.id}.`);
  const nowMs = ctx.clock.now();
  const { incident } = whole;
  const story = await tellStory(ctx, whole);
  const nature = incident.scope === "node" ? natureOf(incident, nowMs) : undefined;
  return {
    ...incidentSummaryOut(whole, nowMs, whole.members),
    at: iso(nowMs),
    seq: ctx.reader.seq(),
    ...(nature === undefined ? {} : { natureWords: NATURE_WORDS[nature] }),
    from: iso(story.fromMs),
    to: iso(story.toMs),
    ...(incident.scope === "node"
      ? {
          answer: { state: incident.answer.state, summary: incident.answer.summary, since: iso(incident.answer.sinceMs) },
          peak: { waiting: incident.peak.waiting, waitingSystem: incident.peak.waitingSystem, at: iso(incident.peak.atMs) },
          traits: { ...incident.traits },
        }
      : { shared: sharedOut(incident.shared) }),
    allCauses: incident.scope === "node" ? causesOut(incident.causes) : [stormOut(incident)],
    hurtWorkloads: hurtOf(incident, whole.members).map(hurtOut),
    story: story.items.map(storyOut),
    storyTruncated: story.truncated,
    noteList: whole.notes.map(({ id, atMs, by, text }) => ({ id, at: iso(atMs), by, text })),
    memberIncidents: whole.members.map((member) => incidentSummaryOut(member, nowMs)),
    kept: whole.kept.map(({ fromMs, toMs }) => ({ from: iso(fromMs), to: iso(toMs) })),
  };
}
