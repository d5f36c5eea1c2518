import type { Gap } from "../geometry/gaps";
import type { GridSeries } from "../geometry/grid";
import type { Window } from "../geometry/range";
import type { AxisUnit, Scale } from "../geometry/scale";

/** How a series is drawn; told apart by hue, weight and dash. */
export interface Stroke {
  /** A token of the stylesheet: "s-waiting". */
  readonly token: string;
  readonly width: number;
  readonly dash?: string;
  /** Filled down to zero. */
  readonly area?: boolean;
}

interface SeriesBase {
  readonly id: string;
  readonly label: string;
  readonly stroke: Stroke;
  /** What the legend reads at a column of the grid; never "0" for what nobody told. */
  readonly textAt: (column: number) => string;
  readonly now: string;
}

export interface LineSeries extends SeriesBase {
  readonly kind: "line";
  readonly values: GridSeries;
}

/** A percentile known only to its bucket: `high` is missing where it lies above the last one. */
export interface BandSeries extends SeriesBase {
  readonly kind: "band";
  readonly low: readonly (number | undefined)[];
  readonly high: readonly (number | undefined)[];
}

export type PanelSeries = LineSeries | BandSeries;

export interface Limit {
  readonly value: number;
  readonly label: string;
  /** In the legend: "4 min". */
  readonly text: string;
  readonly title?: string;
}

export interface ChartPanel {
  readonly id: string;
  readonly title: string;
  readonly unit: AxisUnit;
  readonly heightPx: number;
  readonly scale: Scale;
  readonly series: readonly PanelSeries[];
  readonly limits: readonly Limit[];
  readonly gaps: readonly Gap[];
  /** Stretches above the last bucket, hatched from `from` to the top. */
  readonly ceilings: readonly (Window & { readonly from: number; readonly label: string })[];
  readonly oomKills: readonly number[];
  /** Said on the plot where there is nothing to draw, and why that is no gap. */
  readonly note?: string;
}

export interface StripLane {
  readonly id: string;
  readonly title: string;
  readonly subtitle: string;
  readonly runs: readonly (Window & { readonly tone: "ok" | "warn" | "bad" | "gap"; readonly words: string })[];
}
