import { formatCount } from "@/components/format/numbers";
import { newest, type GridSeries } from "../geometry/grid";
import { axisFor } from "../geometry/scale";
import { highest, type TimelineSource } from "./source";
import type { ChartPanel, LineSeries, Stroke } from "./types";

const HEIGHT_PX = 122;

/** Pods that wait for a sandbox, and sandboxes that died. */
export function backlogPanel(source: TimelineSource): ChartPanel {
  const waiting = source.one("pods.waiting");
  const dead = source.one("sandbox.backlog");
  const deadReason = source.all("sandbox.backlog").length === 0 ? source.reason("sandbox.backlog") : undefined;
  return {
    id: "backlog",
    title: "Backlog",
    unit: "count",
    heightPx: HEIGHT_PX,
    scale: axisFor("count", highest(waiting.max, dead.max) ?? 0),
    series: [
      line("waiting", "Waiting pods", waiting, { token: "s-waiting", width: 2.25, area: true }),
      line("dead", "Dead sandboxes", dead, { token: "s-dead", width: 1.75 }),
    ],
    limits: [],
    gaps: source.gaps("api", [waiting]),
    ceilings: [],
    oomKills: [],
    ...(deadReason === undefined ? {} : { note: `Dead sandboxes: ${deadReason}` }),
  };
}

function line(id: string, label: string, values: GridSeries, stroke: Stroke): LineSeries {
  const text = (value: number | undefined): string => (value === undefined ? "no data" : formatCount(value));
  return { kind: "line", id, label, stroke, values, textAt: (column) => text(values.last[column]), now: text(newest(values.last)) };
}
