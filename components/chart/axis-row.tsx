"use client";

import { useMemo } from "react";
import { useZone } from "@/components/shell/prefs-provider";
import { formatClock, formatDay, zoneLabel } from "@/components/format/time";
import type { Window } from "./geometry/range";
import { shareOf } from "./geometry/scale";
import { timeTicks, zoneOffsetMs } from "./geometry/time-ticks";
import { useCursorMs } from "./cursor";

const TICK_PX = 96;
const DAY_MS = 86_400_000;
/** A tick this near to an end would run into it. */
const END_SHARE = 0.05;
/** The same in pixels, where the axis is short: half a tick's label and the end's own. */
const END_PX = 52;
const LEAST_PX = 400;

/** The one time axis. */
export function AxisRow({ window, width, live }: { readonly window: Window; readonly width: number; readonly live: boolean }) {
  const zone = useZone();
  const { ticks, stepMs } = useMemo(() => timeTicks(window, Math.max(2, Math.floor(width / TICK_PX)), zoneOffsetMs(window.toMs, zone)), [window, width, zone]);
  const label = (at: number): string => {
    const clock = formatClock(at, zone, "minute");
    return stepMs >= DAY_MS ? formatDay(at, zone) : clock === "00:00" ? formatDay(at, zone) : clock;
  };
  return (
    <div className="wb-row wb-axisrow">
      <div className="wb-g">
        <span>Time, {zoneLabel(zone)}</span>
        <span className="cur">
          <CursorClock />
        </span>
        <span className="end">{live ? "now" : "end"}</span>
      </div>
      <div className="wb-y" />
      <div className="wb-p" aria-hidden="true">
        {ticks
          .filter((at) => shareOf(at, window) < 1 - Math.max(END_SHARE, END_PX / Math.max(width, LEAST_PX)) && shareOf(at, window) > END_SHARE / 2)
          .map((at) => (
            <span key={at} style={{ left: `${shareOf(at, window) * 100}%` }}>
              {label(at)}
            </span>
          ))}
        <span className="end" style={{ left: "100%" }}>
          {live ? "now" : label(window.toMs)}
        </span>
      </div>
    </div>
  );
}

export function CursorClock() {
  const zone = useZone();
  const at = useCursorMs();
  return at === undefined ? null : <time dateTime={new Date(at).toISOString()}>{formatClock(at, zone)}</time>;
}
