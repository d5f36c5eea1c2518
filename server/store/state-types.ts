import type { ActionReading, Plan, Verdict } from "../domain/actions/types";
import type { AcceptedException } from "../domain/causes/types";
import type { WorkObject, WorkOrder, WorkOutcome } from "../domain/actions/work-order";
import type { RequestId } from "../domain/ids";
import type { AuditEntry, Permit } from "../domain/permit";
import type { KubeletKey } from "./types";

/**
 * What people write, and what came of it. Every write takes a permit and an audit entry, and both are in the file
 * before it resolves: these rows are synced to the disk, so a run that was started is known after a power loss too.
 * All of it rejects with StoreUnwritable where nothing can be written, also after trying again for a while.
 */
export interface State {
  /** An attempt that came to nothing else: refused, or only looked at. */
  audit(permit: Permit, entry: AuditEntry): Promise<void>;
  /**
   * At most once per request id: where the run exists already it is returned as it is, `started` is false, and nothing is
   * written. The same where another run on its node began at `aloneSinceMs` or later: that one is returned.
   */
  startRun(permit: Permit, entry: AuditEntry, run: NewRun): Promise<{ readonly run: ActionRun; readonly started: boolean }>;
  /** Before a step is carried out, and again after it, by its ordinal. */
  saveStep(permit: Permit, runId: number, step: ActionStep): Promise<void>;
  /** Asks a node's agent what it would touch; nothing comes of it but its outcome. Written with its audit entry. */
  askDry(permit: Permit, entry: AuditEntry, order: WorkOrder): Promise<void>;
  /** Ends a run that is running; one that has ended stays as it is, and false is returned. */
  finishRun(permit: Permit, entry: AuditEntry, runId: number, end: RunEnd): Promise<boolean>;
  /** Takes the key that a kubelet offers as the right one. False where it offers another by now, or none. */
  acceptKubeletKey(permit: Permit, entry: AuditEntry, key: { readonly node: string; readonly sha256: string }): Promise<boolean>;

  /** Of several at once the first counts; a later one is told whose it was. `undefined`: no such incident. */
  acknowledgeIncident(permit: Permit, entry: AuditEntry, id: number): Promise<{ readonly by: string; readonly atMs: number } | undefined>;
  /** "too-many" at MAX_NOTES notes of the incident. */
  noteIncident(permit: Permit, entry: AuditEntry, note: { readonly id: number; readonly text: string }): Promise<"done" | "not-found" | "too-many">;
  /** A title replaces the one before. False where there is no such incident. */
  titleIncident(permit: Permit, entry: AuditEntry, title: { readonly id: number; readonly text: string }): Promise<boolean>;

  /** What is accepted already gets the new reason. "too-many" at MAX_EXCEPTIONS. */
  acceptException(permit: Permit, entry: AuditEntry, exception: Pick<AcceptedException, "code" | "subject" | "reason">): Promise<"done" | "too-many">;
  /** False where it is not accepted. */
  withdrawException(permit: Permit, entry: AuditEntry, exception: Pick<AcceptedException, "code" | "subject">): Promise<boolean>;

  /** Keys that changed and wait to be accepted, by node, at most MAX_KEYS_READ. */
  offeredKeys(): Promise<readonly KubeletKey[]>;
  run(requestId: RequestId): Promise<ActionRun | undefined>;
  work(query: { readonly id: string } | { readonly runId: number }): Promise<StoredWork | undefined>;
  /** The newest dry order for this node and this plan that was carried out at `sinceMs` or later. */
  triedDry(query: { readonly node: string; readonly version: string; readonly sinceMs: number }): Promise<StoredWork | undefined>;
  /** Newest first, at most MAX_RUNS_READ. */
  runs(query: { readonly node?: string; readonly object?: string; readonly action?: string; readonly sinceMs?: number; readonly limit: number }): Promise<readonly ActionRun[]>;
  /** Newest first, at most MAX_AUDIT_READ; `beforeId` is the last id of the page before. */
  auditEntries(query: { readonly limit: number; readonly beforeId?: number }): Promise<readonly (AuditEntry & { readonly id: number })[]>;
  close(): Promise<void>;
}

export const RUN_STATES = ["running", "applied", "failed", "interrupted"] as const;
export type RunState = (typeof RUN_STATES)[number];

export interface NewRun {
  readonly requestId: RequestId;
  readonly plan: Plan;
  /** What the verdict will compare with. */
  readonly before: ActionReading;
  readonly startedMs: number;
  /** What the node's agent is to do for it; written in the same transaction, told back by `work`. */
  readonly order?: WorkOrder;
  /** Set to keep the node to one run at a time; not stored. */
  readonly aloneSinceMs?: number;
}

export interface RunEnd {
  readonly state: Exclude<RunState, "running">;
  readonly atMs: number;
  readonly error?: string;
}

export interface ActionStep {
  readonly ordinal: number;
  readonly title: string;
  readonly state: "running" | "done" | "failed";
  readonly startedMs: number;
  readonly finishedMs?: number;
  /** The object's part that is changed, as it was and as the API server says it is now; JSON. */
  readonly before?: string;
  readonly after?: string;
  readonly error?: string;
}

export interface RunVerification {
  readonly id: number;
  readonly dueMs: number;
  /** All absent until it was carried out. */
  readonly verdict?: Verdict;
  readonly because?: string;
  readonly doneMs?: number;
  readonly after?: ActionReading;
}

export interface ActionRun extends NewRun {
  readonly id: number;
  readonly actor: string;
  readonly state: RunState;
  readonly finishedMs?: number;
  /** When the collector saw the change on the node; verifications count from there. */
  readonly seenMs?: number;
  readonly error?: string;
  readonly steps: readonly ActionStep[];
  readonly verifications: readonly RunVerification[];
}

/** Most notes of one incident. */
export const MAX_NOTES = 200;
/** Most exceptions of all causes together. */
export const MAX_EXCEPTIONS = 500;
export const MAX_KEYS_READ = 500;
export const MAX_RUNS_READ = 200;
export const MAX_AUDIT_READ = 500;

export const STORED_WORK_STATES = ["waiting", "taken", "ended", "lost"] as const;
export type StoredWorkState = (typeof STORED_WORK_STATES)[number];

export interface StoredWork {
  readonly runId?: number;
  readonly order: WorkOrder;
  /** `lost`: not taken in time, or taken and not told of. */
  readonly state: StoredWorkState;
  readonly takenMs?: number;
  readonly endedMs?: number;
  readonly outcome?: WorkOutcome;
}

/** The collector's part of orders: it hands them out and writes down what agents tell. */
export interface Work {
  /** Orders that wait to be taken and may still be, oldest first, at most MAX_RUNS_READ. */
  waiting(nowMs: number): readonly StoredWork[];
  /** Orders that an agent has taken and not ended, oldest first, at most MAX_RUNS_READ. */
  taken(node: string): readonly StoredWork[];
  /** True once: whoever gets it hands the order out. */
  take(id: string, nowMs: number): boolean;
  /**
   * What the node's agent told. Objects are merged by id, so the same word twice changes nothing. The last word ends the order and
   * its run, with the run's audit entry, in one transaction. False where this node has no such order.
   */
  told(id: string, node: string, told: { readonly state: WorkOutcome["state"]; readonly reason?: string; readonly objects: readonly WorkObject[] }, nowMs: number): boolean;
  /** Orders that were not taken in time, or taken and not told of until long after their end; and dry ones that nobody reads any more. Returns how many were lost. */
  expire(nowMs: number): number;
}

/** The collector's part of runs: it sees the change arrive and carries out what is due. Times are stored, so a restart forgets none. */
export interface Verifications {
  /** Runs whose change is made but was not seen on its node yet, oldest first, at most MAX_RUNS_READ. */
  unseen(): readonly ActionRun[];
  /** The change is on the node: plans the checks. Counts once; a later call changes nothing. */
  seen(runId: number, seenMs: number, dueMs: readonly number[]): void;
  /** The change was never seen: plans one check that will say so. Counts once. */
  giveUp(runId: number, dueMs: number): void;
  /** Checks whose time has come, oldest first, at most MAX_RUNS_READ. */
  due(nowMs: number): readonly { readonly id: number; readonly dueMs: number; readonly run: ActionRun }[];
  /** Counts once; a later call changes nothing. */
  record(id: number, result: { readonly verdict: Verdict; readonly because: string; readonly doneMs: number; readonly after?: ActionReading }): void;
  /** Runs that began at `begunBeforeMs` or earlier and still run, their process having ended: nobody carries them on, save those that a node's agent carries out. Each with its audit entry; returns how many. */
  interrupt(nowMs: number, begunBeforeMs: number): number;
}
