import { endRun } from "./end-run";
import { RUN_COLUMNS, STEPS_OF_RUN, toRun, VERIFICATIONS_OF_RUN, type RunRow, type StepRow, type VerificationRow } from "../run-rows";
import type { Db } from "../sqlite/connection";
import { MAX_RUNS_READ, type ActionRun, type Verifications } from "../state-types";

const RUN = `SELECT ${RUN_COLUMNS} FROM action_run`;
const INTERRUPTED = "Sandglass ended while this ran: look at the object before running it again.";

/** `attempt` runs its function on the connection that is open at the moment, and says StoreUnwritable where there is none. */
export function verificationsOver(attempt: <T>(run: (db: Db) => T) => T): Verifications {
  const whole = (db: Db, row: RunRow): ActionRun => toRun(row, db.prepare<[number], StepRow>(STEPS_OF_RUN).all(row.id), db.prepare<[number], VerificationRow>(VERIFICATIONS_OF_RUN).all(row.id));
  return {
    unseen: () => attempt((db) => db.prepare<[], RunRow>(`${RUN} WHERE state = 'applied' AND seen_ms IS NULL AND NOT EXISTS (SELECT 1 FROM verification WHERE run_id = action_run.id) ORDER BY id LIMIT ${MAX_RUNS_READ}`).all().map((row) => whole(db, row))),
    seen: (runId, seenMs, dueMs) =>
      attempt((db) =>
        db
          .transaction(() => {
            if (db.prepare("UPDATE action_run SET seen_ms = ? WHERE id = ? AND seen_ms IS NULL").run(seenMs, runId).changes === 0) return;
            const plan = db.prepare("INSERT INTO verification (run_id, due_ms, state) VALUES (?, ?, 'due') ON CONFLICT DO NOTHING");
            for (const due of dueMs) plan.run(runId, due);
          })
          .immediate(),
      ),
    giveUp: (runId, dueMs) => attempt((db) => void db.prepare("INSERT INTO verification (run_id, due_ms, state) SELECT ?, ?, 'due' WHERE NOT EXISTS (SELECT 1 FROM verification WHERE run_id = ?)").run(runId, dueMs, runId)),
    due: (nowMs) =>
      attempt((db) =>
        db
          .prepare<[number], { id: number; due_ms: number; run_id: number }>(`SELECT id, due_ms, run_id FROM verification WHERE state = 'due' AND due_ms <= ? ORDER BY due_ms, id LIMIT ${MAX_RUNS_READ}`)
          .all(nowMs)
          .flatMap(({ id, due_ms, run_id }) => {
            const row = db.prepare<[number], RunRow>(`${RUN} WHERE id = ?`).get(run_id);
            return row === undefined ? [] : [{ id, dueMs: due_ms, run: whole(db, row) }];
          }),
      ),
    record: (id, { verdict, because, doneMs, after }) =>
      attempt((db) => {
        db.prepare("UPDATE verification SET state = 'done', verdict = ?, summary = ?, done_ms = ?, after = ? WHERE id = ? AND state = 'due'").run(verdict, because, doneMs, after === undefined ? null : JSON.stringify(after), id);
      }),
    interrupt: (nowMs, begunBeforeMs) =>
      attempt((db) =>
        db
          .transaction(() => {
            const left = db.prepare<[number], number>("SELECT id FROM action_run WHERE state = 'running' AND started_ms <= ? AND NOT EXISTS (SELECT 1 FROM work_order WHERE run_id = action_run.id)").pluck().all(begunBeforeMs);
            for (const id of left) endRun(db, id, { state: "interrupted", error: INTERRUPTED }, nowMs);
            return left.length;
          })
          .immediate(),
      ),
  };
}
