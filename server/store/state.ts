import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import { TAKE_WITHIN_MS, type WorkOrder } from "../domain/actions/work-order";
import { actorName, type AuditEntry, type Permit } from "../domain/permit";
import { isBusy, StoreError, toUnwritable } from "./errors";
import { PrismaClient, type Prisma } from "./generated/client";
import { retry } from "./retry";
import { findRuns, readAudit, readRuns } from "./reader/runs";
import { ReadSource, type Query } from "./reader/source";
import { toRun } from "./run-rows";
import type { ActionRun, State, StoredWork } from "./state-types";
import { MAX_EXCEPTIONS, MAX_KEYS_READ, MAX_NOTES } from "./state-types";
import { toWork, WORK_COLUMNS, type WorkRow } from "./work-rows";

/** Writes and reads that wait for their turn. People are few; more than this is a fault or an attack. */
export const MAX_STATE_QUEUE = 200;
/** The driver waits with the whole event loop, so it hardly waits: the retry does. */
export const STATE_BUSY_TIMEOUT_MS = 20;

/** The people's half of the store. Opens nothing until it is first used. */
export function openState({ file }: { readonly file: string }): State {
  return new PrismaState(file);
}

type Tx = Prisma.TransactionClient;
const PARTS = { steps: { orderBy: { ordinal: "asc" } }, verifications: { orderBy: { dueMs: "asc" } } } as const;

/**
 * One connection, one piece of work at a time: the adapter shares its connection, so anything that ran beside an open
 * transaction would see its unfinished rows and be taken back with it.
 */
class PrismaState implements State {
  readonly #file: string;
  #client: PrismaClient | undefined;
  #readSource: ReadSource | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(file: string) {
    this.#file = file;
  }

  audit(permit: Permit, entry: AuditEntry): Promise<void> {
    return this.#write(permit, (tx) => addAudit(tx, entry));
  }

  startRun(...[permit, entry, run]: Parameters<State["startRun"]>): ReturnType<State["startRun"]> {
    return this.#write(permit, async (tx) => {
      // Another process that starts it between these two makes the write fail as "busy", and the retry finds its run.
      const known = await tx.actionRun.findUnique({ where: { requestId: run.requestId }, include: PARTS });
      if (known !== null) return { run: toRun(known, known.steps, known.verifications), started: false };
      if (run.aloneSinceMs !== undefined) {
        const other = await tx.actionRun.findFirst({ where: { node: run.plan.node, startedMs: { gte: BigInt(run.aloneSinceMs) } }, orderBy: { startedMs: "desc" }, include: PARTS });
        if (other !== null) return { run: toRun(other, other.steps, other.verifications), started: false };
      }
      const made = await tx.actionRun.create({
        data: {
          requestId: run.requestId,
          action: run.plan.action,
          node: run.plan.node,
          object: objectText(run.plan.object),
          actor: actorName(permit.actor),
          state: "running",
          plan: JSON.stringify(run.plan),
          before: JSON.stringify(run.before),
          startedMs: BigInt(run.startedMs),
        },
      });
      if (run.order !== undefined) await addOrder(tx, run.order, made.id);
      await addAudit(tx, entry);
      return { run: toRun(made, [], []), started: true };
    });
  }

  async saveStep(...[permit, runId, step]: Parameters<State["saveStep"]>): Promise<void> {
    await this.#write(permit, async (tx) => {
      const data = {
        title: step.title,
        state: step.state,
        startedMs: BigInt(step.startedMs),
        finishedMs: step.finishedMs === undefined ? null : BigInt(step.finishedMs),
        before: step.before ?? null,
        after: step.after ?? null,
        error: step.error ?? null,
      };
      await tx.actionStep.upsert({ where: { runId_ordinal: { runId, ordinal: step.ordinal } }, update: data, create: { runId, ordinal: step.ordinal, ...data } });
    });
  }

  finishRun(...[permit, entry, runId, end]: Parameters<State["finishRun"]>): Promise<boolean> {
    return this.#write(permit, async (tx) => {
      const { count } = await tx.actionRun.updateMany({ where: { id: runId, state: "running" }, data: { state: end.state, finishedMs: BigInt(end.atMs), error: end.error ?? null } });
      if (count > 0) await addAudit(tx, entry);
      return count > 0;
    });
  }

  askDry(permit: Permit, entry: AuditEntry, order: WorkOrder): Promise<void> {
    return this.#write(permit, async (tx) => {
      await addOrder(tx, order, null);
      await addAudit(tx, entry);
    });
  }

  async work(query: Parameters<State["work"]>[0]): ReturnType<State["work"]> {
    return this.#reads().read((reads) => findWork(reads, "id" in query ? "id = ?" : "run_id = ?", "id" in query ? query.id : query.runId));
  }

  async triedDry({ node, version, sinceMs }: Parameters<State["triedDry"]>[0]): ReturnType<State["triedDry"]> {
    return this.#reads().read((reads) => findWork(reads, "run_id IS NULL AND state = 'ended' AND node = ? AND version = ? AND ended_ms >= ? ORDER BY ended_ms DESC LIMIT 1", node, version, sinceMs));
  }

  acceptKubeletKey(...[permit, entry, key]: Parameters<State["acceptKubeletKey"]>): Promise<boolean> {
    return this.#write(permit, async (tx) => {
      const { count } = await tx.kubeletKey.updateMany({ where: { node: key.node, offeredSha256: key.sha256 }, data: { sha256: key.sha256, offeredSha256: null, seenMs: BigInt(entry.atMs) } });
      if (count > 0) await addAudit(tx, entry);
      return count > 0;
    });
  }

  acknowledgeIncident(...[permit, entry, id]: Parameters<State["acknowledgeIncident"]>): ReturnType<State["acknowledgeIncident"]> {
    return this.#write(permit, async (tx) => {
      if (!(await isThere(tx, id))) return undefined;
      const known = await tx.incidentPeople.findUnique({ where: { incident: id } });
      if (known?.acknowledgedBy !== null && known?.acknowledgedBy !== undefined) return { by: known.acknowledgedBy, atMs: Number(known.acknowledgedMs) };
      await savePeople(tx, id, { acknowledgedBy: entry.actor, acknowledgedMs: BigInt(entry.atMs) });
      await addAudit(tx, entry);
      return { by: entry.actor, atMs: entry.atMs };
    });
  }

  noteIncident(...[permit, entry, { id, text }]: Parameters<State["noteIncident"]>): ReturnType<State["noteIncident"]> {
    return this.#write(permit, async (tx) => {
      if (!(await isThere(tx, id))) return "not-found";
      if ((await tx.incidentNote.count({ where: { incident: id } })) >= MAX_NOTES) return "too-many";
      await tx.incidentNote.create({ data: { incident: id, atMs: BigInt(entry.atMs), by: entry.actor, text } });
      await savePeople(tx, id, {});
      await addAudit(tx, entry);
      return "done";
    });
  }

  titleIncident(...[permit, entry, { id, text }]: Parameters<State["titleIncident"]>): Promise<boolean> {
    return this.#write(permit, async (tx) => {
      if (!(await isThere(tx, id))) return false;
      await savePeople(tx, id, { title: text, titledBy: entry.actor, titledMs: BigInt(entry.atMs) });
      await addAudit(tx, entry);
      return true;
    });
  }

  acceptException(...[permit, entry, { code, subject, reason }]: Parameters<State["acceptException"]>): ReturnType<State["acceptException"]> {
    return this.#write(permit, async (tx) => {
      const id = { code_subject: { code, subject } };
      if ((await tx.causeException.findUnique({ where: id })) === null && (await tx.causeException.count()) >= MAX_EXCEPTIONS) return "too-many";
      const said = { reason, by: entry.actor, atMs: BigInt(entry.atMs) };
      await tx.causeException.upsert({ where: id, update: said, create: { code, subject, ...said } });
      await addAudit(tx, entry);
      return "done";
    });
  }

  withdrawException(...[permit, entry, { code, subject }]: Parameters<State["withdrawException"]>): Promise<boolean> {
    return this.#write(permit, async (tx) => {
      const { count } = await tx.causeException.deleteMany({ where: { code, subject } });
      if (count > 0) await addAudit(tx, entry);
      return count > 0;
    });
  }

  offeredKeys(): ReturnType<State["offeredKeys"]> {
    return Promise.resolve(
      this.#reads().read((query) =>
        query
          .all<{ node: string; sha256: string; seen_ms: number; offered_sha256: string }>("SELECT node, sha256, seen_ms, offered_sha256 FROM kubelet_key WHERE offered_sha256 IS NOT NULL ORDER BY node LIMIT ?", MAX_KEYS_READ)
          .map((row) => ({ node: row.node, sha256: row.sha256, seenMs: row.seen_ms, offeredSha256: row.offered_sha256 })),
      ),
    );
  }

  // Reads have a connection of their own that cannot write: they never see an unfinished transaction, and go on
  // where nothing can be written, even where Prisma's connection could not be opened.
  async run(requestId: string): Promise<ActionRun | undefined> {
    return this.#reads().read((query) => readRuns(query, "WHERE request_id = ?", [requestId])[0]);
  }

  async runs(asked: Parameters<State["runs"]>[0]): Promise<readonly ActionRun[]> {
    return this.#reads().read((query) => findRuns(query, asked));
  }

  async auditEntries(asked: Parameters<State["auditEntries"]>[0]): ReturnType<State["auditEntries"]> {
    return this.#reads().read((query) => readAudit(query, asked));
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined); // whoever asked for it has been told
    await this.#drop();
    this.#readSource?.close();
    this.#readSource = undefined;
  }

  #reads(): ReadSource {
    this.#readSource ??= new ReadSource(this.#file);
    return this.#readSource;
  }

  /** One transaction, tried again while another process writes. The permit is what lets it begin. */
  #write<T>(_permit: Permit, run: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#inTurn(async (client) => {
      const result = await client.$transaction(run);
      this.#readSource?.leaveCopy();
      return result;
    });
  }

  async #inTurn<T>(run: (client: PrismaClient) => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_STATE_QUEUE) throw new StoreError("too-many", `More than ${MAX_STATE_QUEUE} changes wait to be stored: try again in a moment.`);
    this.#waiting += 1;
    const turn = this.#last.catch(() => undefined).then(() => retry(() => this.#once(run), isBusy)); // one that failed does not hold up the next
    this.#last = turn;
    try {
      return await turn;
    } catch (error) {
      throw toUnwritable(error, this.#file) ?? error;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #once<T>(run: (client: PrismaClient) => Promise<T>): Promise<T> {
    try {
      return await run(await this.#connect());
    } catch (error) {
      if (!isBusy(error)) await this.#drop(); // a connection that met a full disk or an I/O error is not used again
      throw error;
    }
  }

  async #connect(): Promise<PrismaClient> {
    if (this.#client !== undefined) return this.#client;
    const client = new PrismaClient({ adapter: new PrismaBetterSqlite3({ url: this.#file, timeout: STATE_BUSY_TIMEOUT_MS, fileMustExist: true }) });
    this.#client = client;
    await client.$queryRaw`PRAGMA synchronous = FULL`; // on the disk before anything is done to the cluster
    return client;
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.$disconnect();
  }
}

/** "DaemonSet kube-system/kube-multus-ds": how a run's object is asked for. */
export const objectText = ({ kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string }): string => (namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`);

/** What is only watched is nobody's to speak of. */
const isThere = async (tx: Tx, id: number): Promise<boolean> => (await tx.incident.count({ where: { id, state: { not: "watched" } } })) > 0;

/** With the number of the batch that comes next: whoever has seen the one before is told of it by that one. */
async function savePeople(tx: Tx, incident: number, data: Omit<Prisma.IncidentPeopleUncheckedCreateInput, "incident" | "seq">): Promise<void> {
  const seq = Number((await tx.meta.findUnique({ where: { key: "seq" } }))?.value ?? 0) + 1;
  await tx.incidentPeople.upsert({ where: { incident }, update: { ...data, seq }, create: { incident, ...data, seq } });
}

async function addOrder(tx: Tx, order: WorkOrder, runId: number | null): Promise<void> {
  const takeByMs = BigInt(order.issuedMs + TAKE_WITHIN_MS);
  await tx.workOrder.create({ data: { id: order.id, runId, node: order.node, version: order.planVersion, state: "waiting", order: JSON.stringify(order), issuedMs: BigInt(order.issuedMs), takeByMs, expiresMs: BigInt(order.expiresMs) } });
}

/** `where` is text of this file, never of a caller. */
const findWork = (reads: Query, where: string, ...values: readonly (string | number)[]): StoredWork | undefined => reads.all<WorkRow>(`SELECT ${WORK_COLUMNS} FROM work_order WHERE ${where}`, ...values).map(toWork)[0];

async function addAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  await tx.audit.create({
    data: { atMs: BigInt(entry.atMs), actor: entry.actor, verb: entry.verb, object: entry.object, requestId: entry.requestId, outcome: entry.outcome, detail: JSON.stringify(entry.detail) },
  });
}
