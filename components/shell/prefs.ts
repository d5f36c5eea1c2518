import { isZone, type Zone } from "@/components/format/time";

/**
 * A reader's choices, kept in cookies: the server then sends the first byte in the right theme and zone, and no script
 * has to run before the page is painted.
 */
export interface Prefs {
  readonly theme: "system" | "light" | "dark";
  readonly zone: Zone;
  readonly density: "compact" | "comfortable";
}

export const PREF_COOKIES = { theme: "sandglass-theme", zone: "sandglass-zone", density: "sandglass-density" } as const;
export const DEFAULT_PREFS: Prefs = { theme: "system", zone: "UTC", density: "compact" };

/** A cookie that is none of ours or is broken is the default. */
export function parsePrefs(read: (name: string) => string | undefined): Prefs {
  const theme = read(PREF_COOKIES.theme);
  const zone = read(PREF_COOKIES.zone);
  return {
    theme: theme === "light" || theme === "dark" ? theme : DEFAULT_PREFS.theme,
    zone: zone !== undefined && isZone(zone) ? zone : DEFAULT_PREFS.zone,
    density: read(PREF_COOKIES.density) === "comfortable" ? "comfortable" : DEFAULT_PREFS.density,
  };
}

const YEAR_SECONDS = 31_536_000;

/** The text of a cookie for `document.cookie`; it never leaves for another site. */
export function prefCookie(name: keyof typeof PREF_COOKIES, value: string): string {
  return `${PREF_COOKIES[name]}=${encodeURIComponent(value)}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Strict`;
}
