import { auditEntry, authorize } from "../../auth/authorize";
import type { NodeName } from "../../domain/ids";
import { ServiceError } from "../../errors";
import type { ActionCtx } from "../ctx";

/** Takes the key that a node's kubelet offers as the right one (`--kubelet-tls=pin`). Throws `conflict` where it offers another by now, or none. */
export async function acceptKubeletKey({ ctx, input }: { readonly ctx: ActionCtx; readonly input: { readonly name: NodeName; readonly sha256: string } }): Promise<{ node: string; sha256: string }> {
  const permit = authorize(ctx.actor, "accept-key", `node/${input.name}`, ctx);
  const entry = auditEntry(permit, { atMs: ctx.clock.now(), verb: "kubelet-key.accept", requestId: ctx.requestId, outcome: "done", detail: { sha256: input.sha256 } });
  const accepted = await ctx.state.acceptKubeletKey(permit, entry, { node: input.name, sha256: input.sha256 });
  if (!accepted) throw new ServiceError("conflict", `The kubelet of ${input.name} does not offer this key, or no longer. Look at what it offers now.`);
  return { node: input.name, sha256: input.sha256 };
}
