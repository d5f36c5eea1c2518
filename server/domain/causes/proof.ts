import { spanWords } from "../words";
import { cannotTell, clear } from "./findings";
import { couldNotLook, notSeen, seen } from "./evidence";
import type { CauseInput, ErrorGroup, Finding } from "./types";

/** When a sandbox became ready within the window, by the API; `undefined` where none did, or nobody can tell. */
export function startedLatelyMs({ lastFreshMs, nowMs, thresholds, source }: CauseInput): number | undefined {
  if (lastFreshMs === undefined || source("api").freshness !== "fresh") return undefined;
  return nowMs - lastFreshMs <= thresholds.windowSeconds * 1_000 ? lastFreshMs : undefined;
}

/**
 * The finding of a check that saw no sign and could not look at the mechanism itself. A sandbox that became ready lately shows
 * that the mechanism is not there; without one it cannot be told, for the reason given.
 */
export function provenByStart(input: CauseInput, what: string, reason: string): Finding {
  const startedMs = startedLatelyMs(input);
  if (startedMs === undefined) return cannotTell(reason, [couldNotLook(what, "agent", reason)]);
  return clear(`A sandbox became ready ${spanWords(startedMs, input.nowMs)} ago, which could not be.`, [seen("A sandbox that became ready", "api", { atMs: startedMs }), notSeen(what, "api")]);
}

/** Whether a text is newer than the agent's report: what the report shows to be in order was mended since, or the text means another thing. */
export const saidSinceReport = (input: CauseInput, { lastMs }: ErrorGroup): boolean => input.report === undefined || lastMs > input.report.atMs;
