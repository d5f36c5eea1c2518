import type { Fleet } from "@/server/contract/schemas";
import { byName, type AnswerState, type Change, type FleetModel } from "./model";
import { toRow } from "./to-row";

/** The API's fleet as the page keeps it. */
export function toModel(fleet: Fleet): FleetModel {
  return {
    ...(fleet.cluster === undefined ? {} : { cluster: fleet.cluster }),
    atMs: Date.parse(fleet.at),
    seq: fleet.seq,
    rows: fleet.nodes.map(toRow).sort(byName),
    ...(fleet.hourAgo === undefined ? {} : { hourAgo: fleet.hourAgo }),
    history: fleet.history.map((bucket) => ({ atMs: Date.parse(bucket.at), no: bucket.no, unknown: bucket.unknown })),
    changes: fleet.changes.map(
      (change): Change => ({
        node: change.node,
        atMs: Date.parse(change.at),
        state: asState(change.state),
        atRisk: change.atRisk,
        ...(change.before === undefined ? {} : { before: change.before }),
        summary: change.summary,
      }),
    ),
  };
}

/** A word that this build does not know is unknown, never healthy. */
const asState = (text: string): AnswerState => (text === "yes" || text === "no" ? text : "unknown");
