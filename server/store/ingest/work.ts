import { countOf, mergeObjects, TOLD_WITHIN_MS, type WorkObject, type WorkOutcome } from "../../domain/actions/work-order";
import type { Db } from "../sqlite/connection";
import { endRun } from "./end-run";
import { MAX_RUNS_READ, type Work } from "../state-types";
import { toWork, WORK_COLUMNS, type WorkRow } from "../work-rows";

/** A dry order is read within minutes, or never. */
const DRY_KEPT_MS = 24 * 3_600_000;
const NOT_TAKEN = "The node's agent did not take the order in time: nothing was done.";
const NOT_TOLD = "The node's agent took the order and did not tell what came of it: look at the node before running it again.";

/** `attempt` runs its function on the connection that is open at the moment, and says StoreUnwritable where there is none. */
export function workOver(attempt: <T>(run: (db: Db) => T) => T): Work {
  const select = (db: Db, where: string, ...values: readonly (string | number)[]) => db.prepare<unknown[], WorkRow>(`SELECT ${WORK_COLUMNS} FROM work_order WHERE ${where}`).all(...values).map(toWork);
  return {
    waiting: (nowMs) => attempt((db) => select(db, `state = 'waiting' AND take_by_ms > ? ORDER BY issued_ms LIMIT ${MAX_RUNS_READ}`, nowMs)),
    taken: (node) => attempt((db) => select(db, `state = 'taken' AND node = ? ORDER BY issued_ms LIMIT ${MAX_RUNS_READ}`, node)),
    take: (id, nowMs) => attempt((db) => db.prepare("UPDATE work_order SET state = 'taken', taken_ms = ? WHERE id = ? AND state = 'waiting' AND take_by_ms > ?").run(nowMs, id, nowMs).changes > 0),
    told: (id, node, told, nowMs) => attempt((db) => db.transaction(() => tell(db, id, node, told, nowMs)).immediate()),
    expire: (nowMs) => attempt((db) => db.transaction(() => expire(db, nowMs)).immediate()),
  };
}

function tell(db: Db, id: string, node: string, told: { readonly state: WorkOutcome["state"]; readonly reason?: string; readonly objects: readonly WorkObject[] }, nowMs: number): boolean {
  const row = db.prepare<unknown[], WorkRow>(`SELECT ${WORK_COLUMNS} FROM work_order WHERE id = ? AND node = ? AND state <> 'waiting'`).get(id, node);
  if (row === undefined) return false;
  const work = toWork(row);
  if (work.state === "ended") return true; // the same last word again
  const outcome: WorkOutcome = { state: told.state, objects: mergeObjects(work.outcome?.objects ?? [], told.objects), ...(told.reason === undefined ? {} : { reason: told.reason }) };
  const ended = told.state !== "running";
  db.prepare("UPDATE work_order SET outcome = ?, state = ?, ended_ms = ? WHERE id = ?").run(JSON.stringify(outcome), ended ? "ended" : work.state, ended ? nowMs : null, id);
  if (work.runId === undefined) return true;
  const counts = countsOf(outcome);
  const failure = ended ? failureOf(outcome) : undefined;
  const started = work.takenMs ?? nowMs;
  db.prepare(
    `INSERT INTO action_step (run_id, ordinal, title, state, started_ms, finished_ms, after, error) VALUES (?, 1, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_id, ordinal) DO UPDATE SET state = excluded.state, finished_ms = excluded.finished_ms, after = excluded.after, error = excluded.error`,
  ).run(work.runId, "The agent carries it out", ended ? (failure === undefined ? "done" : "failed") : "running", started, ended ? nowMs : null, inWords(counts), failure ?? null);
  if (ended) endRun(db, work.runId, { state: failure === undefined ? "applied" : "failed", ...(failure === undefined ? {} : { error: failure }), detail: { toldBy: "agent", objects: Object.fromEntries(counts) } }, nowMs);
  return true;
}

const OUTCOME_WORDS = { done: "done", undone: "put back", left: "left as it was", failed: "failed" } as const;

const countsOf = ({ objects }: WorkOutcome) => (["done", "undone", "left", "failed"] as const).map((outcome) => [outcome, countOf(objects, outcome)] as const);

/** For a step: only what there is of. */
const inWords = (counts: ReturnType<typeof countsOf>): string => counts.filter(([, count]) => count > 0).map(([outcome, count]) => `${String(count)} ${OUTCOME_WORDS[outcome]}`).join(", ") || "nothing told of yet";

/** A run of which nothing was done has failed; one that did a part has been applied, and its objects say which. */
function failureOf(outcome: WorkOutcome): string | undefined {
  if (outcome.state === "refused") return `The agent refused: ${outcome.reason ?? "it did not say why"}`;
  if (countOf(outcome.objects, "done") > 0) return undefined;
  if (outcome.reason !== undefined) return `Nothing was done. ${outcome.reason}`;
  const [first] = outcome.objects.filter(({ outcome: one }) => one === "failed" || one === "undone");
  return first === undefined ? "Nothing was done: no object passed its last check." : `Nothing was done. ${first.name}: ${first.reason ?? first.outcome}`;
}

function expire(db: Db, nowMs: number): number {
  const late = db
    .prepare<unknown[], { id: string; runId: number | null; state: string }>("SELECT id, run_id AS runId, state FROM work_order WHERE (state = 'waiting' AND take_by_ms <= ?) OR (state = 'taken' AND expires_ms <= ?)")
    .all(nowMs, nowMs - TOLD_WITHIN_MS);
  for (const { id, runId, state } of late) {
    db.prepare("UPDATE work_order SET state = 'lost' WHERE id = ?").run(id);
    if (runId !== null) endRun(db, runId, state === "waiting" ? { state: "failed", error: NOT_TAKEN } : { state: "interrupted", error: NOT_TOLD }, nowMs);
  }
  db.prepare("DELETE FROM work_order WHERE run_id IS NULL AND issued_ms < ?").run(nowMs - DRY_KEPT_MS);
  return late.length;
}
