import type { ClusterChange } from "../../domain/cluster-changes";
import type { Incident } from "../../domain/incident/types";
import type { Db, Statement } from "../sqlite/connection";
import { FIVE_MINUTES_MS } from "../tiers";
import type { IncidentBatch } from "../types";

/** Longest text of an entry or a change, and longest diff, that is kept. */
export const MAX_ENTRY_CHARS = 1_000;
export const MAX_CHANGE_DIFF_CHARS = 8_192;

/** Incidents, and what changed in the cluster, in the transaction of the batch that they come from. */
export class IncidentWriter {
  readonly #save: Statement<[number, number, string, string | null, number | null, string, number, number | null, number | null, string]>;
  readonly #forget: Statement<[number]>;
  readonly #dropEntries: Statement<[number]>;
  readonly #next: Statement<[number], number>;
  readonly #entry: Statement<[number, number, number, string, string, string | null]>;
  readonly #keep: Statement<[number, string, number, number]>;
  readonly #change: Statement<[number, string | null, string, string, string, string | null]>;
  readonly #setMeta: Statement<[string]>;

  constructor(db: Db) {
    this.#save = db.prepare(`INSERT INTO incident (id, seq, scope, node, fleet, state, sign_ms, opened_ms, closed_ms, json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, node = excluded.node, fleet = excluded.fleet, state = excluded.state, sign_ms = excluded.sign_ms, opened_ms = excluded.opened_ms, closed_ms = excluded.closed_ms, json = excluded.json`);
    this.#forget = db.prepare("DELETE FROM incident WHERE id = ? AND state = 'watched'");
    this.#dropEntries = db.prepare("DELETE FROM incident_entry WHERE incident = ?");
    this.#next = db.prepare<[number], number>("SELECT coalesce(max(ordinal), 0) + 1 FROM incident_entry WHERE incident = ?").pluck();
    this.#entry = db.prepare("INSERT INTO incident_entry (incident, ordinal, at_ms, kind, text, detail) VALUES (?, ?, ?, ?, ?, ?)");
    // A stretch with the start of an older one replaces it: it grows while it lasts and is cut back at its end.
    this.#keep = db.prepare("INSERT INTO incident_kept (incident, node, from_ms, to_ms) VALUES (?, ?, ?, ?) ON CONFLICT (node, from_ms, incident) DO UPDATE SET to_ms = excluded.to_ms");
    this.#change = db.prepare("INSERT INTO cluster_change (at_ms, node, kind, subject, text, diff) VALUES (?, ?, ?, ?, ?, ?)");
    this.#setMeta = db.prepare("INSERT INTO meta (key, value) VALUES ('last_incident', ?) ON CONFLICT (key) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))");
  }

  /** Within the caller's transaction. */
  write(batch: IncidentBatch, seq: number): void {
    for (const id of batch.forgotten) this.#forget.run(id);
    let last = 0;
    for (const incident of batch.saved) {
      this.#saveOne(incident, seq);
      last = Math.max(last, incident.id);
    }
    if (last > 0) this.#setMeta.run(String(last)); // a number is used once, also where its incident is deleted later
    for (const id of batch.retold) this.#dropEntries.run(id);
    for (const { incident, atMs, kind, text, detail } of batch.entries) this.#entry.run(incident, this.#next.get(incident) ?? 1, atMs, kind, cut(text, MAX_ENTRY_CHARS), detail === undefined ? null : cut(detail, MAX_ENTRY_CHARS));
    for (const { incident, node, fromMs, toMs } of batch.kept) this.#keep.run(incident, node, Math.floor(fromMs / FIVE_MINUTES_MS) * FIVE_MINUTES_MS, Math.ceil(toMs / FIVE_MINUTES_MS) * FIVE_MINUTES_MS);
  }

  changes(changes: readonly ClusterChange[]): void {
    for (const { atMs, node, kind, subject, text, diff } of changes) this.#change.run(atMs, node ?? null, kind, subject, cut(text, MAX_ENTRY_CHARS), diff === undefined ? null : cut(diff, MAX_CHANGE_DIFF_CHARS));
  }

  #saveOne(incident: Incident, seq: number): void {
    const [node, fleet] = incident.scope === "node" ? [incident.node, incident.fleet ?? null] : [null, null];
    this.#save.run(incident.id, seq, incident.scope, node, fleet, incident.state, incident.signMs, incident.openedMs ?? null, incident.closedMs ?? null, JSON.stringify(incident));
  }
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** What a collector that starts goes on with: everything that is not closed, what closed lately enough to reopen, and their fleet incidents. */
export function loadIncidents(db: Db, closedSinceMs: number): { readonly items: readonly Incident[]; readonly lastId: number; readonly lastLookMs: number | undefined } {
  const items = db
    .prepare<[number, number], string>(
      `SELECT json FROM incident WHERE state <> 'closed' OR closed_ms >= ?
        OR fleet IN (SELECT id FROM incident WHERE scope = 'fleet' AND (state <> 'closed' OR closed_ms >= ?)) ORDER BY id`,
    )
    .pluck()
    .all(closedSinceMs, closedSinceMs)
    .map((json) => JSON.parse(json) as Incident); // written above from an Incident; the file's schema guards its shape
  const meta = (key: string): number | undefined => {
    const value = db.prepare<[string], string>("SELECT value FROM meta WHERE key = ?").pluck().get(key);
    return value === undefined ? undefined : Number(value);
  };
  return { items, lastId: meta("last_incident") ?? 0, lastLookMs: meta("last_ms") };
}
