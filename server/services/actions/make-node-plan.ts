import { NODE_PLANS } from "../../domain/actions/registry";
import type { Plan } from "../../domain/actions/types";
import type { NodeAction, NodeActionParams } from "../../domain/actions/work-order";
import type { NodeName } from "../../domain/ids";
import type { NodeView } from "../../domain/node-view";
import type { ActionCtx } from "../ctx";
import { viewOf } from "./make-plan";

export interface NodePlanRequest {
  readonly node: NodeName;
  readonly action: NodeAction;
  readonly params: NodeActionParams;
}

/** A fresh plan from the node's view. Throws `not-found`. */
export function makeNodePlan(ctx: ActionCtx, { node, action, params }: NodePlanRequest): { readonly plan: Plan<NodeActionParams>; readonly view: NodeView } {
  const view = viewOf(ctx, node);
  return { view, plan: NODE_PLANS[action]({ view, fleet: { nodes: ctx.reader.fleet().rows.length }, params }) };
}

/** What the audit log calls the object of such an action. */
export const nodeObject = (node: NodeName): string => `node/${node}`;
