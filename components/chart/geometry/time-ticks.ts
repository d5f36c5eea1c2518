const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const STEPS_MS = [MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS] as const;

/** Round instants inside a window, as the reader's zone counts days; `offsetMs` is that zone's distance from UTC. */
export function timeTicks(window: { readonly fromMs: number; readonly toMs: number }, most: number, offsetMs = 0): { readonly stepMs: number; readonly ticks: readonly number[] } {
  const length = window.toMs - window.fromMs;
  const stepMs = STEPS_MS.find((step) => length / step <= most) ?? 14 * DAY_MS;
  const ticks: number[] = [];
  for (let at = Math.ceil((window.fromMs + offsetMs) / stepMs) * stepMs - offsetMs; at <= window.toMs; at += stepMs) ticks.push(at);
  return { stepMs, ticks };
}

/** How far a zone is ahead of UTC at an instant, from the clock it shows. */
export function zoneOffsetMs(atMs: number, zone: string): number {
  if (zone === "UTC") return 0;
  const parts: Record<string, number> = {};
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" });
  for (const part of format.formatToParts(atMs)) parts[part.type] = Number(part.value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / 1_000) * 1_000;
}
