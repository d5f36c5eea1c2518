"use client";

import { memo } from "react";
import { formatBytes, formatCount, formatSeconds, formatShare } from "@/components/format/numbers";
import { Instant } from "@/components/ui/instant";
import { GapBoxes } from "./gap-boxes";
import type { Grid } from "./geometry/grid";
import type { Window } from "./geometry/range";
import { shareFromTop, shareOf, type AxisUnit } from "./geometry/scale";
import { Legend } from "./legend";
import type { ChartPanel } from "./panels/types";
import { Plot } from "./plot";

const percent = (share: number): string => `${share * 100}%`;

/** One chart: its legend as a table in the gutter, its axis, its plot. */
export const ChartRow = memo(function ChartRow({ panel, grid, window, width }: { readonly panel: ChartPanel; readonly grid: Grid; readonly window: Window; readonly width: number }) {
  const { scale, unit } = panel;
  return (
    <div className="wb-row chart" role="group" aria-label={panel.title} style={{ "--h": `${panel.heightPx}px` }}>
      <div className="wb-g">
        <Legend panel={panel} grid={grid} />
      </div>
      <div className="wb-y" aria-hidden="true">
        {scale.ticks.map((tick, index) => (
          <span key={tick} className={index === 0 ? "b" : index === scale.ticks.length - 1 ? "t" : undefined} style={{ top: percent(shareFromTop(tick, scale)) }}>
            {tickText(tick, unit)}
          </span>
        ))}
      </div>
      <div className="wb-p">
        {scale.ticks.slice(1, -1).map((tick) => (
          <div key={tick} className="gl" style={{ top: percent(shareFromTop(tick, scale)) }} />
        ))}
        <div className="plot-box" aria-hidden="true">
          <Plot panel={panel} grid={grid} window={window} width={width} />
        </div>
        {panel.ceilings.map((ceiling) => {
          const left = Math.max(0, shareOf(ceiling.fromMs, window));
          return (
            <div key={ceiling.fromMs} className="ceil" style={{ left: percent(left), width: percent(Math.min(1, shareOf(ceiling.toMs, window)) - left), height: percent(shareFromTop(ceiling.from, scale)) }} title={`Above the last bucket of the histogram: ${ceiling.label}`}>
              <span className="tagl">{ceiling.label}</span>
            </div>
          );
        })}
        <GapBoxes gaps={panel.gaps} window={window} labelled />
        {panel.limits.map((limit) => (
          <div key={limit.label} className="lim" style={{ top: percent(shareFromTop(limit.value, scale)) }}>
            <span className="tagl" title={limit.title}>
              {limit.label}
            </span>
          </div>
        ))}
        {panel.oomKills
          .filter((at) => at >= window.fromMs && at <= window.toMs)
          .map((at) => (
            <div key={at} className="oom" style={{ left: percent(shareOf(at, window)) }}>
              <span className={shareOf(at, window) > 0.8 ? "tagl bad-t rev" : "tagl bad-t"}>
                OOM kill <Instant at={at} />
              </span>
            </div>
          ))}
        {panel.note === undefined ? null : <span className="tagl note">{panel.note}</span>}
      </div>
    </div>
  );
});

function tickText(value: number, unit: AxisUnit): string {
  if (unit === "ratio") return formatShare(value);
  if (value === 0) return "0";
  return unit === "bytes" ? formatBytes(value) : unit === "seconds" ? formatSeconds(value, "short") : formatCount(value);
}
