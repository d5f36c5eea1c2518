import { notFound } from "next/navigation";
import { cache } from "react";
import { parseNodeName, type NodeName } from "@/server/domain/ids";
import { ServiceError } from "@/server/errors";
import { requestContext } from "@/server/http/context";
import type { NodeDetail } from "@/server/contract/schemas";
import { readNode } from "@/server/services/read-node";

/** Pages get the parameter as it was sent: decoded here, once, and refused where it cannot be a node's name. */
export function nameOf(encoded: string): NodeName | undefined {
  try {
    return parseNodeName(decodeURIComponent(encoded));
  } catch {
    return undefined; // a broken percent-encoding names nothing
  }
}

/** The node of this request, read once for layout and page. Ends the request as "not found" where there is none. */
export const nodeOf = cache(async (encoded: string): Promise<NodeDetail & { readonly id: NodeName }> => {
  const name = nameOf(encoded);
  if (name === undefined) notFound();
  try {
    return { ...(await readNode({ ctx: await requestContext(), input: { name } })), id: name };
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not-found") notFound();
    throw error;
  }
});
