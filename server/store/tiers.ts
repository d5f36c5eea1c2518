/** Widths of the rolled-up tiers, milliseconds. */
export const MINUTE_MS = 60_000;
export const FIVE_MINUTES_MS = 300_000;
export type RolledStep = typeof MINUTE_MS | typeof FIVE_MINUTES_MS;

export const TIER_TABLES: Readonly<Record<RolledStep, string>> = { [MINUTE_MS]: "sample_minute", [FIVE_MINUTES_MS]: "sample_five_minutes" };

/** A span is rolled up once it is this long over; what comes later is merged in afterwards. */
export const LATENESS_MS = 60_000;
/** Time between two passes over all series. */
export const ROLL_EVERY_MS = 10 * 60_000;
/** No batch for this long: no collector was at work, and nothing is claimed for that stretch. */
export const COLLECTOR_SILENT_MS = 150_000;
