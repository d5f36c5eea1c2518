/**
 * Numbers as words, the same in summaries, exports and pages: "4 min 10 s", "684 Mi", "220 pods", "119–298 s".
 * A unit always stands beside its number; an unknown number has no words here, so the caller must say why.
 */
const SECOND_MS = 1_000;
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
/** From here on a duration in minutes drops its seconds. */
const WHOLE_MINUTES_FROM_SECONDS = 600;

const two = (big: number, bigUnit: string, small: number, smallUnit: string): string => (small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`);

/**
 * Whole seconds, rounded down, in at most two units: "14 s", "4 min 10 s", "47 min", "1 h 5 min", "3 d 4 h".
 * A negative duration (two clocks that differ) reads "0 s".
 */
export function durationWords(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < MINUTE_SECONDS) return `${whole} s`;
  if (whole < WHOLE_MINUTES_FROM_SECONDS) return two(Math.floor(whole / MINUTE_SECONDS), "min", whole % MINUTE_SECONDS, "s");
  if (whole < HOUR_SECONDS) return `${Math.floor(whole / MINUTE_SECONDS)} min`;
  if (whole < DAY_SECONDS) return two(Math.floor(whole / HOUR_SECONDS), "h", Math.floor((whole % HOUR_SECONDS) / MINUTE_SECONDS), "min");
  return two(Math.floor(whole / DAY_SECONDS), "d", Math.floor((whole % DAY_SECONDS) / HOUR_SECONDS), "h");
}

/** The same for a span between two UTC milliseconds. */
export const spanWords = (fromMs: number, toMs: number): string => durationWords((toMs - fromMs) / SECOND_MS);

/** "02:26:04 UTC"; with the date before it where `nowMs` is on another day: "2026-11-30 02:26:04 UTC". */
export function instantWords(atMs: number, nowMs: number): string {
  const [day = "", rest = ""] = new Date(atMs).toISOString().split("T");
  const [today = ""] = new Date(nowMs).toISOString().split("T");
  const time = `${rest.slice(0, 8)} UTC`;
  return day === today ? time : `${day} ${time}`;
}

/** "1 pod", "220 pods". The plural is the singular and an s unless given. */
export function countWords(count: number, singular: string, plural = `${singular}s`): string {
  return `${numberWords(count)} ${count === 1 ? singular : plural}`;
}

/** Thousands apart by a comma, as English reads them; fractions are kept to `decimals` places and lose trailing zeros. */
export function numberWords(value: number, decimals = 0): string {
  const fixed = value.toFixed(decimals);
  const [whole = "", fraction] = fixed.split(".");
  const sign = whole.startsWith("-") ? "-" : "";
  const digits = sign ? whole.slice(1) : whole;
  let grouped = "";
  for (let end = digits.length; end > 0; end -= 3) grouped = digits.slice(Math.max(0, end - 3), end) + (grouped ? `,${grouped}` : "");
  let kept = fraction ?? "";
  while (kept.endsWith("0")) kept = kept.slice(0, -1);
  return kept ? `${sign}${grouped}.${kept}` : `${sign}${grouped}`;
}

/** Seconds of a bucket's edge: three significant digits below 100, whole from there: "0.005", "1.95", "119". */
function edgeWords(seconds: number): string {
  if (seconds >= 100) return numberWords(Math.round(seconds));
  return String(Number(seconds.toPrecision(3)));
}

/**
 * A percentile that a histogram only knows to a bucket: "119–298 s"; "> 745 s" where it lies above the last edge
 * (`highSeconds` absent or infinite); "2 s" where both edges read the same.
 */
export function rangeWords(lowSeconds: number, highSeconds?: number): string {
  if (highSeconds === undefined || !Number.isFinite(highSeconds)) return `> ${edgeWords(lowSeconds)} s`;
  const low = edgeWords(lowSeconds);
  const high = edgeWords(highSeconds);
  return low === high ? `${high} s` : `${low}–${high} s`;
}

const BYTE_UNITS = ["B", "Ki", "Mi", "Gi", "Ti", "Pi"] as const;

/** Binary units as Kubernetes writes them, one decimal below 10: "684 Mi", "1.5 Gi", "512 B". */
export function bytesWords(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  // 1023.7 Mi would read "1,024 Mi": the next unit says it better.
  if (Math.round(value) === 1024 && unit < BYTE_UNITS.length - 1) {
    value = 1;
    unit += 1;
  }
  return `${numberWords(value, unit > 0 && value < 10 ? 1 : 0)} ${BYTE_UNITS[unit] ?? "Pi"}`;
}

/** "100m CPU" below one core, "2 CPU", "1.5 CPU" above. */
export function coresWords(cores: number): string {
  return cores < 1 ? `${numberWords(cores * 1000)}m CPU` : `${numberWords(cores, 2)} CPU`;
}

/** A ratio as a percentage: "100 %", "96 %", "0.4 %" below one per cent, so that a little is never "0 %". */
export function shareWords(ratio: number): string {
  const percent = ratio * 100;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  return `${numberWords(percent, percent > 0 && percent < 1 ? 1 : 0)} %`;
}

/** "a", "a and b", "a, b and c"; beyond `most` the rest is counted: "a, b and 3 more". */
export function listWords(items: readonly string[], most = 3): string {
  const shown = items.slice(0, most);
  const rest = items.length - shown.length;
  if (rest > 0) return `${shown.join(", ")} and ${rest} more`;
  const last = shown.at(-1) ?? "";
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(", ")} and ${last}`;
}

/** One line of text from the cluster, cut to `most` characters with "…"; control characters become spaces. */
export function lineWords(text: string, most: number): string {
  let line = "";
  for (const char of text.slice(0, most * 2)) line += char < " " || char === "\u007f" ? " " : char;
  line = line.trim();
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line;
}
