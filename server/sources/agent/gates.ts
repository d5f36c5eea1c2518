import type { NodeName } from "@/server/domain/ids";
import { Dropped } from "./drops";

/**
 * How many reports are read and parsed at once, over all nodes and for each. What does not fit is told to come back: a fleet
 * that returns all together is served in turn, and one node cannot take the others' share.
 */
export interface Gates {
  /** Runs `work` unless the node has a report under way already, has sent too many, or the server is full. */
  forNode<T>(node: NodeName, work: () => Promise<T>): Promise<T>;
  /** Waits for a place: parsing is what takes memory and time. Bounded by the reports that are under way. */
  forParsing<T>(work: () => Promise<T>): Promise<T>;
  underWay(): number;
}

/** Times MAX_BODY_BYTES is the most that bodies hold in memory. */
export const MAX_UNDER_WAY = 64;
const MAX_PARSING = 2;
const RETRY_AFTER_SECONDS = 2;
/** A buffer of six hours at the shortest usual period may come at once; after that, one report a second. */
const BURST = 1_500;
const REFILL_PER_SECOND = 1;

export function createGates(nowMs: () => number): Gates {
  const busy = new Set<NodeName>();
  const budgets = new Map<NodeName, { left: number; atMs: number }>();
  const waiting: (() => void)[] = [];
  let parsing = 0;

  const spend = (node: NodeName): boolean => {
    const now = nowMs();
    const before = budgets.get(node) ?? { left: BURST, atMs: now };
    const left = Math.min(BURST, before.left + (Math.max(0, now - before.atMs) / 1000) * REFILL_PER_SECOND);
    budgets.set(node, { left: left >= 1 ? left - 1 : left, atMs: now });
    return left >= 1;
  };

  return {
    forNode: async (node, work) => {
      if (busy.has(node)) throw new Dropped("busy", "a report of this node is under way", RETRY_AFTER_SECONDS);
      if (busy.size >= MAX_UNDER_WAY) throw new Dropped("busy", `${String(MAX_UNDER_WAY)} reports are under way`, RETRY_AFTER_SECONDS);
      if (!spend(node)) throw new Dropped("busy", "this node sends too many reports", RETRY_AFTER_SECONDS);
      busy.add(node);
      try {
        return await work();
      } finally {
        busy.delete(node);
      }
    },
    forParsing: async (work) => {
      while (parsing >= MAX_PARSING) await new Promise<void>((resolve) => waiting.push(resolve));
      parsing += 1;
      try {
        return await work();
      } finally {
        parsing -= 1;
        waiting.shift()?.();
      }
    },
    underWay: () => busy.size,
  };
}
