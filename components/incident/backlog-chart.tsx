"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { IncidentDetail } from "@/server/contract/incidents";
import type { Timeline } from "@/server/contract/schemas";
import { drawRun } from "@/components/action/run/run-chart";
import { GapBoxes } from "@/components/chart/gap-boxes";
import { shareFromTop, shareOf } from "@/components/chart/geometry/scale";
import { timeTicks, zoneOffsetMs } from "@/components/chart/geometry/time-ticks";
import { formatCount } from "@/components/format/numbers";
import { formatClock } from "@/components/format/time";
import { fetchJson } from "@/components/live/fetch-json";
import { useZone } from "@/components/shell/prefs-provider";
import { INCIDENT_KEYS } from "./queries";

const EVERY_MS = 15_000;
const SIGNALS = "pods.waiting,sandbox.backlog";
const MOST_TICKS = 6;

/** What waited and what died, from an hour before the first sign; the line of the story that it stands beside is told by its letter. */
export function IncidentChart({ incident, node }: { readonly incident: IncidentDetail; readonly node: string }) {
  const zone = useZone();
  const window = useMemo(() => ({ fromMs: Date.parse(incident.from), toMs: Date.parse(incident.to) }), [incident.from, incident.to]);
  const { data, error } = useQuery({
    queryKey: INCIDENT_KEYS.chart(incident.id),
    queryFn: ({ signal }) => fetchJson<Timeline>(`/api/v1/nodes/${encodeURIComponent(node)}/timeline?${new URLSearchParams({ from: incident.from, to: incident.to, signals: SIGNALS, points: "240" }).toString()}`, signal),
    refetchInterval: incident.state === "closed" ? false : EVERY_MS,
  });
  const drawing = useMemo(() => (data === undefined ? undefined : drawRun(data, window)), [data, window]);
  return (
    <figure className="inc-chart">
      <figcaption>
        <span className="rc-keys small">
          <span className="rc-key waiting">{words(drawing?.waiting.now)} waiting</span>
          <span className="rc-key dead">{words(drawing?.dead.now)} dead</span>
        </span>
        <span className="small muted">{pinsOf(incident).map(({ letter, what }) => `${letter} ${what}`).join(" · ")}</span>
      </figcaption>
      {error === null ? null : <p className="warn-t">The backlog could not be read. {error.message}</p>}
      <div className="rc">
        <div className="rc-plot">
          {(drawing?.scale.ticks ?? []).map((tick) => (
            <div key={tick} className="rc-grid" style={{ top: `${shareFromTop(tick, drawing?.scale ?? { max: 1, ticks: [] }) * 100}%` }}>
              <span>{formatCount(tick)}</span>
            </div>
          ))}
          {drawing === undefined ? null : (
            <>
              <svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label={`Waiting pods and dead sandboxes; at the end ${words(drawing.waiting.now)} waiting, ${words(drawing.dead.now)} dead`}>
                {drawing.waiting.areas.map((path) => <path key={path} className="rc-area" d={path} />)}
                {drawing.waiting.lines.map((path) => <path key={path} className="rc-line waiting" d={path} />)}
                {drawing.dead.lines.map((path) => <path key={path} className="rc-line dead" d={path} />)}
              </svg>
              <GapBoxes gaps={drawing.gaps} window={window} labelled />
            </>
          )}
          {together(pinsOf(incident).map(({ letter, atMs }) => ({ letter, share: shareOf(atMs, window) }))).map(({ letter, share }) => (
            <div key={letter} className="rc-pin" style={{ left: `${share * 100}%` }}>
              <b>{letter}</b>
            </div>
          ))}
        </div>
        <div className="rc-x" aria-hidden="true">
          {timeTicks(window, MOST_TICKS, zoneOffsetMs(window.fromMs, zone)).ticks.map((tick) => (
            <span key={tick} style={{ left: `${shareOf(tick, window) * 100}%` }}>
              {formatClock(tick, zone, "minute")}
            </span>
          ))}
        </div>
      </div>
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

const words = (value: number | undefined): string => (value === undefined ? "no data" : formatCount(value));
