const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** What a timeline shows: a length that ends now and follows it, or two fixed instants. */
export type Range = { readonly kind: "live"; readonly lengthMs: number } | { readonly kind: "fixed"; readonly fromMs: number; readonly toMs: number };

export const PRESETS = [
  { label: "15 min", lengthMs: 15 * MINUTE_MS },
  { label: "1 h", lengthMs: HOUR_MS },
  { label: "6 h", lengthMs: 6 * HOUR_MS },
  { label: "24 h", lengthMs: DAY_MS },
  { label: "7 d", lengthMs: 7 * DAY_MS },
  { label: "30 d", lengthMs: 30 * DAY_MS },
] as const;

export const DEFAULT_RANGE: Range = { kind: "live", lengthMs: HOUR_MS };
/** Nothing shorter than four periods of the fastest source is worth a picture; nothing longer is kept. */
export const MIN_LENGTH_MS = MINUTE_MS;
export const MAX_LENGTH_MS = 31 * DAY_MS;

const RELATIVE = /^now-(\d{1,5})(m|h|d)$/;
const UNITS_MS = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const;

/** From `from` and `to` of a URL: "now-1h" and "now", or two instants. What cannot be read, or makes no range, is the default. */
export function parseRange(from: string | null | undefined, to: string | null | undefined): Range {
  const relative = RELATIVE.exec(from ?? "");
  const unit = relative?.[2];
  if (relative !== null && (unit === "m" || unit === "h" || unit === "d")) {
    return { kind: "live", lengthMs: clampLength(Number(relative[1]) * UNITS_MS[unit]) };
  }
  const fromMs = Date.parse(from ?? "");
  const toMs = Date.parse(to ?? "");
  if (!Number.isFinite(fromMs) || !Number.isFinite(toMs) || toMs - fromMs < MIN_LENGTH_MS || toMs - fromMs > MAX_LENGTH_MS) return DEFAULT_RANGE;
  return { kind: "fixed", fromMs, toMs };
}

/** The other way; the default range needs no words. */
export function formatRange(range: Range): { readonly from?: string; readonly to?: string } {
  if (range.kind === "fixed") return { from: isoSeconds(range.fromMs), to: isoSeconds(range.toMs) };
  if (range.lengthMs === (DEFAULT_RANGE.kind === "live" ? DEFAULT_RANGE.lengthMs : 0)) return {};
  const unit = range.lengthMs % DAY_MS === 0 ? "d" : range.lengthMs % HOUR_MS === 0 ? "h" : "m";
  return { from: `now-${Math.round(range.lengthMs / UNITS_MS[unit])}${unit}`, to: "now" };
}

/** Whole seconds: a link stays short enough to read out. */
const isoSeconds = (ms: number): string => new Date(Math.round(ms / 1_000) * 1_000).toISOString().replace(".000Z", "Z");

const clampLength = (ms: number): number => Math.min(MAX_LENGTH_MS, Math.max(MIN_LENGTH_MS, ms));

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

export function windowOf(range: Range, nowMs: number): Window {
  return range.kind === "fixed" ? { fromMs: range.fromMs, toMs: range.toMs } : { fromMs: nowMs - range.lengthMs, toMs: nowMs };
}

/** The range for a part of a window: never shorter than the shortest, and inside what came before `nowMs`. */
export function zoomTo(window: Window, fromShare: number, toShare: number, nowMs: number): Range {
  const length = window.toMs - window.fromMs;
  const a = window.fromMs + Math.min(fromShare, toShare) * length;
  const b = window.fromMs + Math.max(fromShare, toShare) * length;
  const middle = (a + b) / 2;
  const half = Math.max(MIN_LENGTH_MS, b - a) / 2;
  const toMs = Math.min(nowMs, middle + half);
  return { kind: "fixed", fromMs: Math.round(toMs - 2 * half), toMs: Math.round(toMs) };
}

/** The next shorter (-1) or longer (1) preset; a fixed range keeps its end. */
export function stepRange(range: Range, direction: -1 | 1): Range {
  const length = range.kind === "live" ? range.lengthMs : range.toMs - range.fromMs;
  const lengths = PRESETS.map((preset) => preset.lengthMs);
  const next = direction === 1 ? lengths.find((candidate) => candidate > length) : lengths.findLast((candidate) => candidate < length);
  if (next === undefined) return range;
  return range.kind === "live" ? { kind: "live", lengthMs: next } : { kind: "fixed", fromMs: range.toMs - next, toMs: range.toMs };
}

/** The wider window that the brush shows around a range: at least 6 h, and several times the range. */
export function overviewOf(range: Range, nowMs: number): Window {
  const window = windowOf(range, nowMs);
  const length = window.toMs - window.fromMs;
  const wide = [6 * HOUR_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS].find((candidate) => candidate >= length * 2) ?? MAX_LENGTH_MS;
  const toMs = window.fromMs >= nowMs - wide ? nowMs : Math.min(nowMs, window.toMs + (wide - length) / 2);
  return { fromMs: toMs - wide, toMs };
}
