import type { NodeView } from "../node-view";
import { podsSeen } from "../pods-seen";
import type { ActionReading } from "./types";

/**
 * What a verdict compares, out of a node's view. A signal that is not fresh is absent: it is not known, and never counted as 0.
 *
 * @param nowMs the moment of the reading, UTC ms
 */
export function actionReading(view: NodeView, nowMs: number): ActionReading {
  const fresh = (id: string): number | undefined => view.signals.find(({ signal, state }) => signal === id && state === "fresh")?.value;
  const backlog = fresh("sandbox.backlog");
  const dead = fresh("sandbox.dead");
  const throttledShare = fresh("daemon.cpu.throttled_share");
  return {
    atMs: nowMs,
    answer: view.answer.state,
    atRisk: view.answer.atRisk,
    oomKillsMs: view.daemons.flatMap(({ oomKillsMs }) => oomKillsMs),
    restarts: view.daemons.reduce((sum, { restarts }) => sum + restarts, 0),
    ...(podsSeen(view) ? { waiting: view.counts.waiting, stuck: view.counts.stuck } : {}),
    ...(backlog === undefined ? {} : { backlog }),
    ...(dead === undefined ? {} : { dead }),
    ...(throttledShare === undefined ? {} : { throttledShare }),
    ...(view.lastFreshMs === undefined ? {} : { lastFreshMs: view.lastFreshMs }),
  };
}
