import type { Metadata } from "next";
import { IncidentsPage } from "@/components/incident/incidents-page";
import { INCIDENTS_SHOWN, type ListQuery } from "@/components/incident/queries";
import { requestContext } from "@/server/http/context";
import { readIncidents } from "@/server/services/incidents/read-incidents";

export const metadata: Metadata = { title: "Incidents" };
export const dynamic = "force-dynamic";

export default async function Page({ searchParams }: { readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>> }) {
  const asked = await searchParams;
  const query = queryOf(one(asked["state"]), one(asked["before"]));
  const initial = await readIncidents({ ctx: await requestContext(), input: { state: query.state, limit: INCIDENTS_SHOWN, beforeId: query.before } });
  return <IncidentsPage key={`${query.state} ${query.before ?? ""}`} initial={initial} query={query} typed={(one(asked["q"]) ?? "").slice(0, MAX_TYPED_CHARS)} />;
}

const MAX_TYPED_CHARS = 200;
const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** What cannot be read is the whole list. */
function queryOf(state: string | undefined, before: string | undefined): ListQuery {
  return { state: state === "open" || state === "closed" ? state : "all", ...(before !== undefined && /^[1-9]\d{0,8}$/.test(before) ? { before: Number(before) } : {}) };
}
