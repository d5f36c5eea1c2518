import type { ClusterChange } from "../../domain/cluster-changes";
import type { Incident, IncidentEntry, KeepStretch } from "../../domain/incident/types";
import { MAX_INCIDENTS_READ, type IncidentPeople, type IncidentQuery, type IncidentRow, type IncidentWhole, type Reader } from "../types";
import type { Query } from "./source";

interface Row {
  readonly seq: number;
  readonly json: string;
  readonly title: string | null;
  readonly titled_by: string | null;
  readonly titled_ms: number | null;
  readonly acknowledged_by: string | null;
  readonly acknowledged_ms: number | null;
  readonly notes: number;
}

const ROWS = `SELECT incident.seq, incident.json, title, titled_by, titled_ms, acknowledged_by, acknowledged_ms, (SELECT count(*) FROM incident_note WHERE incident_note.incident = incident.id) AS notes
  FROM incident LEFT JOIN incident_people ON incident_people.incident = incident.id`;

function toRow(row: Row): IncidentRow {
  const people: IncidentPeople = {
    ...(row.title === null ? {} : { title: { text: row.title, by: row.titled_by ?? "", atMs: row.titled_ms ?? 0 } }),
    ...(row.acknowledged_by === null ? {} : { acknowledged: { by: row.acknowledged_by, atMs: row.acknowledged_ms ?? 0 } }),
    notes: row.notes,
  };
  return { seq: row.seq, incident: JSON.parse(row.json) as Incident, people }; // written by the ingest from an Incident
}

export function readIncidents(query: Query, asked: IncidentQuery): ReturnType<Reader["incidents"]> {
  const limit = Math.min(Math.max(1, Math.floor(asked.limit)), MAX_INCIDENTS_READ);
  const states = asked.states;
  if (states.length === 0) return { rows: [], truncated: false };
  const conditions = [`state IN (${states.map(() => "?").join(", ")})`, "id < ?"];
  const values: (string | number)[] = [...states, asked.beforeId ?? Number.MAX_SAFE_INTEGER];
  if (asked.node !== undefined) {
    conditions.push("node = ?");
    values.push(asked.node);
  } else if (asked.members !== true) conditions.push("fleet IS NULL");
  const found = query.all<Row>(`${ROWS} WHERE ${conditions.join(" AND ")} ORDER BY id DESC LIMIT ?`, ...values, limit + 1);
  return { rows: found.slice(0, limit).map(toRow), truncated: found.length > limit };
}

export function readIncident(query: Query, id: number): IncidentWhole | undefined {
  const row = query.one<Row>(`${ROWS} WHERE id = ? AND state <> 'watched'`, id);
  if (row === undefined) return undefined;
  return {
    ...toRow(row),
    entries: query
      .all<{ at_ms: number; kind: string; text: string; detail: string | null }>("SELECT at_ms, kind, text, detail FROM incident_entry WHERE incident = ? ORDER BY ordinal", id)
      .map((one): IncidentEntry => ({ atMs: one.at_ms, kind: one.kind as IncidentEntry["kind"], text: one.text, ...(one.detail === null ? {} : { detail: one.detail }) })), // written from an IncidentEntry
    notes: query.all<{ id: number; at_ms: number; by: string; text: string }>("SELECT id, at_ms, by, text FROM incident_note WHERE incident = ? ORDER BY id", id).map((note) => ({ id: note.id, atMs: note.at_ms, by: note.by, text: note.text })),
    members: query.all<Row>(`${ROWS} WHERE fleet = ? AND state <> 'watched' ORDER BY id LIMIT ?`, id, MAX_INCIDENTS_READ).map(toRow),
    kept: query.all<KeepStretch>("SELECT incident, node, from_ms AS fromMs, to_ms AS toMs FROM incident_kept WHERE incident = ? ORDER BY from_ms", id),
  };
}

export function openIncidents(query: Query): ReturnType<Reader["openIncidents"]> {
  const row = query.one<{ open: number; blocking: number }>("SELECT count(*) AS open, coalesce(sum(json_extract(json, '$.severity') = 'blocks'), 0) AS blocking FROM incident WHERE state IN ('open', 'unknown', 'recovering') AND fleet IS NULL");
  return { open: row?.open ?? 0, blocking: row?.blocking ?? 0 };
}

export function changedIncidents(query: Query, sinceSeq: number): readonly number[] {
  return query.column<number>(
    `SELECT id FROM incident WHERE seq > ? AND state <> 'watched' UNION SELECT incident FROM incident_people WHERE seq > ? ORDER BY 1 DESC LIMIT ${MAX_INCIDENTS_READ}`,
    sinceSeq,
    sinceSeq,
  );
}

/** The newest of them, oldest first. */
export function clusterChanges(query: Query, { node, fromMs, toMs, limit }: Parameters<Reader["clusterChanges"]>[0]): readonly ClusterChange[] {
  return query
    .all<{ at_ms: number; node: string | null; kind: string; subject: string; text: string; diff: string | null }>(
      "SELECT at_ms, node, kind, subject, text, diff FROM cluster_change WHERE (node = ? OR node IS NULL) AND at_ms >= ? AND at_ms <= ? ORDER BY at_ms DESC, id DESC LIMIT ?",
      node, fromMs, toMs, Math.min(Math.max(1, limit), MAX_INCIDENTS_READ),
    )
    .reverse()
    .map((row): ClusterChange => ({ atMs: row.at_ms, kind: row.kind as ClusterChange["kind"], subject: row.subject, text: row.text, ...(row.node === null ? {} : { node: row.node }), ...(row.diff === null ? {} : { diff: row.diff }) })); // written from a ClusterChange
}
