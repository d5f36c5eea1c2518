import path from "node:path";
import { createDesk, DeskError, type Desk } from "../agent/actions/desk";
import { openJournal } from "../agent/actions/journal";
import { takeOrders } from "../agent/actions/worker";
import { createLine } from "../agent/line";
import { sleep } from "../agent/sender";
import type { Clock } from "../clock";
import type { NodeAction } from "../domain/actions/work-order";
import type { AgentReport } from "../domain/agent-report";
import type { Log } from "../log";
import type { NodeModel } from "./model/node";
import { modelSite } from "./site";

export interface OrdersOptions {
  readonly actions: readonly NodeAction[];
  /** Where the agents of a simulated cluster remember what was ordered, a folder each. */
  readonly stateDir: string;
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
  /** The newest report of this agent. */
  readonly last: () => AgentReport | undefined;
}

/** The part of one simulated agent that takes orders; it lives and ends with its node. */
export interface OrderTaker {
  begin(): void;
  end(): void;
}

const GONE_RETRY_MS = 1_000;

/**
 * The agent's own code asks for orders, checks and remembers them, and does what they say; the node that it does it to is the model.
 * A node that loses its power takes its agent with it: the next one finds what was begun on the disk, as a real one would.
 */
export function orderTaker(node: NodeModel, options: OrdersOptions, context: { readonly clock: Clock; readonly log: Log; readonly random: () => number }): OrderTaker {
  const { clock, log, random } = context;
  const name = node.parameters.name;
  let life: AbortController | undefined;

  const live = async (signal: AbortSignal): Promise<void> => {
    const journal = await openJournal(path.join(options.stateDir, name));
    const line = createLine({ ca: () => Promise.resolve({ text: options.caPem, changed: false }), token: () => Promise.resolve({ text: options.token }) });
    const desk = createDesk({ url: options.url, line }, clock, signal);
    try {
      await takeOrders({ node: name, actions: options.actions, site: modelSite(node), desk: heardOnly(desk, node, clock, signal), reporter: { last: options.last }, clock, log, signal, random }, journal);
    } finally {
      line.close();
    }
  };
  return {
    begin: () => {
      if (life !== undefined) return;
      const { signal } = (life = new AbortController());
      live(signal).catch((err: unknown) => {
        if (!signal.aborted) log.error({ err, node: name }, "a simulated agent takes no orders any more");
      });
    },
    end: () => {
      life?.abort();
      life = undefined;
    },
  };
}

/** Nothing reaches a node that is cut off, and nothing that it says is heard. */
function heardOnly(desk: Desk, node: NodeModel, clock: Clock, signal: AbortSignal): Desk {
  const heard = <T>(answer: T): T => {
    if (node.silent) throw new DeskError("the node is cut off", "later");
    return answer;
  };
  return {
    ...desk,
    ask: async () => {
      while (node.silent && !signal.aborted) await sleep(clock, GONE_RETRY_MS, signal);
      return heard(await desk.ask());
    },
    tell: async (told, wantPods) => {
      heard(undefined);
      return heard(await desk.tell(told, wantPods));
    },
  };
}
