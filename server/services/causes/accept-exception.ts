import { auditEntry, authorize } from "../../auth/authorize";
import type { CauseException } from "../../contract/causes";
import { ServiceError } from "../../errors";
import { MAX_EXCEPTIONS } from "../../store/state-types";
import type { ActionCtx } from "../ctx";
import { knownCause } from "./known-cause";
import { exceptionOut } from "./read-exceptions";

/**
 * Accepts one subject of a cause as it is, with the reason: the cause leaves it out from then on, on every node. It may be accepted before it
 * is ever seen. Throws `not-found`; `invalid` for a cause of which nothing may be accepted; `too-many` at MAX_EXCEPTIONS.
 */
export async function acceptException({ ctx, input }: { readonly ctx: ActionCtx; readonly input: { readonly code: string; readonly subject: string; readonly reason: string } }): Promise<CauseException> {
  const { code, accepts } = knownCause(input.code);
  if (accepts === undefined) throw new ServiceError("invalid", `Nothing of "${code}" can be accepted as it is.`);
  const { subject, reason } = input;
  const permit = authorize(ctx.actor, "accept-exception", `cause/${code} ${subject}`, ctx);
  const entry = auditEntry(permit, { atMs: ctx.clock.now(), verb: "cause.accept", requestId: ctx.requestId, outcome: "done", detail: { subject, reason } });
  if ((await ctx.state.acceptException(permit, entry, { code, subject, reason })) === "too-many") throw new ServiceError("too-many", `${MAX_EXCEPTIONS} exceptions are there already: withdraw some.`);
  return exceptionOut({ code, subject, reason, by: entry.actor, atMs: entry.atMs });
}
