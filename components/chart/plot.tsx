"use client";

import { memo, useMemo } from "react";
import { Area, ComposedChart, Line, XAxis, YAxis } from "recharts";
import type { Grid } from "./geometry/grid";
import type { Window } from "./geometry/range";
import type { ChartPanel, PanelSeries } from "./panels/types";

type Row = Record<string, number | readonly [number, number] | null>;

const MARGIN = { top: 0, right: 0, bottom: 0, left: 0 } as const;
const BAND_OPACITY = 0.26;
const AREA_OPACITY = 0.13;
const SPREAD_OPACITY = 0.22;

/**
 * The lines and bands of one chart. Axes, gaps, limits, labels and the cursor are drawn around it: they belong to every
 * row alike, and must not make this render.
 */
export const Plot = memo(function Plot({ panel, grid, window, width }: { readonly panel: ChartPanel; readonly grid: Grid; readonly window: Window; readonly width: number }) {
  const data = useMemo(() => rowsOf(panel, grid), [panel, grid]);
  const spread = useMemo(() => panel.series.map(hasSpread), [panel]);
  if (width <= 0) return null;
  return (
    <ComposedChart width={width} height={panel.heightPx} data={data} margin={MARGIN} accessibilityLayer={false} className="plot">
      <XAxis dataKey="t" type="number" scale="linear" domain={[window.fromMs, window.toMs]} allowDataOverflow hide />
      <YAxis type="number" domain={[0, panel.scale.max]} allowDataOverflow hide />
      {panel.series.flatMap((series, index) => {
        const { token, width: strokeWidth, dash, area } = series.stroke;
        const colour = `var(--${token})`;
        const common = { isAnimationActive: false, connectNulls: false, dot: false, activeDot: false } as const;
        if (series.kind === "band") {
          return [<Area key={series.id} {...common} type="stepAfter" dataKey={`b${index}`} stroke={colour} strokeWidth={strokeWidth} {...(dash === undefined ? {} : { strokeDasharray: dash })} fill={colour} fillOpacity={dash === undefined ? BAND_OPACITY : 0.05} />];
        }
        return [
          spread[index] === true ? <Area key={`${series.id} spread`} {...common} type="linear" dataKey={`b${index}`} stroke="none" fill={colour} fillOpacity={SPREAD_OPACITY} /> : null,
          area === true ? <Area key={`${series.id} area`} {...common} type="linear" dataKey={`s${index}`} stroke="none" fill={colour} fillOpacity={AREA_OPACITY} /> : null,
          <Line key={series.id} {...common} type="linear" dataKey={`s${index}`} stroke={colour} strokeWidth={strokeWidth} {...(dash === undefined ? {} : { strokeDasharray: dash })} />,
        ];
      })}
    </ComposedChart>
  );
});

/** Columns in which minimum and maximum differ: a spike between two points stays visible. */
function hasSpread(series: PanelSeries): boolean {
  return series.kind === "line" && series.values.max.some((value, column) => value !== series.values.min[column]);
}

function rowsOf(panel: ChartPanel, grid: Grid): Row[] {
  return Array.from({ length: grid.count }, (_, column) => {
    const row: Row = { t: grid.fromMs + column * grid.stepMs };
    panel.series.forEach((series, index) => {
      if (series.kind === "line") {
        const low = series.values.min[column];
        const high = series.values.max[column];
        row[`s${index}`] = series.values.last[column] ?? null;
        row[`b${index}`] = low === undefined || high === undefined ? null : [low, high];
      } else {
        const low = series.low[column];
        row[`b${index}`] = low === undefined ? null : [low, series.high[column] ?? panel.scale.max];
      }
    });
    return row;
  });
}
