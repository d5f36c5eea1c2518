import type { Series } from "./grid";
import type { Window } from "./range";
import { shareOf } from "./scale";
import type { LaneEvent } from "./events";

/** One mark in the lane of restarts: a kill is a cross, a restart a triangle. */
export interface Mark {
  readonly atMs: number;
  readonly kind: "oom" | "restart";
  readonly label: string;
  /** Whose it is; a node's own restart has none. */
  readonly pod?: string;
}

export interface PlacedMark extends Mark {
  readonly share: number;
  /** Which side of the mark its label stands on; `undefined` where there is no room, and only the mark is drawn. */
  readonly side: "left" | "right" | undefined;
}

/** Events of the node itself that tell of something that started anew. A map, since anybody may write an event with the reason "__proto__". */
const RESTART_REASONS: ReadonlyMap<string, string> = new Map([["Rebooted", "node reboot"], ["Starting", "kubelet restart"]]);

export function marksOf(input: {
  readonly oomKills: readonly { readonly atMs: number; readonly container: string; readonly pod: string }[];
  readonly restarts: readonly { readonly pod: string; readonly series: Series }[];
  readonly events: readonly LaneEvent[];
}): readonly Mark[] {
  const marks: Mark[] = input.oomKills.map((kill) => ({ atMs: kill.atMs, kind: "oom", label: `OOM ${kill.container}`, pod: kill.pod }));
  for (const { pod, series } of input.restarts) {
    for (let index = 1; index < series.at.length; index += 1) {
      const grew = (series.last[index] ?? 0) - (series.last[index - 1] ?? 0);
      if (grew > 0) marks.push({ atMs: series.at[index] ?? 0, kind: "restart", label: grew === 1 ? `${pod} restarted` : `${pod} restarted ×${grew}`, pod });
    }
  }
  for (const event of input.events) {
    const label = RESTART_REASONS.get(event.reason);
    if (label !== undefined) marks.push({ atMs: event.atMs, kind: "restart", label });
  }
  return mergeKills(marks.sort((a, b) => a.atMs - b.atMs));
}

/** The restart that follows a kill is told with it. */
const SAME_STORY_MS = 90_000;

function mergeKills(marks: readonly Mark[]): readonly Mark[] {
  const merged: Mark[] = [];
  for (const mark of marks) {
    const at = merged.findIndex((kill) => Math.abs(kill.atMs - mark.atMs) <= SAME_STORY_MS && kill.pod !== undefined && kill.pod === mark.pod && kill.kind !== mark.kind);
    const other = merged[at];
    if (other === undefined) merged.push(mark);
    else merged[at] = { ...(other.kind === "oom" ? other : mark), atMs: other.atMs };
  }
  return merged;
}

const CHAR_PX = 6.2;
const MARK_PX = 10;

/** Labels stand right of their mark, left of it near the end, and are left out where they would cover another. */
export function placeMarks(marks: readonly Mark[], window: Window, widthPx: number): readonly PlacedMark[] {
  let busyTo = -Infinity;
  const inside = marks.filter((mark) => mark.atMs >= window.fromMs && mark.atMs <= window.toMs);
  return inside.map((mark, index) => {
    const share = shareOf(mark.atMs, window);
    const x = share * widthPx;
    const wide = mark.label.length * CHAR_PX + MARK_PX;
    const following = inside[index + 1];
    const nextX = following === undefined ? widthPx : shareOf(following.atMs, window) * widthPx - MARK_PX;
    let side: PlacedMark["side"];
    if (x + wide <= nextX && x >= busyTo) side = "right";
    else if (x - wide >= busyTo) side = "left";
    busyTo = Math.max(busyTo, side === "right" ? x + wide : x + MARK_PX / 2);
    return { ...mark, share, side };
  });
}
