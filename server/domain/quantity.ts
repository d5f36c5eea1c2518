/**
 * Kubernetes quantities ("100m", "1Gi", "1e3", "2"). Source: the serialisation format in the API's resource.Quantity.
 * Returns the number in the base unit (cores, bytes), `undefined` for anything that is not a quantity.
 */
const MULTIPLIERS: Readonly<Record<string, number>> = {
  "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
};
/** Divided by, since a product with 0.001 is off by the last bit: "700m" must be the same number as "0.7". */
const DIVISORS: Readonly<Record<string, number>> = { n: 1e9, u: 1e6, m: 1e3 };
const QUANTITY = /^([+-]?\d{1,18}(?:\.\d{0,18})?|[+-]?\.\d{1,18})(?:[eE]([+-]?\d{1,3})|(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E))?$/;

export function parseQuantity(text: string): number | undefined {
  const match = QUANTITY.exec(text);
  if (match === null) return undefined;
  const [, digits, exponent, suffix] = match;
  const divisor = DIVISORS[suffix ?? ""];
  const value = divisor === undefined ? Number(digits) * (exponent === undefined ? (MULTIPLIERS[suffix ?? ""] ?? Number.NaN) : 10 ** Number(exponent)) : Number(digits) / divisor;
  return Number.isFinite(value) ? value : undefined;
}

/** The shortest exact form that the API server itself would write: "4Gi", "256Mi", "1500Mi", bytes where nothing fits. */
export function memoryQuantity(bytes: number): string {
  for (const [suffix, factor] of [["Gi", 2 ** 30], ["Mi", 2 ** 20], ["Ki", 2 ** 10]] as const) {
    if (bytes >= factor && bytes % factor === 0) return `${bytes / factor}${suffix}`;
  }
  return String(bytes);
}

/** The same in a sentence, the unit apart from its number as everywhere on the pages: "4 Gi", "1500 Mi". */
export const memoryWords = (bytes: number): string => memoryQuantity(bytes).replace(/(?=[KMG]i$)/, " ");

/** "2", "100m". */
export function cpuQuantity(cores: number): string {
  const milli = Math.round(cores * 1_000);
  return milli % 1_000 === 0 ? String(milli / 1_000) : `${milli}m`;
}
