import type { AuditEntry } from "../../domain/permit";
import { RUN_COLUMNS, STEPS_OF_RUN, toRun, VERIFICATIONS_OF_RUN, type RunRow, type StepRow, type VerificationRow } from "../run-rows";
import { MAX_AUDIT_READ, MAX_RUNS_READ, type ActionRun, type State } from "../state-types";
import type { Query } from "./source";

/** `where` is text of this folder, never of a caller. */
export function readRuns(query: Query, where: string, values: readonly (number | string)[]): ActionRun[] {
  return query
    .all<RunRow>(`SELECT ${RUN_COLUMNS} FROM action_run ${where}`, ...values)
    .map((row) => toRun(row, query.all<StepRow>(STEPS_OF_RUN, row.id), query.all<VerificationRow>(VERIFICATIONS_OF_RUN, row.id)));
}

export function findRuns(query: Query, asked: Parameters<State["runs"]>[0]): ActionRun[] {
  const conditions: string[] = [];
  const values: (number | string)[] = [];
  const also = (condition: string, value: number | string | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  also("node = ?", asked.node);
  also("object = ?", asked.object);
  also("action = ?", asked.action);
  also("started_ms >= ?", asked.sinceMs);
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  return readRuns(query, `${where} ORDER BY id DESC LIMIT ?`, [...values, Math.min(Math.max(1, asked.limit), MAX_RUNS_READ)]);
}

interface AuditRow {
  readonly id: number;
  readonly at_ms: number;
  readonly actor: string;
  readonly verb: string;
  readonly object: string;
  readonly request_id: string;
  readonly outcome: string;
  readonly detail: string;
}

export function readAudit(query: Query, { limit, beforeId }: Parameters<State["auditEntries"]>[0]): Awaited<ReturnType<State["auditEntries"]>> {
  return query
    .all<AuditRow>("SELECT id, at_ms, actor, verb, object, request_id, outcome, detail FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?", beforeId ?? Number.MAX_SAFE_INTEGER, Math.min(Math.max(1, limit), MAX_AUDIT_READ))
    .map((row) => ({
      id: row.id,
      atMs: row.at_ms,
      actor: row.actor,
      verb: row.verb,
      object: row.object,
      requestId: row.request_id,
      outcome: row.outcome as AuditEntry["outcome"], // written by the state from an AuditEntry
      detail: JSON.parse(row.detail) as AuditEntry["detail"],
    }));
}
