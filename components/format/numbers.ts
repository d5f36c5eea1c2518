import { formatDuration } from "./time";

/** Latency in seconds: "12 ms", "1.4 s", "14 s", "4 min 10 s". */
export function formatSeconds(seconds: number, style: "long" | "short" = "long"): string {
  if (seconds === 0) return "0 s";
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1_000))} ms`;
  if (seconds < 10) return `${trim(seconds, 1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return formatDuration(seconds, style);
}

/**
 * A percentile that fell into one bucket of a histogram: "119–298 s". Without `high` it lies above the last bucket:
 * "> 745 s". Equal edges are one value.
 */
export function formatSecondsRange(low: number, high: number | undefined): string {
  if (high === undefined) return `> ${Math.round(low)} s`;
  if (low === high) return formatSeconds(low, "short");
  if (high < 1) return `${msText(low)}–${msText(high)} ms`;
  return `${secondsText(low)}–${secondsText(high)} s`;
}

const secondsText = (value: number): string => (value < 10 ? trim(value, value < 0.1 ? 2 : 1) : String(Math.round(value)));
const msText = (value: number): string => (value * 1_000 < 10 ? trim(value * 1_000, 1) : String(Math.round(value * 1_000)));

const KI = 1_024;

/** "684 Mi", "1.76 Gi", "4 Gi": the units in which limits are written. */
export function formatBytes(bytes: number): string {
  if (bytes >= KI ** 3) return `${trim(bytes / KI ** 3, 2)} Gi`;
  if (bytes >= KI ** 2) return `${Math.round(bytes / KI ** 2)} Mi`;
  if (bytes >= KI) return `${Math.round(bytes / KI)} Ki`;
  return `${bytes} B`;
}

/** "100m" below one core, "2" or "1.5" from there: as a manifest says it. */
export function formatCores(cores: number): string {
  return cores < 1 ? `${Math.round(cores * 1_000)}m` : trim(cores, 2);
}

/** A share of 1 as "61 %". Something that is not nothing never reads "0 %". */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 1) return "< 1 %";
  return `${Math.round(percent)} %`;
}

export function formatCount(value: number): string {
  return value.toLocaleString("en-GB").replaceAll(",", "\u202f");
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${formatCount(count)} ${count === 1 ? one : many}`;

/** At most `digits` decimals, without trailing zeros. */
function trim(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
