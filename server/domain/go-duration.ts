const UNIT_SECONDS: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, "µs": 1e-6, "μs": 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };
const DURATION = /^(?:\d+(?:\.\d*)?(?:ns|us|µs|μs|ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d*)?)(ns|us|µs|μs|ms|s|m|h)/g;
/** Longer texts are none that a person wrote. */
const MAX_CHARS = 64;

/** A duration as Go writes it, "2m0s" or "1h30m", in seconds; `undefined` where it is none, or negative. */
export function parseGoDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (text.length > MAX_CHARS || !DURATION.test(text)) return undefined;
  return [...text.matchAll(PART)].reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNIT_SECONDS[unit ?? ""] ?? NaN), 0);
}
