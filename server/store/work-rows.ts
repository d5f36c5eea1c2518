import type { WorkOrder, WorkOutcome } from "../domain/actions/work-order";
import type { StoredWork, StoredWorkState } from "./state-types";

/** Rows of orders as both halves read them. JSON and states were written by this store from the types they are given back as. */
export interface WorkRow {
  readonly runId: number | null;
  readonly state: string;
  readonly order: string;
  readonly takenMs: number | null;
  readonly endedMs: number | null;
  readonly outcome: string | null;
}

export const WORK_COLUMNS = 'run_id AS runId, state, "order", taken_ms AS takenMs, ended_ms AS endedMs, outcome';

export const toWork = (row: WorkRow): StoredWork => ({
  order: JSON.parse(row.order) as WorkOrder,
  state: row.state as StoredWorkState,
  ...(row.runId === null ? {} : { runId: row.runId }),
  ...(row.takenMs === null ? {} : { takenMs: row.takenMs }),
  ...(row.endedMs === null ? {} : { endedMs: row.endedMs }),
  ...(row.outcome === null ? {} : { outcome: JSON.parse(row.outcome) as WorkOutcome }),
});
