import { auditEntry, authorize } from "../../auth/authorize";
import { ServiceError } from "../../errors";
import type { ActionCtx } from "../ctx";

/** Gives an incident a person's title in place of the one before; the audit log keeps all of them. Throws `not-found`. */
export async function titleIncident({ ctx, input }: { readonly ctx: ActionCtx; readonly input: { readonly id: number; readonly title: string } }): Promise<{ id: number }> {
  const permit = authorize(ctx.actor, "annotate", `incident/${input.id}`, ctx);
  const entry = auditEntry(permit, { atMs: ctx.clock.now(), verb: "incident.title", requestId: ctx.requestId, outcome: "done", detail: { title: input.title } });
  if (!(await ctx.state.titleIncident(permit, entry, { id: input.id, text: input.title }))) throw new ServiceError("not-found", `There is no incident ${input.id}.`);
  return { id: input.id };
}
