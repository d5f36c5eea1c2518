import type { SetDaemonResourcesParams } from "../../domain/actions/set-daemon-resources";
import type { ActionReading, ApiCall, Plan, PlanStep } from "../../domain/actions/types";
import { isNodeAction, type NodeActionParams, type WorkObject } from "../../domain/actions/work-order";
import { cpuQuantity, memoryQuantity } from "../../domain/quantity";
import type { ActionParams, ActionPlan, ActionRunOut, NodeActionParamsOut, Touched } from "../../contract/schemas";
import type { ActionRun } from "../../store/state-types";
import { iso, isoOr } from "../iso";
import { evidenceOut } from "../evidence-out";

/** Parameters as a person writes them: quantities. */
export const paramsOut = (params: SetDaemonResourcesParams): ActionParams => ({
  container: params.container,
  cpuLimit: params.cpuLimitCores === null ? null : cpuQuantity(params.cpuLimitCores),
  ...(params.memoryRequestBytes === undefined ? {} : { memoryRequest: memoryQuantity(params.memoryRequestBytes) }),
  ...(params.memoryLimitBytes === undefined ? {} : { memoryLimit: memoryQuantity(params.memoryLimitBytes) }),
});

/** The call as one would type it. */
export const callOut = (call: ApiCall): { method: string; path: string; body?: string } => {
  const query = new URLSearchParams(call.query).toString();
  return { method: call.method, path: `/${call.segments.map(encodeURIComponent).join("/")}${query === "" ? "" : `?${query}`}`, ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }) };
};

const undoOut = (undo: Plan["undo"]): ActionPlan["undo"] => ({ possible: undo.possible, how: undo.how, ...(undo.call === undefined ? {} : { call: callOut(undo.call) }) });

/** A plan carries the parameters of its own action, as the file that made it has them. */
const paramsOf = (plan: Plan): { params: ActionParams } | { nodeParams: NodeActionParamsOut } => (isNodeAction(plan.action) ? { nodeParams: { ...(plan.params as NodeActionParams) } } : { params: paramsOut(plan.params as SetDaemonResourcesParams) });

const stepCall = (step: PlanStep): { call: { method: string; path: string; body?: string } } | object =>
  step.call !== undefined ? { call: callOut(step.call) } : step.nodeCall !== undefined ? { call: { method: step.nodeCall.kind, path: step.nodeCall.what } } : {};

export const touchedOut = ({ id, name, outcome, reason }: WorkObject): Touched => ({ id, name, outcome, ...(reason === undefined ? {} : { reason }) });

export function planOut(plan: Plan): ActionPlan {
  return {
    action: plan.action,
    title: plan.title,
    node: plan.node,
    object: { ...plan.object },
    ...paramsOf(plan),
    steps: plan.steps.map((step) => ({ title: step.title, writes: step.writes, ...stepCall(step) })),
    diff: plan.diff.map((line) => ({ ...line })),
    affected: { ...plan.affected },
    hazards: plan.hazards.map((hazard) => ({ ...hazard })),
    refusals: plan.refusals.map((refusal) => ({ message: refusal.message, ...(refusal.field === undefined ? {} : { field: refusal.field }) })),
    undo: undoOut(plan.undo),
    confirm: { ...plan.confirm },
    version: plan.version,
    evidence: plan.evidence.map(evidenceOut),
    passRule: plan.passRule,
  };
}

const readingOut = (reading: ActionReading): ActionRunOut["before"] => ({
  at: iso(reading.atMs),
  answer: reading.answer,
  atRisk: reading.atRisk,
  oomKills: reading.oomKillsMs.length,
  ...(reading.waiting === undefined ? {} : { waiting: reading.waiting }),
  ...(reading.stuck === undefined ? {} : { stuck: reading.stuck }),
  ...(reading.backlog === undefined ? {} : { backlog: reading.backlog }),
  ...(reading.dead === undefined ? {} : { dead: reading.dead }),
  ...(reading.throttledShare === undefined ? {} : { throttledShare: reading.throttledShare }),
  ...(reading.restarts === undefined ? {} : { restarts: reading.restarts }),
  ...isoOr("lastFreshAt", reading.lastFreshMs),
});

export function runOut(run: ActionRun): ActionRunOut {
  return {
    id: run.id,
    requestId: run.requestId,
    action: run.plan.action,
    title: run.plan.title,
    node: run.plan.node,
    object: { ...run.plan.object },
    actor: run.actor,
    state: run.state,
    started: iso(run.startedMs),
    ...isoOr("finished", run.finishedMs),
    ...isoOr("seen", run.seenMs),
    ...(run.error === undefined ? {} : { error: run.error }),
    passRule: run.plan.passRule,
    undo: undoOut(run.plan.undo),
    ...paramsOf(run.plan),
    before: readingOut(run.before),
    steps: run.steps.map((step) => ({
      title: step.title,
      state: step.state,
      started: iso(step.startedMs),
      ...isoOr("finished", step.finishedMs),
      ...(step.before === undefined ? {} : { before: step.before }),
      ...(step.after === undefined ? {} : { after: step.after }),
      ...(step.error === undefined ? {} : { error: step.error }),
    })),
    verifications: run.verifications.map((check) => ({
      due: iso(check.dueMs),
      ...(check.verdict === undefined ? {} : { verdict: check.verdict }),
      ...(check.because === undefined ? {} : { because: check.because }),
      ...isoOr("done", check.doneMs),
      ...(check.after === undefined ? {} : { after: readingOut(check.after) }),
    })),
  };
}
