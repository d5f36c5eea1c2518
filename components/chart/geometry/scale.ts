/** A y axis from 0 to `max`, with its ticks; values in the unit of the series. */
export interface Scale {
  readonly max: number;
  /** Ascending; the first is 0. */
  readonly ticks: readonly number[];
}

const COUNT_STEPS = [1, 2, 5] as const;
/** Lengths of time that people read at a glance, seconds. */
const SECOND_STEPS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400] as const;
const MEBI = 1_048_576;
const MOST_TICKS = 4;

export type AxisUnit = "count" | "seconds" | "bytes" | "ratio";

/** The smallest round axis that holds `highest`, with three to five ticks. A share always ends at 1. */
export function axisFor(unit: AxisUnit, highest: number): Scale {
  if (unit === "ratio") return { max: 1, ticks: [0, 0.5, 1] };
  const top = Math.max(highest, SMALLEST_TOP[unit]);
  const step = stepFor(unit, top);
  const count = Math.max(1, Math.ceil(top / step - 1e-9));
  return { max: count * step, ticks: Array.from({ length: count + 1 }, (_, index) => clean(index * step)) };
}

const SMALLEST_TOP = { count: 4, seconds: 0.02, bytes: 4 * MEBI } as const;

function stepFor(unit: Exclude<AxisUnit, "ratio">, top: number): number {
  const fits = (step: number): boolean => top / step <= MOST_TICKS;
  if (unit === "seconds") return SECOND_STEPS.find(fits) ?? top / MOST_TICKS;
  const base = unit === "bytes" ? MEBI : 1;
  const factors = unit === "bytes" ? [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] : COUNT_STEPS;
  const scale = unit === "bytes" ? 1_024 : 10;
  for (let power = 1; power < scale ** 6; power *= scale) {
    const found = factors.map((factor) => factor * power * base).find(fits);
    if (found !== undefined) return found;
  }
  return top / MOST_TICKS;
}

const clean = (value: number): number => Number(value.toPrecision(15));

/** Position of a value from the top of the plot, as a share of its height; kept inside. */
export const shareFromTop = (value: number, scale: Scale): number => 1 - Math.min(1, Math.max(0, value / scale.max));

/** Position of an instant from the left, as a share of the width; not kept inside. */
export const shareOf = (atMs: number, window: { readonly fromMs: number; readonly toMs: number }): number => (atMs - window.fromMs) / (window.toMs - window.fromMs);
