import { fleetHistory, answerChanges } from "./reader/history";
import { EXCEPTIONS, toExceptions, type ExceptionRow } from "./exception-rows";
import { readEvents } from "./reader/events";
import { changedIncidents, clusterChanges, openIncidents, readIncident, readIncidents } from "./reader/incidents";
import { ReadSource, type Query } from "./reader/source";
import { readProgress } from "./reader/samples";
import { readTimeline } from "./reader/timeline";
import { viewFromJson } from "./view-json";
import type { CollectorStatus, FleetRow, Reader } from "./types";

/** Everybody's half of the store, over a connection that cannot write. Throws StoreError `missing` before the collector made the file. */
export function openReader({ file }: { readonly file: string }): Reader {
  const source = new ReadSource(file);
  return {
    get copyReason() {
      return source.copyReason;
    },
    fleet: (sinceSeq) => source.read((query) => readFleet(query, sinceSeq)),
    node: (name) => source.read((query) => rows(query.all<ViewRow>("SELECT seq, json FROM node_view WHERE node = ?", name))[0]),
    seq: () => source.read((query) => Number(query.one<{ value: string }>("SELECT value FROM meta WHERE key = 'seq'")?.value ?? 0)),
    names: () => source.read((query) => query.all<{ node: string }>("SELECT node FROM node_view ORDER BY node").map((row) => row.node)),
    status: () =>
      source.read((query) => {
        const row = query.one<{ json: string }>("SELECT json FROM collector_status WHERE id = 1");
        return row === undefined ? undefined : (JSON.parse(row.json) as CollectorStatus); // written by the ingest from a CollectorStatus
      }),
    timeline: (asked) => source.read((query) => readTimeline(query, asked)),
    events: (asked) => source.read((query) => readEvents(query, asked)),
    fleetHistory: (asked) => source.read((query) => fleetHistory(query, asked, readProgress(query))),
    answerChanges: (asked) => source.read((query) => answerChanges(query, asked)),
    incidents: (asked) => source.read((query) => readIncidents(query, asked)),
    incident: (id) => source.read((query) => readIncident(query, id)),
    openIncidents: () => source.read(openIncidents),
    changedIncidents: (sinceSeq) => source.read((query) => changedIncidents(query, sinceSeq)),
    clusterChanges: (asked) => source.read((query) => clusterChanges(query, asked)),
    exceptions: () => source.read((query) => toExceptions(query.all<ExceptionRow>(EXCEPTIONS))),
    close: () => source.close(),
  };
}

interface ViewRow {
  readonly seq: number;
  readonly json: string;
}

const rows = (found: readonly ViewRow[]): FleetRow[] => found.map((row) => ({ seq: row.seq, view: viewFromJson(row.json) }));

function readFleet(query: Query, sinceSeq: number | undefined): ReturnType<Reader["fleet"]> {
  const seq = Number(query.one<{ value: string }>("SELECT value FROM meta WHERE key = 'seq'")?.value ?? 0);
  // A number from after a backup was made means nothing in the restored file: tell everything.
  if (sinceSeq === undefined || sinceSeq > seq) return { rows: rows(query.all<ViewRow>("SELECT seq, json FROM node_view ORDER BY node")), gone: [], seq };
  return {
    rows: rows(query.all<ViewRow>("SELECT seq, json FROM node_view WHERE seq > ? ORDER BY node", sinceSeq)),
    gone: query.all<{ node: string }>("SELECT node FROM node_gone WHERE seq > ? ORDER BY node", sinceSeq).map((row) => row.node),
    seq,
  };
}
