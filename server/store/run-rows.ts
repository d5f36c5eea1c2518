import type { ActionReading, Plan, Verdict } from "../domain/actions/types";
import type { RequestId } from "../domain/ids";
import type { ActionRun, ActionStep, RunState, RunVerification } from "./state-types";

/**
 * Rows of runs as both halves read them: the people's through Prisma, the collector's through statements. States,
 * verdicts and JSON were written by this store from the very types they are given back as.
 */
type Whole = number | bigint;

export interface RunRow {
  readonly id: number;
  readonly requestId: string;
  readonly actor: string;
  readonly state: string;
  readonly plan: string;
  readonly before: string;
  readonly startedMs: Whole;
  readonly finishedMs: Whole | null;
  readonly seenMs: Whole | null;
  readonly error: string | null;
}
export interface StepRow {
  readonly ordinal: number;
  readonly title: string;
  readonly state: string;
  readonly startedMs: Whole;
  readonly finishedMs: Whole | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly error: string | null;
}
export interface VerificationRow {
  readonly id: number;
  readonly dueMs: Whole;
  readonly verdict: string | null;
  readonly summary: string | null;
  readonly doneMs: Whole | null;
  readonly after: string | null;
}

export const RUN_COLUMNS = "id, request_id AS requestId, actor, state, plan, before, started_ms AS startedMs, finished_ms AS finishedMs, seen_ms AS seenMs, error";
export const STEPS_OF_RUN = "SELECT ordinal, title, state, started_ms AS startedMs, finished_ms AS finishedMs, before, after, error FROM action_step WHERE run_id = ? ORDER BY ordinal";
export const VERIFICATIONS_OF_RUN = "SELECT id, due_ms AS dueMs, verdict, summary, done_ms AS doneMs, after FROM verification WHERE run_id = ? ORDER BY due_ms";

export function toRun(row: RunRow, steps: readonly StepRow[], verifications: readonly VerificationRow[]): ActionRun {
  return {
    id: row.id,
    requestId: row.requestId as RequestId,
    actor: row.actor,
    state: row.state as RunState,
    plan: JSON.parse(row.plan) as Plan,
    before: JSON.parse(row.before) as ActionReading,
    startedMs: Number(row.startedMs),
    ...(row.finishedMs === null ? {} : { finishedMs: Number(row.finishedMs) }),
    ...(row.seenMs === null ? {} : { seenMs: Number(row.seenMs) }),
    ...(row.error === null ? {} : { error: row.error }),
    steps: steps.map(toStep),
    verifications: verifications.map(toVerification),
  };
}

function toStep(row: StepRow): ActionStep {
  return {
    ordinal: row.ordinal,
    title: row.title,
    state: row.state as ActionStep["state"],
    startedMs: Number(row.startedMs),
    ...(row.finishedMs === null ? {} : { finishedMs: Number(row.finishedMs) }),
    ...(row.before === null ? {} : { before: row.before }),
    ...(row.after === null ? {} : { after: row.after }),
    ...(row.error === null ? {} : { error: row.error }),
  };
}

function toVerification(row: VerificationRow): RunVerification {
  return {
    id: row.id,
    dueMs: Number(row.dueMs),
    ...(row.verdict === null ? {} : { verdict: row.verdict as Verdict }),
    ...(row.summary === null ? {} : { because: row.summary }),
    ...(row.doneMs === null ? {} : { doneMs: Number(row.doneMs) }),
    ...(row.after === null ? {} : { after: JSON.parse(row.after) as ActionReading }),
  };
}
