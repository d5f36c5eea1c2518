import type { Db } from "../sqlite/connection";

interface EndedRun {
  readonly requestId: string;
  readonly actor: string;
  readonly object: string;
  readonly action: string;
  readonly node: string;
}

/**
 * Ends a run for whoever began it, with its audit entry, in the transaction that is open. A run that has ended stays as it is, save one
 * that counted as interrupted: a late word on it is the truth.
 */
export function endRun(db: Db, runId: number, end: { readonly state: "applied" | "failed" | "interrupted"; readonly error?: string; readonly detail?: Readonly<Record<string, unknown>> }, nowMs: number): void {
  const { changes } = db.prepare("UPDATE action_run SET state = ?, finished_ms = ?, error = ? WHERE id = ? AND state IN ('running', 'interrupted')").run(end.state, nowMs, end.error ?? null, runId);
  if (changes === 0) return;
  // Its object as the entry of its start has it, so that both are found together.
  const run = db
    .prepare<[number], EndedRun>(
      `SELECT request_id AS requestId, actor, action, node, COALESCE((SELECT object FROM audit WHERE request_id = action_run.request_id AND outcome = 'allowed' ORDER BY id LIMIT 1), object) AS object
       FROM action_run WHERE id = ?`,
    )
    .get(runId);
  if (run === undefined) return;
  const detail = { action: run.action, node: run.node, ...(end.error === undefined ? {} : { message: end.error }), ...end.detail };
  db.prepare("INSERT INTO audit (at_ms, actor, verb, object, request_id, outcome, detail) VALUES (?, ?, 'action.run', ?, ?, ?, ?)").run(nowMs, run.actor, run.object, run.requestId, end.state === "applied" ? "done" : "failed", JSON.stringify(detail));
}
