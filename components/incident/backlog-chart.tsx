"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { IncidentDetail } from "@/server/contract/incidents";
import type { Timeline } from "@/server/contract/schemas";
import { BACKLOG_POINTS, BACKLOG_SIGNALS, drawBacklog } from "@/components/chart/backlog/drawing";
import { BacklogFrame, BacklogKeys } from "@/components/chart/backlog/frame";
import { shareOf } from "@/components/chart/geometry/scale";
import { fetchJson } from "@/components/live/fetch-json";
import { INCIDENT_KEYS } from "./queries";

const EVERY_MS = 15_000;
const MOST_TICKS = 6;

/** What waited and what died, from an hour before the first sign; the line of the story that it stands beside is told by its letter. */
export function IncidentChart({ incident, node }: { readonly incident: IncidentDetail; readonly node: string }) {
  const window = useMemo(() => ({ fromMs: Date.parse(incident.from), toMs: Date.parse(incident.to) }), [incident.from, incident.to]);
  const { data, error } = useQuery({
    queryKey: INCIDENT_KEYS.chart(incident.id),
    queryFn: ({ signal }) => fetchJson<Timeline>(`/api/v1/nodes/${encodeURIComponent(node)}/timeline?${new URLSearchParams({ from: incident.from, to: incident.to, signals: BACKLOG_SIGNALS, points: String(BACKLOG_POINTS) }).toString()}`, signal),
    refetchInterval: incident.state === "closed" ? false : EVERY_MS,
  });
  const drawing = useMemo(() => (data === undefined ? undefined : drawBacklog(data, window)), [data, window]);
  return (
    <figure className="inc-chart">
      <figcaption>
        <span className="small">
          <BacklogKeys drawing={drawing} />
        </span>
        <span className="small muted">{pinsOf(incident).map(({ letter, what }) => `${letter} ${what}`).join(" · ")}</span>
      </figcaption>
      {error === null ? null : <p className="warn-t">The backlog could not be read. {error.message}</p>}
      <BacklogFrame drawing={drawing} window={window} lastly="at the end" mostTicks={MOST_TICKS}>
        {together(pinsOf(incident).map(({ letter, atMs }) => ({ letter, share: shareOf(atMs, window) }))).map(({ letter, share }) => (
          <div key={letter} className="rc-pin" style={{ left: `${share * 100}%` }}>
            <b>{letter}</b>
          </div>
        ))}
      </BacklogFrame>
    </figure>
  );
}

/** Pins closer than this lie on one another: they share one. */
const PIN_SHARE = 0.025;

function together(pins: readonly { readonly letter: string; readonly share: number }[]): readonly { readonly letter: string; readonly share: number }[] {
  const apart: { letter: string; share: number }[] = [];
  for (const pin of [...pins].sort((a, b) => a.share - b.share)) {
    const last = apart.at(-1);
    if (last !== undefined && pin.share - last.share < PIN_SHARE) last.letter += ` ${pin.letter}`;
    else apart.push({ ...pin });
  }
  return apart;
}

function pinsOf({ sign, opened, recovered, closed }: IncidentDetail): readonly { readonly letter: string; readonly what: string; readonly atMs: number }[] {
  const pin = (letter: string, what: string, at: string | undefined) => (at === undefined ? [] : [{ letter, what, atMs: Date.parse(at) }]);
  return [...pin("a", "first sign", sign), ...pin("b", "opened", opened), ...pin("c", "recovered", recovered), ...pin("d", "closed", closed)];
}
