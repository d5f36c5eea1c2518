"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Timeline } from "@/server/contract/schemas";
import { fetchJson } from "@/components/live/fetch-json";
import { useServerClock } from "@/components/live/live-provider";
import { QUERY_KEYS } from "@/components/live/queries";
import { formatCount } from "@/components/format/numbers";
import { sparkOf } from "./spark-geometry";
import { lookOf, type FleetRow } from "./model";

const SPAN_MS = 3_600_000;
/** As many as an hour has samples of the fastest source. */
const POINTS = 240;
const REFRESH_MS = 60_000;

/** Pods waiting on one node in the last hour; hatched where nobody could count. */
export function Spark({ row }: { readonly row: FleetRow }) {
  const clock = useServerClock();
  const { data } = useQuery({
    queryKey: QUERY_KEYS.spark(row.name),
    queryFn: ({ signal }) => {
      const to = Math.round(clock.now());
      return fetchJson<Timeline>(`/api/v1/nodes/${encodeURIComponent(row.name)}/timeline?from=${to - SPAN_MS}&to=${to}&signals=pods.waiting&points=${POINTS}`, signal);
    },
    refetchInterval: REFRESH_MS,
  });
  const spark = useMemo(() => (data === undefined ? undefined : sparkOf(data)), [data]);
  if (spark === undefined) return <span className="spark" aria-hidden="true" />;
  const fill = lookOf(row) === "no" ? "var(--bad-fill)" : lookOf(row) === "risk" ? "var(--warn-fill)" : "var(--ink-faint)";
  return (
    <svg className="spark ln" viewBox="0 0 100 28" preserveAspectRatio="none" role="img" aria-label={spark.most === undefined ? "No count in the last hour" : `Pods waiting in the last hour: at most ${formatCount(spark.most)}`}>
      {spark.gaps.map((gap) => (
        <path key={gap.from} d={gap.hatch} stroke="var(--unknown-fill)" style={{ strokeWidth: 1 }} />
      ))}
      {spark.areas.map((area) => (
        <path key={area} className="area" d={area} style={{ "--af": fill }} />
      ))}
      {spark.lines.map((line) => (
        <path key={line} d={line} stroke={fill} style={{ strokeWidth: 1.5 }} />
      ))}
    </svg>
  );
}
