"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import type { IncidentList } from "@/server/contract/incidents";
import { plural } from "@/components/format/numbers";
import { useNow, useOnChange, useShows } from "@/components/live/live-provider";
import { useThrottled } from "@/components/node/use-throttled";
import { NothingHere } from "@/components/ui/nothing-here";
import { Table } from "@/components/ui/table";
import { INCIDENT_COLUMNS, IncidentRow } from "./incident-row";
import { matches } from "./incident-words";
import { INCIDENT_KEYS, readIncidents, type ListQuery, type ListState } from "./queries";

const REFRESH_AT_MOST_EVERY_MS = 2_000;
const COARSE_MS = 5_000;
const STATES: readonly { readonly state: ListState; readonly label: string }[] = [
  { state: "all", label: "All" },
  { state: "open", label: "Open" },
  { state: "closed", label: "Closed" },
];

/** What is wrong now, then what was. */
export function IncidentsPage({ initial, query, typed: firstTyped }: { readonly initial: IncidentList; readonly query: ListQuery; readonly typed: string }) {
  const now = useNow(COARSE_MS);
  const [typed, setTyped] = useState(firstTyped);
  const { data, error, refetch } = useQuery({ queryKey: INCIDENT_KEYS.list(query), queryFn: ({ signal }) => readIncidents(query, signal), initialData: initial, gcTime: 0 });
  useShows(undefined);
  const refresh = useThrottled(() => void refetch(), REFRESH_AT_MOST_EVERY_MS);
  useOnChange((message) => {
    if (message.incidents !== undefined && message.incidents.length > 0) refresh();
  });
  const type = (text: string): void => {
    setTyped(text);
    history.replaceState(history.state, "", hrefOf(query, text));
  };
  const shown = data.items.filter((incident) => matches(incident, typed));
  return (
    <>
      <header className="q">
        <h1>What broke, and is it over?</h1>
        <span className="small muted" role="status">
          {data.counts.open === 0 ? "Nothing is open" : `${plural(data.counts.open, "incident")} not over, ${data.counts.blocking} of them ${data.counts.blocking === 1 ? "keeps" : "keep"} pods from starting`}
        </span>
      </header>
      <div className="inc-filters">
        <nav className="seg" aria-label="Which incidents">
          {STATES.map(({ state, label }) => (
            <Link key={state} href={hrefOf({ state }, typed)} prefetch={false} {...(query.state === state ? { "aria-current": "page" as const } : {})}>
              {label}
            </Link>
          ))}
        </nav>
        <input className="input" type="search" aria-label="Filter by node, pool, title or cause" placeholder="Node, pool, title or cause" value={typed} onChange={(event) => type(event.target.value)} />
        {typed.trim() === "" ? null : (
          <span className="small muted" role="status">
            {shown.length} of {data.items.length} match
          </span>
        )}
      </div>
      {error === null ? null : (
        <p className="banner is-warn" role="alert">
          <b>The list could not be read anew.</b> {error.message} What you see is from before.
        </p>
      )}
      {shown.length === 0 ? <Nothing any={data.items.length > 0} state={query.state} /> : <IncidentsTable items={shown} nowMs={now} />}
      <p className="pad inc-pages">
        {query.before === undefined ? null : (
          <Link className="btn btn-sm" href={hrefOf({ state: query.state }, typed)} prefetch={false}>
            Newest
          </Link>
        )}
        {data.truncated ? (
          <Link className="btn btn-sm" href={hrefOf({ state: "closed", before: data.items.at(-1)?.id ?? 1 }, typed)} prefetch={false}>
            Older
          </Link>
        ) : null}
      </p>
    </>
  );
}

function hrefOf({ state, before }: ListQuery, typed: string): string {
  const query = new URLSearchParams({ ...(state === "all" ? {} : { state }), ...(before === undefined ? {} : { before: String(before) }), ...(typed.trim() === "" ? {} : { q: typed }) }).toString();
  return query === "" ? "/incidents" : `/incidents?${query}`;
}

function Nothing({ any, state }: { readonly any: boolean; readonly state: ListState }) {
  return (
    <NothingHere
      title={any ? "No incident matches" : state === "open" ? "No incident is open" : "There was no incident yet"}
      why={
        any
          ? "Clear the filter to see all of them."
          : "An incident opens when something was measured that keeps a node from starting pods, or puts that at risk, and it lasts; or when a node's answer stays no. Closed ones are kept for 30 days."
      }
      ways={[any ? { href: "/incidents", label: "All incidents" } : { href: "/", label: "Open the fleet" }]}
    />
  );
}

function IncidentsTable({ items, nowMs }: { readonly items: IncidentList["items"]; readonly nowMs: number }) {
  return (
    <Table label="Incidents" columns={INCIDENT_COLUMNS} className="inc-tbl">
      {items.map((incident) => (
        <IncidentRow key={incident.id} incident={incident} nowMs={nowMs} />
      ))}
    </Table>
  );
}
