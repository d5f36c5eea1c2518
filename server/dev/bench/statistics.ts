/** The value below or at which the share `of` of the values lies (nearest rank). Throws where there is none: no data is no figure. */
export function percentile(values: readonly number[], of: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * of) - 1)];
  if (value === undefined) throw new Error("there is nothing to take a percentile of");
  return value;
}

export const smallest = (values: readonly number[]): number => percentile(values, 0);
export const largest = (values: readonly number[]): number => percentile(values, 1);
export const MIB = 2 ** 20;
/** As browsers and budgets count. */
export const KB = 1_000;
