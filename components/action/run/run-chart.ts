import type { Window } from "@/components/chart/geometry/range";
import { shareOf } from "@/components/chart/geometry/scale";
import type { ActionRunOut } from "@/server/contract/schemas";
import { CHECK_MINUTES, checkLabel } from "../run-state";

const MINUTE_MS = 60_000;
/** How it was going before the run. */
const BEFORE_MS = 10 * MINUTE_MS;
/** A little more than the last check, so that its mark stands inside. */
const AFTER_LAST_MS = MINUTE_MS / 2;

/** From ten minutes before the run to its last check; before the change is seen, to where that would be if it were seen now. */
export function chartWindow(run: Pick<ActionRunOut, "started" | "seen" | "verifications">, nowMs: number): Window {
  const last = run.verifications.at(-1);
  const lastMs = last === undefined ? nowMs + (CHECK_MINUTES.at(-1) ?? 0) * MINUTE_MS : Date.parse(last.due);
  return { fromMs: Date.parse(run.started) - BEFORE_MS, toMs: lastMs + AFTER_LAST_MS };
}

export interface Pin {
  readonly label: string;
  readonly share: number;
  readonly done: boolean;
}

/** Marks on the chart: the run, when the change was seen, and each check. */
export function pinsOf(run: ActionRunOut, window: Window): readonly Pin[] {
  const at = (label: string, iso: string, done: boolean): Pin => ({ label, share: shareOf(Date.parse(iso), window), done });
  return [at("run", run.started, true), ...run.verifications.map((check) => at(checkLabel(run, check).replace(" min", ""), check.due, check.verdict !== undefined))];
}
