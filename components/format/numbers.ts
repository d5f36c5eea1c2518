import { bytesWords, coresWords, countWords, numberWords, rangeWords, shareWords } from "@/server/domain/words";
import { formatDuration } from "./time";

/**
 * Numbers as the summaries and exports write them (server/domain/words), under the names that components use, and the
 * one thing that only pages need: a latency short enough for an axis.
 */
export const formatBytes = bytesWords;
export const formatCores = coresWords;
export const formatShare = shareWords;
export const formatSecondsRange = rangeWords;
export const plural = countWords;
export const formatCount = (value: number): string => numberWords(value);

/** Latency in seconds: "12 ms", "1.4 s", "14 s", "4 min 10 s"; `short` for axes and gutters: "4 m 10 s". */
export function formatSeconds(seconds: number, style: "long" | "short" = "long"): string {
  if (seconds === 0) return "0 s";
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1_000))} ms`;
  if (seconds < 10) return `${numberWords(seconds, 1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return formatDuration(seconds, style);
}
