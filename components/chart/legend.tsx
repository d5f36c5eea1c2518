"use client";

import { columnAt, type Grid } from "./geometry/grid";
import { useCursorMs } from "./cursor";
import type { ChartPanel, PanelSeries } from "./panels/types";

/** Series, value at the cursor, value now: what a chart says, as a table. */
export function Legend({ panel, grid }: { readonly panel: ChartPanel; readonly grid: Grid }) {
  return (
    <table className="leg">
      <caption>{panel.title}</caption>
      <thead className="sr">
        <tr>
          <th scope="col">Series</th>
          <th scope="col">At the cursor</th>
          <th scope="col">Now</th>
        </tr>
      </thead>
      <tbody>
        {panel.series.map((series) => (
          <tr key={series.id}>
            <th scope="row">
              <Key stroke={series.stroke} />
              {series.label}
            </th>
            <td className="cur">
              <AtCursor series={series} grid={grid} />
            </td>
            <td className={toneOf(series.now)}>{series.now}</td>
          </tr>
        ))}
        {panel.limits.map((limit) => (
          <tr key={limit.label}>
            <th scope="row">
              <span className="key d" style={{ borderColor: "var(--limit)" }} />
              {panel.unit === "seconds" ? "Deadline" : "Limit"}
            </th>
            <td colSpan={2}>{limit.text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function AtCursor({ series, grid }: { readonly series: PanelSeries; readonly grid: Grid }) {
  const at = useCursorMs();
  const column = at === undefined ? undefined : columnAt(grid, at);
  if (column === undefined) return null;
  const text = series.textAt(column);
  return <span className={toneOf(text)}>{text}</span>;
}

const toneOf = (text: string): string | undefined => (text === "no data" ? "nodata" : undefined);

function Key({ stroke }: { readonly stroke: PanelSeries["stroke"] }) {
  const weight = stroke.dash !== undefined ? "key d" : stroke.width < 1.5 ? "key t" : stroke.width > 2 ? "key b" : "key";
  return <span className={weight} style={{ borderColor: `var(--${stroke.token})` }} />;
}
