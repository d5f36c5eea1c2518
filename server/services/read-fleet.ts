import { HOUR_MS } from "../domain/durations";
import type { Fleet } from "../contract/schemas";
import type { Ctx } from "./ctx";
import { iso } from "./iso";
import { summaryOut } from "./view-out";

/** Steps of the last hour in the fleet's history. */
const HISTORY_BUCKETS = 60;
/** Most changes of the last hour that are told. */
const MAX_CHANGES = 50;

/**
 * Every node with its answer, worst first, and how the fleet changed in the last hour. Source: the collector's views.
 * Unknown nodes are counted as unknown, at risk and idle ones as yes.
 */
export async function readFleet({ ctx }: { readonly ctx: Ctx }): Promise<Fleet> {
  const nowMs = ctx.clock.now();
  const { rows, seq } = ctx.reader.fleet();
  const status = ctx.reader.status();
  const nodes = rows.map((row) => summaryOut(row.view));
  const history = ctx.reader.fleetHistory({ fromMs: nowMs - HOUR_MS, toMs: nowMs, buckets: HISTORY_BUCKETS });
  const count = (is: (node: (typeof nodes)[number]) => boolean): number => nodes.filter(is).length;
  const sumSeen = (of: (counts: (typeof nodes)[number]["counts"]) => number): number => nodes.reduce((sum, { counts }) => sum + (counts.seen ? of(counts) : 0), 0);
  const no = count((node) => node.answer.state === "no");
  const unknown = count((node) => node.answer.state === "unknown");
  const first = history[0];
  return {
    ...(status === undefined ? {} : { cluster: { ...status.cluster } }),
    at: iso(nowMs),
    seq,
    counts: {
      nodes: nodes.length,
      no,
      unknown,
      yes: nodes.length - no - unknown,
      atRisk: count((node) => node.answer.state === "yes" && node.answer.atRisk),
      idle: count((node) => node.answer.state === "yes" && node.answer.idle),
      podsWaiting: sumSeen(({ waiting }) => waiting),
      podsWaitingSystem: sumSeen(({ waitingSystem }) => waitingSystem),
    },
    ...(first === undefined || first.known === 0 ? {} : { hourAgo: { no: first.no, unknown: first.unknown, yes: Math.max(0, first.known - first.no - first.unknown) } }),
    nodes,
    history: history.map((bucket) => ({ at: iso(bucket.atMs), no: bucket.no, unknown: bucket.unknown })),
    changes: ctx.reader
      .answerChanges({ fromMs: nowMs - HOUR_MS, limit: MAX_CHANGES })
      .map((change) => ({ node: change.node, at: iso(change.atMs), state: change.state, ...(change.before === undefined ? {} : { before: change.before }), atRisk: change.atRisk, summary: change.summary })),
  };
}
