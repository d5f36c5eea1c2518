"use client";

import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo } from "react";
import { useShows } from "@/components/live/live-provider";
import { QUERY_KEYS } from "@/components/live/queries";
import { plural } from "@/components/format/numbers";
import { Instant, ZoneName } from "@/components/ui/instant";
import { Changes } from "./changes";
import { Counts } from "./counts";
import { EmptyFleet } from "./empty-fleet";
import { HeatMap } from "./heat-map";
import { HourBars } from "./hour-bars";
import { countFleet, type FleetModel } from "./model";
import { MAX_NEEDS, needsOf } from "./needs";
import { Needs } from "./needs-list";
import { NodeTable } from "./node-table";
import { readFleet } from "./read-fleet";
import { useView } from "./use-view";
import { byPool } from "./view-state";

/** History and the counts of an hour ago are read anew this often; nodes come over the stream. */
const REFRESH_MS = 300_000;

export function FleetPage({ initial }: { readonly initial: FleetModel }) {
  const query = useQuery<FleetModel>({
    queryKey: QUERY_KEYS.fleet,
    queryFn: ({ signal, client }) => readFleet(client, signal),
    initialData: initial,
    refetchInterval: REFRESH_MS,
  });
  const fleet = query.data;
  useShows(fleet.seq);
  // The map and the table may lag behind the counts by a frame; they never hold a frame up.
  const rows = useDeferredValue(fleet.rows);
  const [view, changeView] = useView();
  const counts = useMemo(() => countFleet(fleet.rows), [fleet.rows]);
  const needs = useMemo(() => needsOf(rows), [rows]);
  const pools = useMemo(() => byPool(rows), [rows]);
  return (
    <>
      <header className="q">
        <h1>Can each node start a pod now?</h1>
        <span className="small muted">
          {plural(counts.nodes, "node")} in {plural(pools.length, "pool")} · as of <Instant at={fleet.atMs} /> <ZoneName />
        </span>
      </header>
      {counts.nodes === 0 ? (
        <EmptyFleet />
      ) : (
        <>
          <section className="answers" aria-label="Answers">
            <Counts counts={counts} hourAgo={fleet.hourAgo} view={view} />
            <HourBars history={fleet.history} nowMs={fleet.atMs} />
          </section>
          <div className="cols">
            <Needs needs={needs} />
            <Changes changes={fleet.changes} beside={Math.min(needs.length, MAX_NEEDS)} />
          </div>
          <HeatMap pools={pools} nodes={counts.nodes} colour={view.colour} onColour={(colour) => changeView({ colour })} />
          <NodeTable rows={rows} pools={pools} view={view} onView={changeView} />
        </>
      )}
    </>
  );
}
