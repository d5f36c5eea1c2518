import { auditEntry, authorize } from "../../auth/authorize";
import type { Acknowledged } from "../../contract/incidents";
import { ServiceError } from "../../errors";
import type { ActionCtx } from "../ctx";
import { iso } from "../iso";

/** Somebody is on it. Of several the first counts, and everybody is told who that was. Throws `not-found`. */
export async function acknowledgeIncident({ ctx, input }: { readonly ctx: ActionCtx; readonly input: { readonly id: number } }): Promise<Acknowledged> {
  const permit = authorize(ctx.actor, "annotate", `incident/${input.id}`, ctx);
  const entry = auditEntry(permit, { atMs: ctx.clock.now(), verb: "incident.acknowledge", requestId: ctx.requestId, outcome: "done", detail: {} });
  const done = await ctx.state.acknowledgeIncident(permit, entry, input.id);
  if (done === undefined) throw new ServiceError("not-found", `There is no incident ${input.id}.`);
  return { id: input.id, by: done.by, at: iso(done.atMs) };
}
