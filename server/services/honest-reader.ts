import type { Clock } from "../clock";
import { silentView } from "../domain/unknown-views";
import { durationWords } from "../domain/words";
import type { CollectorStatus, FleetRow, IncidentRow, Reader } from "../store/types";

/** Longest silence of the collector, in real time, after which nothing it wrote is shown as an answer for now. */
export const MAX_COLLECTOR_SILENCE_MS = 60_000;

/**
 * The reader that every view, export and API answer goes through: while the collector is silent, each node is unknown
 * with that reason, whatever was written of it last, and so is every incident that is not over. `unwritten`: the collector's status where
 * the store does not take it; it is told in place of the one that is stored, with the age of what is stored.
 */
export function honestReader(reader: Reader, clock: Clock, unwritten: () => CollectorStatus | undefined = () => undefined): Reader {
  const silentSince = (nowMs: number): number | undefined => {
    const status = reader.status();
    return status !== undefined && nowMs - status.atMs > MAX_COLLECTOR_SILENCE_MS * clock.rate ? status.atMs : undefined;
  };
  const honest = (rows: readonly FleetRow[]): readonly FleetRow[] => {
    const nowMs = clock.now();
    const sinceMs = silentSince(nowMs);
    return sinceMs === undefined ? rows : rows.map((row) => ({ ...row, view: silentView(row.view, sinceMs, nowMs) }));
  };
  const honestIncidents = <T extends IncidentRow>(rows: readonly T[]): readonly T[] => {
    const nowMs = clock.now();
    const sinceMs = silentSince(nowMs);
    return sinceMs === undefined ? rows : rows.map((row) => silentIncident(row, sinceMs, nowMs));
  };
  const status = (): CollectorStatus | undefined => {
    const stored = reader.status();
    const told = unwritten();
    if (told === undefined || (stored !== undefined && stored.atMs >= told.atMs)) return stored;
    return { ...told, atMs: stored?.atMs ?? told.startedMs };
  };
  return {
    ...reader,
    status,
    get copyReason() {
      return reader.copyReason;
    },
    fleet: (sinceSeq) => {
      const found = reader.fleet(sinceSeq);
      return { ...found, rows: honest(found.rows) };
    },
    node: (name) => {
      const found = reader.node(name);
      return found === undefined ? undefined : honest([found])[0];
    },
    incidents: (query) => {
      const found = reader.incidents(query);
      return { ...found, rows: honestIncidents(found.rows) };
    },
    incident: (id) => {
      const found = reader.incident(id);
      return found === undefined ? undefined : honestIncidents([{ ...found, members: honestIncidents(found.members) }])[0];
    },
  };
}

function silentIncident<T extends IncidentRow>(row: T, sinceMs: number, nowMs: number): T {
  if (row.incident.state === "closed" || row.incident.state === "unknown") return row;
  return { ...row, incident: { ...row.incident, state: "unknown", stateMs: Math.max(sinceMs, row.incident.stateMs) }, silent: `Unknown: Sandglass has written nothing for ${durationWords((nowMs - sinceMs) / 1_000)}.` };
}
