import { auditEntry, authorize } from "../../auth/authorize";
import type { WithdrawnException } from "../../contract/causes";
import { ServiceError } from "../../errors";
import type { ActionCtx } from "../ctx";
import { knownCause } from "./known-cause";

/** Takes an acceptance back: the cause fires again where it is there. The audit log keeps both. Throws `not-found` where it is not accepted. */
export async function withdrawException({ ctx, input }: { readonly ctx: ActionCtx; readonly input: { readonly code: string; readonly subject: string } }): Promise<WithdrawnException> {
  const { code } = knownCause(input.code);
  const { subject } = input;
  const permit = authorize(ctx.actor, "accept-exception", `cause/${code} ${subject}`, ctx);
  const entry = auditEntry(permit, { atMs: ctx.clock.now(), verb: "cause.withdraw", requestId: ctx.requestId, outcome: "done", detail: { subject } });
  if (!(await ctx.state.withdrawException(permit, entry, { code, subject }))) throw new ServiceError("not-found", `${subject} is not accepted.`);
  return { code, subject };
}
