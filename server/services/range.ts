import { DAY_MS } from "../domain/durations";
import { ServiceError } from "../errors";

/** Longest range of one answer: what the coarsest tier keeps. */
export const MAX_RANGE_MS = 31 * DAY_MS;

/** Throws `invalid` where a range, its defaults filled in, is empty, runs backwards or is longer than MAX_RANGE_MS. UTC milliseconds. */
export function requireRange(fromMs: number, toMs: number): void {
  const message = fromMs >= toMs ? "must be earlier than to" : toMs - fromMs > MAX_RANGE_MS ? `is ${Math.ceil((toMs - fromMs) / DAY_MS)} days before to: at most ${MAX_RANGE_MS / DAY_MS}` : undefined;
  if (message !== undefined) throw new ServiceError("invalid", `from ${message}.`, { errors: [{ field: "query.from", message }] });
}
