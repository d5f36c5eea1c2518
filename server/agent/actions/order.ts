import { z } from "zod";
import { MAX_NODE_PODS, MAX_OBJECT_ID_CHARS, MAX_ORDER_OBJECTS, NODE_ACTIONS, type NodeAction, type NodePods, type WorkOrder } from "../../domain/actions/work-order";

/** An order as it comes. Its id becomes the name of a file, so nothing but letters, digits and dashes is an id. */
const Order = z.object({
  id: z.string().regex(/^[A-Za-z0-9-]{8,64}$/),
  node: z.string().min(1).max(253),
  action: z.enum(NODE_ACTIONS),
  dry: z.boolean(),
  planVersion: z.string().max(1_024),
  requestedBy: z.string().max(512),
  issuedMs: z.number().int().min(0),
  expiresMs: z.number().int().min(0),
  params: z.object({ parallel: z.number().int().min(1).max(4).exactOptional(), waitSeconds: z.number().int().min(10).max(600).exactOptional(), program: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/).exactOptional() }),
  objects: z.array(z.string().min(1).max(MAX_OBJECT_ID_CHARS)).max(MAX_ORDER_OBJECTS),
});
const Pods = z.object({ atMs: z.number(), uids: z.array(z.string().max(256)).max(3 * MAX_NODE_PODS) });
const Payload = z.object({ nonce: z.string(), sentMs: z.number(), order: z.unknown().optional(), begun: z.boolean().exactOptional(), pods: Pods.exactOptional() });

export type Payload = z.output<typeof Payload>;

export const parsePayload = (value: unknown): Payload | undefined => Payload.safeParse(value).data;

/** An order out of the agent's own record. */
export const storedOrder = (value: unknown): WorkOrder | undefined => z.object({ order: Order }).safeParse(value).data?.order;

/** The id that a refusal is told under, where there is one at all. */
export const idOf = (order: unknown): string | undefined => z.object({ id: Order.shape.id }).safeParse(order).data?.id;

export type CheckedOrder = { readonly ok: true; readonly order: WorkOrder } | { readonly ok: false; readonly reason: string };

/** Slack for the way of a message; the agent's clock is corrected by the server's before. */
const CLOCK_SLACK_MS = 5_000;
/** No order is good for longer, whatever it says. */
const MAX_VALID_MS = 3_600_000;

/**
 * Whether this agent may carry out an order. Every fault has its reason, and nothing was touched then.
 *
 * @param nowMs by the server's clock, as its signed answer told
 */
export function checkOrder(value: unknown, own: { readonly node: string; readonly actions: readonly NodeAction[]; readonly nowMs: number }): CheckedOrder {
  const parsed = Order.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { ok: false, reason: `the order is not understood (${issue?.path.map(String).join(".") ?? ""}): upgrade the agent, or the server` };
  }
  const order = parsed.data;
  if (order.node !== own.node) return { ok: false, reason: `the order is for node ${order.node}, and this is ${own.node}` };
  if (!own.actions.includes(order.action)) return { ok: false, reason: `this agent was not started with --enable-actions ${order.action}` };
  if (order.expiresMs - order.issuedMs > MAX_VALID_MS) return { ok: false, reason: "the order claims to be good for longer than an hour" };
  if (own.nowMs >= order.expiresMs) return { ok: false, reason: "the order has expired" };
  if (own.nowMs < order.issuedMs - CLOCK_SLACK_MS) return { ok: false, reason: "the order is from the future" };
  if (!order.dry && order.objects.length === 0) return { ok: false, reason: "the order names nothing to touch" };
  if (new Set(order.objects).size !== order.objects.length) return { ok: false, reason: "the order names an object twice" };
  return { ok: true, order };
}

/** With times by this node's clock. */
export const podsHere = (pods: NodePods, offsetMs: number): NodePods => ({ ...pods, atMs: pods.atMs - offsetMs });
