import type { QueryClient } from "@tanstack/react-query";
import type { Fleet } from "@/server/contract/schemas";
import { fetchJson } from "@/components/live/fetch-json";
import { QUERY_KEYS } from "@/components/live/queries";
import type { FleetModel } from "./model";
import { toModel } from "./to-model";

/** The fleet from the API. Nodes that the stream has brought further in the meantime stay as the stream told them. */
export async function readFleet(client: QueryClient, signal: AbortSignal): Promise<FleetModel> {
  const fetched = toModel(await fetchJson<Fleet>("/api/v1/fleet", signal));
  return newerOf(client.getQueryData<FleetModel>(QUERY_KEYS.fleet), fetched);
}

/** Both know the past; only the one with the higher number knows the present. */
export function newerOf(held: FleetModel | undefined, fetched: FleetModel): FleetModel {
  if (held === undefined || held.seq <= fetched.seq) return fetched;
  return { ...held, history: fetched.history, ...(fetched.hourAgo === undefined ? {} : { hourAgo: fetched.hourAgo }) };
}
