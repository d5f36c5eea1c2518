import { formatRange, type Range } from "./geometry/range";

/** One text for one range, for the query cache. */
export const rangeKeyOf = (range: Range): string => Object.values(formatRange(range)).join(" ") || "default";
