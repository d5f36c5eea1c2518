import type { OfferedKeys } from "../../contract/schemas";
import type { ActionCtx } from "../ctx";
import { iso } from "../iso";

/** Kubelets whose key changed and waits for a person's word, by node. */
export async function readOfferedKeys({ ctx }: { readonly ctx: ActionCtx }): Promise<OfferedKeys> {
  const keys = await ctx.state.offeredKeys();
  return { items: keys.flatMap((key) => (key.offeredSha256 === undefined ? [] : [{ node: key.node, sha256: key.sha256, seen: iso(key.seenMs), offeredSha256: key.offeredSha256 }])) };
}
