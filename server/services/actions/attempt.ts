import { auditEntry } from "../../auth/authorize";
import type { RequestId } from "../../domain/ids";
import type { AuditEntry, Permit } from "../../domain/permit";
import { ServiceError } from "../../errors";
import type { ActionCtx } from "../ctx";

/** The audit entry of an attempt to run an action. */
export const runEntry = (ctx: ActionCtx, permit: Permit, requestId: RequestId, outcome: AuditEntry["outcome"], detail: Record<string, unknown>): AuditEntry =>
  auditEntry(permit, { atMs: ctx.clock.now(), verb: "action.run", requestId, outcome, detail });

/** An attempt that ends before there is a run, because its object is gone or the cluster does not answer, is an attempt all the same. */
export async function audited<T>(ctx: ActionCtx, permit: Permit, input: { readonly requestId: RequestId; readonly action: string; readonly node: string; readonly params: object }, look: () => T | Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    const message = error instanceof ServiceError ? error.message : "Sandglass failed while looking; the log has the reason.";
    await ctx.state.audit(permit, runEntry(ctx, permit, input.requestId, "refused", { action: input.action, node: input.node, params: input.params, message }));
    throw error;
  }
}
