import { auditEntry, authorize } from "../../auth/authorize";
import { ServiceError } from "../../errors";
import { MAX_NOTES } from "../../store/state-types";
import type { ActionCtx } from "../ctx";

/** What a person wants others to know of an incident; nobody changes it afterwards. Throws `not-found`, or `too-many` at MAX_NOTES. */
export async function noteIncident({ ctx, input }: { readonly ctx: ActionCtx; readonly input: { readonly id: number; readonly text: string } }): Promise<{ id: number }> {
  const permit = authorize(ctx.actor, "annotate", `incident/${input.id}`, ctx);
  const entry = auditEntry(permit, { atMs: ctx.clock.now(), verb: "incident.note", requestId: ctx.requestId, outcome: "done", detail: { text: input.text } });
  const done = await ctx.state.noteIncident(permit, entry, input);
  if (done === "not-found") throw new ServiceError("not-found", `There is no incident ${input.id}.`);
  if (done === "too-many") throw new ServiceError("too-many", `Incident ${input.id} has ${MAX_NOTES} notes already.`);
  return { id: input.id };
}
