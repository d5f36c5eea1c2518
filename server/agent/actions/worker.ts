import path from "node:path";
import type { Clock } from "../../clock";
import { MAX_PODS_AGE_MS, MAX_TOLD_OBJECTS, type NodeAction, type NodePods, type WorkObject, type WorkOrder, type WorkState } from "../../domain/actions/work-order";
import { withKubeletPods } from "../../domain/actions/dead-sandbox";
import type { Log } from "../../log";
import { fullJitterMs } from "../backoff";
import { reasonOf } from "../host-fs";
import type { Reporter } from "../report";
import { sleep } from "../sender";
import { holdAlone } from "./alone";
import { DeskError, type Desk } from "./desk";
import { DOERS } from "./doers";
import { openJournal, type Journal, type JournalEntry } from "./journal";
import { checkOrder, idOf } from "./order";
import type { Doer, Site, Tools } from "./types";

export interface WorkerOptions {
  readonly node: string;
  readonly actions: readonly NodeAction[];
  readonly site: Site;
  readonly desk: Desk;
  readonly reporter: Pick<Reporter, "last">;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the agent is told to end: nothing is begun after it. */
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly doers?: typeof DOERS;
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/** What was done is told this often while more is done. */
const TELL_EVERY_MS = 2_000;
/** A list of pods is asked for again before it is too old to confirm anything. */
const PODS_FRESH_MS = MAX_PODS_AGE_MS / 2;
const RESTARTED = "The agent was restarted in the middle: what it had not done it leaves.";
const TOLD_TO_END = "The agent was told to end in the middle: what it had not done it leaves.";
const TIME_OVER = "The order's time was over before all was done.";

/**
 * Asks for orders and carries them out, one after the other, until told to end. What an order is known to have done is on the disk
 * before it is told; an id that was begun is never begun again. Where it cannot be remembered, each order is refused with the reason.
 */
export async function runWorker(options: WorkerOptions & { readonly stateDir: string }): Promise<void> {
  const { log, signal } = options;
  const pause: Pause = (ms) => sleep(options.clock, ms, signal);
  const dir = path.join(options.stateDir, "orders");
  const journal = await openedOrRefusing(dir, options, pause);
  if (journal === undefined) return;
  let held = await holdAlone(dir);
  if (held === undefined) log.warn({ dir }, "another agent has this folder; orders are taken once it has ended");
  while (held === undefined && !signal.aborted) {
    await pause(LAST_RETRY_MS / 6);
    held = await holdAlone(dir);
  }
  try {
    await takeOrders(options, journal);
  } finally {
    await held?.release();
  }
}

/** Undefined where the agent was told to end before its folder could be had. */
async function openedOrRefusing(dir: string, options: WorkerOptions, pause: Pause): Promise<Journal | undefined> {
  const { desk, log, signal } = options;
  for (let said = false; !signal.aborted; said = true) {
    try {
      return await openJournal(dir);
    } catch (error) {
      const reason = `what is done could not be remembered in ${dir} (${reasonOf(error)}): --state-dir has to be a folder that the agent may write to`;
      if (!said) log.error({ reason }, "orders are refused");
      try {
        const id = idOf((await desk.ask()).order);
        if (id !== undefined) await tellUntilTaken(options, pause, { id, state: "refused", reason, objects: [] });
      } catch (failure) {
        log.debug({ reason: reasonOf(failure) }, "the server could not be asked for orders");
        await pause(LAST_RETRY_MS);
      }
    }
  }
  return undefined;
}

/** The orders alone, for whoever has the folder to itself already. */
export async function takeOrders(options: WorkerOptions, journal: Journal): Promise<void> {
  const { desk, log, signal } = options;
  const pause: Pause = (ms) => sleep(options.clock, ms, signal);
  for (const entry of await journal.open()) await finishOld(entry, options, journal, pause);
  let failures = 0;
  while (!signal.aborted) {
    try {
      await journal.tidy(desk.nowMs());
      const { order, begun, pods } = await desk.ask();
      failures = 0;
      if (order !== undefined) await take(order, begun, pods, options, journal, pause);
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      if (failures === 1 || !(error instanceof DeskError)) log.warn({ reason: reasonOf(error) }, "the server could not be asked for orders; it is asked again");
      await pause(fullJitterMs(failures, FIRST_RETRY_MS, LAST_RETRY_MS, options.random()) + FIRST_RETRY_MS);
    }
  }
}

type Pause = (ms: number) => Promise<void>;

async function take(value: unknown, begun: boolean, pods: NodePods | undefined, options: WorkerOptions, journal: Journal, pause: Pause): Promise<void> {
  const { desk, log } = options;
  const id = idOf(value);
  if (id === undefined) {
    log.error("an order without an id came; it is dropped");
    await pause(LAST_RETRY_MS);
    return;
  }
  const known = await journal.read(id);
  if (known !== undefined) {
    await finishOld(known, options, journal, pause);
    return;
  }
  const refuse = async (reason: string): Promise<void> => {
    log.warn({ id, reason }, "an order was refused");
    await tellUntilTaken(options, pause, { id, state: "refused", reason, objects: [] });
  };
  const checked = checkOrder(value, { node: options.node, actions: options.actions, nowMs: desk.nowMs() });
  if (!checked.ok) return refuse(checked.reason);
  const { order } = checked;
  const doer = (options.doers ?? DOERS)[order.action];
  if (begun && !order.dry) return refuse("the order was begun by an agent that remembers it, and this one does not: it is not begun again");
  if (order.dry) return survey(order, doer, pods, options, journal, pause);
  try {
    if (!(await journal.begin(order))) return await refuse("this node has a record of the order that cannot be read: it is not begun again");
  } catch (error) {
    return refuse(`what is done could not be remembered: ${reasonOf(error)}`);
  }
  log.info({ id, action: order.action, objects: order.objects.length, by: order.requestedBy }, "an order is carried out");
  const work = openWork(order, pods, options, journal, pause);
  let reason: string | undefined;
  try {
    await work.flush(true);
    await doer.carryOut(order, work.tools);
    reason = options.signal.aborted ? TOLD_TO_END : work.tools.over() ? TIME_OVER : undefined;
  } catch (error) {
    reason = reasonOf(error);
  }
  await journal.end(order.id, reason);
  const entry = await journal.read(order.id);
  if (entry !== undefined) await finishOld(entry, options, journal, pause);
}

async function survey(order: WorkOrder, doer: Doer, pods: NodePods | undefined, options: WorkerOptions, journal: Journal, pause: Pause): Promise<void> {
  try {
    const objects = await doer.survey(order, openWork(order, pods, options, journal, pause).tools);
    await tellAll(options, pause, order.id, "ended", objects, undefined);
  } catch (error) {
    await tellAll(options, pause, order.id, "refused", [], reasonOf(error));
  }
}

/** What the journal knows is told to its end; one that was cut off is put right where its action asks for it, and never gone on with. */
async function finishOld(entry: JournalEntry, options: WorkerOptions, journal: Journal, pause: Pause): Promise<void> {
  const { order } = entry;
  let now = entry;
  if (now.end === undefined) {
    const doer = (options.doers ?? DOERS)[order.action];
    let reason = RESTARTED;
    try {
      await doer.recover?.(order, entry, openWork(order, undefined, options, journal, pause).tools);
    } catch (error) {
      reason = `${RESTARTED} It could not be put right: ${reasonOf(error)}`;
    }
    await journal.end(order.id, reason);
    now = (await journal.read(order.id)) ?? now;
  }
  if (await tellAll(options, pause, order.id, "ended", now.objects, now.end?.reason)) await journal.settled(order.id);
}

/** In parts that the server takes; the last one ends the order. True where the server has it, or does not want it. */
async function tellAll(options: WorkerOptions, pause: Pause, id: string, last: WorkState, objects: readonly WorkObject[], reason: string | undefined): Promise<boolean> {
  for (let at = 0; at + MAX_TOLD_OBJECTS < objects.length; at += MAX_TOLD_OBJECTS) {
    if (!(await tellUntilTaken(options, pause, { id, state: "running", objects: objects.slice(at, at + MAX_TOLD_OBJECTS) }))) return false;
  }
  const rest = objects.slice(Math.max(0, Math.ceil(objects.length / MAX_TOLD_OBJECTS) - 1) * MAX_TOLD_OBJECTS);
  return tellUntilTaken(options, pause, { id, state: last, objects: rest, ...(reason === undefined ? {} : { reason }) });
}

async function tellUntilTaken({ desk, log, signal, random }: WorkerOptions, pause: Pause, told: Parameters<Desk["tell"]>[0]): Promise<boolean> {
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      await desk.tell(told, false);
      return true;
    } catch (error) {
      if (error instanceof DeskError && error.kind === "gone") return true;
      if (failures === 1) log.warn({ id: told.id, reason: reasonOf(error) }, "the server did not take what was told of an order; it is told again");
      await pause(fullJitterMs(failures, FIRST_RETRY_MS, LAST_RETRY_MS, random()));
    }
  }
  return false;
}

interface Work {
  readonly tools: Tools;
  /** Tells what was not told yet; with `needed`, also where nothing is. */
  flush(needed: boolean): Promise<void>;
}

function openWork(order: WorkOrder, given: NodePods | undefined, options: WorkerOptions, journal: Journal, pause: Pause): Work {
  const { clock, desk, log, signal, reporter, site } = options;
  let pods = given;
  let untold: WorkObject[] = [];
  let toldMs = clock.now();
  let telling: Promise<void> | undefined;
  const over = (): boolean => signal.aborted || desk.nowMs() >= order.expiresMs;

  const flush = (needed: boolean): Promise<void> => {
    if (!needed && untold.length === 0) return telling ?? Promise.resolve();
    telling ??= (async () => {
      const part = untold.slice(0, MAX_TOLD_OBJECTS);
      try {
        const answer = await desk.tell({ id: order.id, state: "running", objects: part }, true);
        untold = untold.slice(part.length);
        pods = answer.pods ?? pods;
      } catch (error) {
        log.warn({ id: order.id, reason: reasonOf(error) }, "the server did not take what was told of an order; it goes on, and all is told at the end");
      } finally {
        toldMs = clock.now();
        telling = undefined;
      }
    })();
    return telling;
  };
  const tools: Tools = {
    ...site,
    clock,
    log,
    report: reporter.last,
    pods: async () => {
      while (pods === undefined || clock.now() - pods.atMs > PODS_FRESH_MS) {
        await flush(true);
        if (pods !== undefined && clock.now() - pods.atMs <= PODS_FRESH_MS) break;
        if (over()) return pods ?? { atMs: 0, uids: [] };
        await pause(FIRST_RETRY_MS);
      }
      return withKubeletPods(pods, reporter.last(), clock.now());
    },
    tell: async (object) => {
      await journal.object(order.id, object);
      untold.push(object);
      if (clock.now() - toldMs >= TELL_EVERY_MS) void flush(false);
    },
    note: (note) => journal.note(order.id, note),
    over,
    sleep: pause,
  };
  return { tools, flush };
}
