import { durationWords } from "@/server/domain/words";

/** Where times are shown in: "UTC", or the IANA name of the reader's own zone. */
export type Zone = string;

const formatters = new Map<string, Intl.DateTimeFormat>();

function partsFormatter(zone: Zone): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formatters.set(zone, made);
  return made;
}

interface Parts {
  readonly day: string;
  readonly month: string;
  readonly year: string;
  readonly clock: string;
  readonly seconds: string;
}

function partsOf(ms: number, zone: Zone): Parts {
  const found: Record<string, string> = {};
  for (const part of partsFormatter(zone).formatToParts(ms)) found[part.type] = part.value;
  return {
    day: found["day"] ?? "",
    month: found["month"] ?? "",
    year: found["year"] ?? "",
    clock: `${found["hour"] ?? ""}:${found["minute"] ?? ""}`,
    seconds: found["second"] ?? "",
  };
}

/** "02:36:04", or "02:36" for a minute. */
export function formatClock(ms: number, zone: Zone, precision: "second" | "minute" = "second"): string {
  const parts = partsOf(ms, zone);
  return precision === "minute" ? parts.clock : `${parts.clock}:${parts.seconds}`;
}

/** "17 Mar" */
export function formatDay(ms: number, zone: Zone): string {
  const parts = partsOf(ms, zone);
  return `${parts.day} ${parts.month}`;
}

/** "17 Mar 2026, 02:36:04 UTC": an instant that needs nothing beside it. */
export function formatInstant(ms: number, zone: Zone): string {
  const parts = partsOf(ms, zone);
  return `${parts.day} ${parts.month} ${parts.year}, ${parts.clock}:${parts.seconds} ${zoneLabel(zone)}`;
}

/** Only the clock on the day of `nowMs`, with the day before it otherwise. */
export function formatWhen(ms: number, nowMs: number, zone: Zone, precision: "second" | "minute" = "second"): string {
  const clock = formatClock(ms, zone, precision);
  return formatDay(ms, zone) === formatDay(nowMs, zone) ? clock : `${formatDay(ms, zone)} ${clock}`;
}

/** "UTC", or the place of an IANA name: "Berlin". */
export function zoneLabel(zone: Zone): string {
  return (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");
}

export function isZone(text: string): boolean {
  if (text.length > 64) return false;
  try {
    partsFormatter(text);
    return true;
  } catch {
    return false; // Intl throws for a zone that it does not know: that is the answer
  }
}

/** A length of time in at most two units, as summaries write it: "51 s", "4 min 10 s", "1 h 14 min". `short` is for gutters: "4 m 10 s". */
export function formatDuration(seconds: number, style: "long" | "short" = "long"): string {
  const words = durationWords(seconds);
  return style === "long" ? words : words.replace(" min", " m");
}
