import type { Clock } from "../clock";
import { silentView } from "../domain/unknown-views";
import type { FleetRow, Reader } from "../store/types";

/** Longest silence of the collector, in real time, after which nothing it wrote is shown as an answer for now. */
export const MAX_COLLECTOR_SILENCE_MS = 60_000;

/**
 * The reader that every view, export and API answer goes through: while the collector is silent, each node is unknown
 * with that reason, whatever was written of it last.
 */
export function honestReader(reader: Reader, clock: Clock): Reader {
  const silentSince = (nowMs: number): number | undefined => {
    const status = reader.status();
    return status !== undefined && nowMs - status.atMs > MAX_COLLECTOR_SILENCE_MS * clock.rate ? status.atMs : undefined;
  };
  const honest = (rows: readonly FleetRow[]): readonly FleetRow[] => {
    const nowMs = clock.now();
    const sinceMs = silentSince(nowMs);
    return sinceMs === undefined ? rows : rows.map((row) => ({ ...row, view: silentView(row.view, sinceMs, nowMs) }));
  };
  return {
    ...reader,
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
  };
}
