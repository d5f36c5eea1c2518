import { authorize } from "../../auth/authorize";
import { actionReading } from "../../domain/actions/reading";
import type { ApiCall, Plan } from "../../domain/actions/types";
import type { RequestId } from "../../domain/ids";
import type { Permit } from "../../domain/permit";
import { ServiceError, type ErrorCode } from "../../errors";
import type { ActionRunOut } from "../../contract/schemas";
import type { ActionRun, ActionStep } from "../../store/state-types";
import type { ActionCtx } from "../ctx";
import { audited, runEntry } from "./attempt";
import { makePlan, type PlanRequest } from "./make-plan";
import { runOut } from "./plan-out";

/** A node is left alone for this long after an action on it began. */
export const COOLDOWN_MS = 60_000;

export interface RunRequest extends PlanRequest {
  readonly requestId: RequestId;
  /** Of the plan that the person saw. */
  readonly version: string;
  /** What the person typed, where the plan asks for it. */
  readonly confirm: string;
}

/**
 * Runs an action once per request id: fresh plan, same version, confirmation, the cluster's word on this person's rights,
 * a last dry run, then the write, each step recorded before and after. Every attempt is in the audit log, refused ones
 * too; a run and its audit row are one transaction. A request id that was used gives its run back and does nothing. Once it has
 * started it is told as it went, also where the store cannot be written any more: its end is then written later.
 */
export async function runAction({ ctx, input }: { readonly ctx: ActionCtx; readonly input: RunRequest }): Promise<ActionRunOut> {
  const known = await ctx.state.run(input.requestId);
  if (known !== undefined) return knownRun(ctx, known, input);
  const asking = authorize(ctx.actor, "plan-action", `daemonset/${input.namespace}/${input.daemonSet}`, ctx);
  const { plan, view } = await audited(ctx, asking, input, () => makePlan(ctx, input));
  const refuse = async (code: ErrorCode, message: string): Promise<never> => {
    await ctx.state.audit(asking, runEntry(ctx, asking, input.requestId, "refused", { ...facts(plan), message }));
    throw new ServiceError(code, message);
  };
  if (!ctx.actionsAllowed) await refuse("forbidden", "Actions are off. Start Sandglass with --allow-actions to be able to change this cluster.");
  if (plan.refusals.length > 0) await refuse("refused", plan.refusals.map((refusal) => refusal.message).join(" "));
  if (plan.version !== input.version) await refuse("conflict", "The DaemonSet or the node's answer changed since the plan was made. Look at the new plan first.");
  if (plan.confirm.kind === "type" && input.confirm !== plan.confirm.text) await refuse("refused", `Type "${plan.confirm.text}" to confirm: this touches more than one node.`);
  const right = await audited(ctx, asking, input, () => ctx.cluster.can(plan.needs));
  if (!right.allowed) await refuse("forbidden", `You may not ${plan.needs.verb} ${plan.needs.resource} in ${plan.needs.namespace}: ${right.reason}.`);
  const nowMs = ctx.clock.now();
  const permit = authorize(ctx.actor, "run-action", asking.object, ctx);
  const place = await audited(ctx, asking, input, () => ctx.openRuns.place());
  const { run, started } = await ctx.state
    .startRun(permit, runEntry(ctx, permit, input.requestId, "allowed", facts(plan)), {
      requestId: input.requestId,
      plan,
      before: actionReading(view, nowMs),
      startedMs: nowMs,
      aloneSinceMs: nowMs - COOLDOWN_MS,
    })
    .catch((error: unknown) => {
      place.giveBack();
      throw error;
    });
  if (!started) {
    place.giveBack();
    if (run.requestId === input.requestId) return knownRun(ctx, run, input);
    return refuse("too-many", `An action on ${plan.node} began ${Math.round((nowMs - run.startedMs) / 1_000)} s ago. Wait ${COOLDOWN_MS / 1_000} s and see what it does.`);
  }
  const { failure, unsaved } = await carryOut(ctx, permit, run);
  await place.end({
    permit,
    entry: runEntry(ctx, permit, input.requestId, failure === undefined ? "done" : "failed", { ...facts(plan), ...(failure === undefined ? {} : { message: failure }) }),
    runId: run.id,
    end: { state: failure === undefined ? "applied" : "failed", atMs: ctx.clock.now(), ...(failure === undefined ? {} : { error: failure }) },
    unsaved,
  });
  return runOut(ctx.openRuns.known(await storedRun(ctx, run)));
}

/** What was done is done: a store that cannot be read now makes no error of it. */
async function storedRun(ctx: ActionCtx, run: ActionRun): Promise<ActionRun> {
  try {
    return (await ctx.state.run(run.requestId)) ?? run;
  } catch (err) {
    ctx.log.warn({ err, runId: run.id }, "a run that ended could not be read");
    return run;
  }
}

/** A request id belongs to one request: another one that carries it is a mistake, not a retry. */
function knownRun(ctx: ActionCtx, run: ActionRun, input: RunRequest): ActionRunOut {
  const { plan } = run;
  const same = plan.node === input.node && plan.action === input.action && plan.object.namespace === input.namespace && plan.object.name === input.daemonSet && plan.version === input.version;
  if (!same) throw new ServiceError("conflict", "This request id was used for another run. Open the plan again.");
  return runOut(ctx.openRuns.known(run));
}

interface CarriedOut {
  /** Why it failed; absent where every step was done. */
  readonly failure?: string;
  /** Steps whose last state the store did not take. */
  readonly unsaved: readonly ActionStep[];
}

/** Step by step; the first that fails ends it, and nothing after it is sent. Nothing is sent that was not written down before. */
async function carryOut(ctx: ActionCtx, permit: Permit, run: ActionRun): Promise<CarriedOut> {
  const unsaved: ActionStep[] = [];
  const save = async (step: ActionStep): Promise<string | undefined> => {
    try {
      await ctx.state.saveStep(permit, run.id, step);
      return undefined;
    } catch (err) {
      ctx.log.error({ err, runId: run.id, ordinal: step.ordinal }, "a step of a run could not be written down");
      return isUnwritable(err) ? err.message : "The log has the reason.";
    }
  };
  let before: string | undefined;
  for (const [ordinal, step] of run.plan.steps.entries()) {
    if (step.call === undefined) continue;
    const started = { ordinal, title: step.title, state: "running" as const, startedMs: ctx.clock.now(), ...(before === undefined ? {} : { before }) };
    const refused = await save(started);
    if (refused !== undefined) {
      const error = `"${step.title}" was not sent, since it could not be written down first. ${refused}`;
      return { failure: error, unsaved: [...unsaved, { ...started, state: "failed", finishedMs: ctx.clock.now(), error }] };
    }
    const answer = await trySend(ctx, run, step.call);
    const sent = !answer.ok && answer.unanswered && step.writes ? { ...answer, message: `${answer.message} ${MAYBE_APPLIED}` } : answer;
    const told: ActionStep = { ...started, finishedMs: ctx.clock.now(), ...(sent.ok ? { state: "done", after: sent.after } : { state: "failed", error: sent.message }) };
    // What was sent is sent: a trace that cannot be written now must not make a failure of it.
    if ((await save(told)) !== undefined) unsaved.push(told);
    if (!sent.ok) return { failure: sent.message, unsaved };
    if (step.call.method === "GET") before = sent.after;
  }
  return { unsaved };
}

/** By its name: Next gives routes their own copies of a class. */
const isUnwritable = (error: unknown): error is Error => error instanceof Error && error.name === "StoreUnwritable";

/** A DaemonSet's status moves its resourceVersion all through a rollout; its template is what a plan rests on. */
const MAX_CONFLICTS = 3;

type Sent = { readonly ok: true; readonly after: string } | { readonly ok: false; readonly message: string; /** It may have arrived. */ readonly unanswered: boolean };

const MAYBE_APPLIED = "Whether the change was applied is not known: look at the object before running it again.";

async function trySend(ctx: ActionCtx, run: ActionRun, call: ApiCall): Promise<Sent> {
  let sending = call;
  for (let conflicts = 0; ; conflicts++) {
    try {
      return { ok: true, after: resourcesOf(await ctx.cluster.send(sending)) };
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        ctx.log.error({ err: error, runId: run.id }, "a step of an action failed");
        return { ok: false, message: "Sandglass failed while sending it; the log has the reason.", unanswered: true };
      }
      const again = error.code === "conflict" && conflicts < MAX_CONFLICTS ? await sameTemplate(ctx, run, call) : undefined;
      if (again === undefined) return { ok: false, message: error.message, unanswered: error.code === "cluster-unreachable" };
      sending = again;
    }
  }
}

/** The call with the resourceVersion of now, where only the status moved since the plan; nothing where the template did. */
async function sameTemplate(ctx: ActionCtx, run: ActionRun, call: ApiCall): Promise<ApiCall | undefined> {
  const { namespace, name } = run.plan.object;
  const now = await ctx.cluster.daemonSet(namespace, name).catch((err: unknown) => {
    ctx.log.warn({ err, runId: run.id }, "the object could not be read again after a conflict");
    return undefined;
  });
  if (now === undefined || !run.plan.version.startsWith(`${now.uid}:${now.generation}:`)) return undefined;
  const body = call.body as { readonly metadata?: object }; // plans are made with an object as body
  return { ...call, body: { ...body, metadata: { ...body.metadata, resourceVersion: now.resourceVersion } } };
}

const facts = (plan: Plan): Record<string, unknown> => ({ action: plan.action, node: plan.node, title: plan.title, params: plan.params });

/** Longest text of one object's part that is kept with a step. */
const MAX_PART_CHARS = 4_000;

/** The part of a DaemonSet that the action is about, as the API server says it is now. */
function resourcesOf(object: unknown): string {
  const containers = at(object, "spec", "template", "spec", "containers");
  const parts = Array.isArray(containers) ? containers.map((container) => ({ name: at(container, "name"), resources: at(container, "resources") })) : [];
  return JSON.stringify(parts).slice(0, MAX_PART_CHARS);
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let part = value;
  for (const key of path) part = typeof part === "object" && part !== null ? (part as Record<string, unknown>)[key] : undefined;
  return part;
}
