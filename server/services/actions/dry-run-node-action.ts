import { randomUUID } from "node:crypto";
import { auditEntry, authorize } from "../../auth/authorize";
import { monotonicMs, systemClock } from "../../clock";
import type { DryRun } from "../../contract/schemas";
import { countOf, TAKE_WITHIN_MS, type WorkOrder } from "../../domain/actions/work-order";
import { actorName } from "../../domain/permit";
import { countWords } from "../../domain/words";
import { ServiceError } from "../../errors";
import type { StoredWork } from "../../store/state-types";
import type { ActionCtx } from "../ctx";
import { iso } from "../iso";
import { DRY_RUN_VALID_MS } from "./dry-run-action";
import { makeNodePlan, nodeObject, type NodePlanRequest } from "./make-node-plan";
import { touchedOut } from "./plan-out";

/** A page waits this long: an agent hears of an order with the answer to its next report, within a period, and lists within seconds. */
const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 250;

/**
 * Asks the node's agent what it would touch: it looks at each object as a run would, and touches none. Needs the right to act. What it
 * lists is what a run may touch, for as long as it counts. A refusal of the agent is an answer, not an error.
 */
export async function dryRunNodeAction({ ctx, input }: { readonly ctx: ActionCtx; readonly input: NodePlanRequest }): Promise<DryRun> {
  const permit = authorize(ctx.actor, "run-action", nodeObject(input.node), ctx);
  const { plan } = makeNodePlan(ctx, input);
  if (plan.refusals.length > 0) throw new ServiceError("refused", plan.refusals.map((refusal) => refusal.message).join(" "));
  const right = await ctx.cluster.can(plan.needs);
  if (!right.allowed) throw new ServiceError("forbidden", `You may not ${plan.needs.verb} the node ${plan.node}: ${right.reason}.`);
  const issuedMs = ctx.clock.now();
  const order: WorkOrder = { id: randomUUID(), node: plan.node, action: input.action, dry: true, planVersion: plan.version, requestedBy: actorName(ctx.actor), issuedMs, expiresMs: issuedMs + TAKE_WITHIN_MS, params: plan.params, objects: [] };
  await ctx.state.askDry(permit, auditEntry(permit, { atMs: issuedMs, verb: "action.dry-run", requestId: ctx.requestId, outcome: "allowed", detail: { action: plan.action, node: plan.node, title: plan.title } }), order);
  const work = await answerOf(ctx, order.id);
  const atMs = work.endedMs ?? ctx.clock.now();
  const objects = work.outcome?.objects ?? [];
  const would = countOf(objects, "would");
  const refused = work.outcome?.state === "refused";
  const message = refused ? `The agent refuses: ${work.outcome?.reason ?? "it does not say why"}.` : would === 0 ? `The agent would touch nothing; it would leave ${countWords(objects.length, "object")}, each with its reason.` : `The agent would touch ${countWords(would, "object")} and leave ${objects.length - would}.`;
  return { accepted: !refused && would > 0, message, at: iso(atMs), validUntil: iso(atMs + DRY_RUN_VALID_MS), version: plan.version, touches: objects.map(touchedOut) };
}

async function answerOf(ctx: ActionCtx, id: string): Promise<StoredWork> {
  // Another process answers, so the wait is real time, also where the cluster's runs faster.
  const untilMs = monotonicMs() + WAIT_MS;
  for (;;) {
    const work = await ctx.state.work({ id });
    if (work?.state === "ended") return work;
    if (work?.state === "lost" || monotonicMs() >= untilMs) {
      throw new ServiceError("unavailable", work?.state === "waiting" ? "The node's agent did not take the order: is it running, started with --enable-actions, and can it reach the agent port?" : "The node's agent took the order and did not answer in time. Try again.");
    }
    await new Promise<void>((resolve) => void systemClock.after(LOOK_EVERY_MS, resolve));
  }
}
