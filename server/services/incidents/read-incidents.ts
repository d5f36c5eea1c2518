import type { IncidentList } from "../../contract/incidents";
import type { NodeName } from "../../domain/ids";
import { MAX_INCIDENTS_READ, type IncidentRow } from "../../store/types";
import type { Ctx } from "../ctx";
import { iso } from "../iso";
import { incidentSummaryOut } from "./incident-out";

export const DEFAULT_INCIDENTS = 100;
const OPEN = ["open", "unknown", "recovering"] as const;
const RANK = { open: 0, unknown: 1, recovering: 2, closed: 3, watched: 4 } as const;

export interface ReadIncidentsInput {
  readonly state?: "open" | "closed" | "all" | undefined;
  readonly node?: NodeName | undefined;
  readonly limit?: number | undefined;
  /** The last number of the page before; only closed ones have pages. */
  readonly beforeId?: number | undefined;
}

/**
 * Incidents: those that are not over first (those that block before risks, then by how they stand, the newest first), then
 * closed ones, the newest first. Members of a fleet incident are told under it, not beside it, unless a node is asked for; one
 * whose nodes all went over to others is about nobody, and is not listed.
 */
export async function readIncidents({ ctx, input }: { readonly ctx: Ctx; readonly input: ReadIncidentsInput }): Promise<IncidentList> {
  const { reader } = ctx;
  const nowMs = ctx.clock.now();
  const state = input.state ?? "all";
  const limit = input.limit ?? DEFAULT_INCIDENTS;
  const of = input.node === undefined ? {} : { node: input.node };
  const open = state === "closed" || input.beforeId !== undefined ? [] : [...reader.incidents({ states: OPEN, ...of, limit: MAX_INCIDENTS_READ }).rows].sort(byGravity);
  const closed = state === "open" ? { rows: [], truncated: false } : reader.incidents({ states: ["closed"], ...of, limit, ...(input.beforeId === undefined ? {} : { beforeId: input.beforeId }) });
  return {
    at: iso(nowMs),
    seq: reader.seq(),
    counts: reader.openIncidents(),
    items: [...open, ...closed.rows].filter(isOfSomebody).map((row) => incidentSummaryOut(row, nowMs, row.incident.scope === "fleet" ? (reader.incident(row.incident.id)?.members ?? []) : [])),
    truncated: closed.truncated,
  };
}

const isOfSomebody = ({ incident }: IncidentRow): boolean => incident.scope === "node" || incident.members > 0;

function byGravity({ incident: a }: IncidentRow, { incident: b }: IncidentRow): number {
  return Number(a.severity === "risks") - Number(b.severity === "risks") || RANK[a.state] - RANK[b.state] || b.signMs - a.signMs || b.id - a.id;
}
