import type { Acknowledged, IncidentDetail, IncidentList } from "@/server/contract/incidents";
import { fetchJson, postJson } from "@/components/live/fetch-json";

/** Closed incidents of one page of the list. */
export const INCIDENTS_SHOWN = 50;

export type ListState = "open" | "closed" | "all";
export interface ListQuery {
  readonly state: ListState;
  /** The last number of the page before. */
  readonly before?: number;
}

/** All begin with "incidents", by which the stream makes them old. */
export const INCIDENT_KEYS = {
  list: ({ state, before }: ListQuery) => ["incidents", "list", state, before ?? "newest"] as const,
  one: (id: number) => ["incidents", "one", id] as const,
  chart: (id: number) => ["incidents", "chart", id] as const,
} as const;

export const readIncidents = ({ state, before }: ListQuery, signal?: AbortSignal): Promise<IncidentList> => fetchJson(`/api/v1/incidents?state=${state}&limit=${INCIDENTS_SHOWN}${before === undefined ? "" : `&before=${before}`}`, signal);
export const readIncident = (id: number, signal?: AbortSignal): Promise<IncidentDetail> => fetchJson(`/api/v1/incidents/${id}`, signal);
export const acknowledge = (id: number): Promise<Acknowledged> => postJson(`/api/v1/incidents/${id}/acknowledge`, {});
export const addNote = (id: number, text: string): Promise<unknown> => postJson(`/api/v1/incidents/${id}/notes`, { text });
export const setTitle = (id: number, title: string): Promise<unknown> => postJson(`/api/v1/incidents/${id}/title`, { title });
