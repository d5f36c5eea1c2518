import { unavailable } from "../../domain/actions/node-plan";
import { NODE_OFFERS } from "../../domain/actions/registry";
import { NODE_ACTIONS } from "../../domain/actions/work-order";
import { CAUSES } from "../../domain/causes/registry";
import type { NodeView } from "../../domain/node-view";
import { ServiceError } from "../../errors";
import type { ActionOffers } from "../../contract/schemas";
import type { ActionCtx } from "../ctx";

/** What the node's agent could do about it, each with the reason where its button is greyed. */
export async function offerNodeActions(ctx: ActionCtx, view: NodeView): Promise<ActionOffers["nodeOffers"]> {
  const asks = actionsOfCauses(view);
  const right = ctx.actionsAllowed ? await mayChange(ctx, view.name) : "Actions are off: Sandglass was started without --allow-actions.";
  return NODE_ACTIONS.map((action) => {
    const offer = NODE_OFFERS[action];
    const reason = unavailable(view, action) ?? right;
    return { action, title: offer.title, allowed: reason === undefined, ...(reason === undefined ? {} : { reason }), fits: asks.has(action), params: { ...offer.params } };
  });
}

/** Of what the node suffers from; what that brings about is not mended by an action of its own. */
function actionsOfCauses(view: NodeView): ReadonlySet<string> {
  const codes = new Set(view.causes.map(({ code }) => code));
  return new Set(CAUSES.flatMap((cause) => (codes.has(cause.code) ? cause.actions : [])));
}

async function mayChange(ctx: ActionCtx, node: string): Promise<string | undefined> {
  try {
    const { allowed, reason } = await ctx.cluster.can({ verb: "patch", group: "", resource: "nodes", namespace: "", name: node });
    return allowed ? undefined : `You may not patch the node ${node}: ${reason}.`;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}
