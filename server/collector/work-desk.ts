import { ASK_HELD_MS, type NodePods } from "../domain/actions/work-order";
import type { Clock } from "../clock";
import type { NodeName } from "../domain/ids";
import type { Log } from "../log";
import type { HandedOut, WorkDesk } from "../sources/agent/work";
import type { StoredWork, Work } from "../store/state-types";
import { StoreUnwritable } from "../store/types";

/** A page's click is in the store; this often it is looked at while an agent asks. */
const LOOK_EVERY_MS = 500;
const EXPIRE_EVERY_MS = 5_000;

interface Asking {
  readonly answer: (handed: HandedOut | undefined) => void;
  readonly untilMs: number;
}

export interface RunningDesk extends WorkDesk {
  stop(): void;
}

/**
 * Hands each order out once, to an asking of its own node, and writes down what is told. Holds nothing that a restart would lose:
 * orders and what became of them are in the store. An asking is held only where its agent wants that, one a node; a newer one takes its place.
 */
export function openWorkDesk(options: { readonly work: Work; readonly pods: (node: NodeName) => Promise<NodePods | undefined>; readonly clock: Clock; readonly log: Log }): RunningDesk {
  const { work, clock, log } = options;
  const askings = new Map<NodeName, Asking>();
  /** Nodes for which an order waited at the last look. */
  let wanted: ReadonlySet<string> = new Set();
  let expiredMs = Number.NEGATIVE_INFINITY;

  const answer = (node: NodeName, handed: HandedOut | undefined): void => {
    const asking = askings.get(node);
    askings.delete(node);
    asking?.answer(handed);
  };
  const handOut = (waiting: readonly StoredWork[], nowMs: number): void => {
    for (const { order } of waiting) {
      const node = [...askings.keys()].find((one) => one === order.node);
      if (node !== undefined && work.take(order.id, nowMs)) answer(node, { order, begun: false });
    }
  };
  const look = (): void => {
    const nowMs = clock.now();
    try {
      const waiting = work.waiting(nowMs);
      if (askings.size > 0) handOut(waiting, nowMs);
      wanted = new Set(waiting.map(({ order }) => order.node));
      if (nowMs - expiredMs >= EXPIRE_EVERY_MS) {
        expiredMs = nowMs;
        const lost = work.expire(nowMs);
        if (lost > 0) log.warn({ lost }, "orders to agents were not taken or not told of in time");
      }
    } catch (err) {
      if (!(err instanceof StoreUnwritable)) throw err;
      log.warn({ err }, "orders wait until the store can be written");
    }
    for (const [node, { untilMs }] of askings) if (nowMs >= untilMs) answer(node, undefined);
  };
  const handAtOnce = (node: NodeName): HandedOut | undefined => {
    const nowMs = clock.now();
    try {
      const mine = work.waiting(nowMs).find(({ order }) => order.node === node && work.take(order.id, nowMs));
      return mine === undefined ? undefined : { order: mine.order, begun: false };
    } catch (err) {
      if (!(err instanceof StoreUnwritable)) throw err;
      return undefined; // it waits on, and the next report's answer says so
    }
  };
  const whileReadable = <T>(read: () => readonly T[]): readonly T[] => {
    try {
      return read();
    } catch (err) {
      if (!(err instanceof StoreUnwritable)) throw err;
      return [];
    }
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch (err) {
      log.error({ err }, "orders could not be looked at; the next look tries again");
    }
  }, LOOK_EVERY_MS);

  return {
    waits: (node) => wanted.has(node),
    ask: (node, held, signal) =>
      new Promise((resolve) => {
        answer(node, undefined);
        const gone = (): void => {
          if (askings.get(node)?.answer === settle) answer(node, undefined);
        };
        const settle = (handed: HandedOut | undefined): void => {
          signal.removeEventListener("abort", gone);
          resolve(handed);
        };
        if (signal.aborted) {
          settle(undefined);
          return;
        }
        // An agent that asks has nothing under way: what it took before was lost on the way, or it was started anew. It knows which.
        const [taken] = whileReadable(() => work.taken(node));
        if (taken !== undefined) {
          settle({ order: taken.order, begun: taken.outcome !== undefined });
          return;
        }
        if (!held) {
          settle(handAtOnce(node));
          return;
        }
        askings.set(node, { answer: settle, untilMs: clock.now() + ASK_HELD_MS });
        signal.addEventListener("abort", gone);
      }),
    told: (node, { id, ...told }) => work.told(id, node, told, clock.now()),
    pods: options.pods,
    stop: () => {
      clearInterval(timer);
      for (const node of [...askings.keys()]) answer(node, undefined);
    },
  };
}
