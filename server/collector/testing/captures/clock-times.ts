import { momentsOf, type Capture } from "./capture";

const DAY_MS = 86_400_000;
/** As many zones as there are: what a capture's own beginning says of it, "Z" or "+02:00". */
const STAMP = /(\d{4}-\d\d-\d\d)T[\d:.]+(Z|[+-]\d\d:?\d\d)?/;

/**
 * Reads times of the clock ("11:22:44") one after the other. A course names no day: each is taken for the day on which it lies nearest to the
 * one before it, the first for that nearest to the trial's beginning, so that a course may pass midnight. The zone is that of the beginning.
 */
export function clockTimes(capture: Capture): (time: string) => number {
  const [, , zone = "Z"] = STAMP.exec(capture.files.get("started.txt") ?? "") ?? [];
  let nearMs = Date.parse(capture.files.get("started.txt")?.trim() ?? "");
  if (Number.isNaN(nearMs)) nearMs = momentsOf(capture)[0]?.atMs ?? 0;
  return (time) => {
    const day = new Date(nearMs).toISOString().slice(0, "2026-11-30".length);
    const ms = Date.parse(`${day}T${time}${zone}`);
    nearMs = ms + Math.round((nearMs - ms) / DAY_MS) * DAY_MS;
    return nearMs;
  };
}
