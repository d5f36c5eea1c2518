import type { ReactNode } from "react";
import { formatCount } from "@/components/format/numbers";
import { formatClock } from "@/components/format/time";
import { useZone } from "@/components/shell/prefs-provider";
import { GapBoxes } from "../gap-boxes";
import type { Window } from "../geometry/range";
import { shareFromTop, shareOf } from "../geometry/scale";
import { timeTicks, zoneOffsetMs } from "../geometry/time-ticks";
import type { BacklogDrawing } from "./drawing";

/** The two lines' keys, each with its last count. */
export function BacklogKeys({ drawing }: { readonly drawing: BacklogDrawing | undefined }) {
  return (
    <span className="rc-keys">
      <span className="rc-key waiting">{words(drawing?.waiting.now)} waiting</span>
      <span className="rc-key dead">{words(drawing?.dead.now)} dead</span>
    </span>
  );
}

/** Waiting pods and dead sandboxes over a window, with axes and gaps; `children` are marks that lie on the plot, `lastly` says when the last counts are of. */
export function BacklogFrame({ drawing, window, lastly, mostTicks, children }: { readonly drawing: BacklogDrawing | undefined; readonly window: Window; readonly lastly: "now" | "at the end"; readonly mostTicks: number; readonly children: ReactNode }) {
  const zone = useZone();
  return (
    <div className="rc">
      <div className="rc-plot">
        {drawing === undefined ? null : (
          <>
            {drawing.scale.ticks.map((tick) => (
              <div key={tick} className="rc-grid" style={{ top: `${shareFromTop(tick, drawing.scale) * 100}%` }}>
                <span>{formatCount(tick)}</span>
              </div>
            ))}
            <svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label={`Waiting pods and dead sandboxes; ${lastly} ${words(drawing.waiting.now)} waiting, ${words(drawing.dead.now)} dead`}>
              {drawing.waiting.areas.map((path) => <path key={path} className="rc-area" d={path} />)}
              {drawing.waiting.lines.map((path) => <path key={path} className="rc-line waiting" d={path} />)}
              {drawing.dead.lines.map((path) => <path key={path} className="rc-line dead" d={path} />)}
            </svg>
            <GapBoxes gaps={drawing.gaps} window={window} labelled />
          </>
        )}
        {children}
      </div>
      <div className="rc-x" aria-hidden="true">
        {timeTicks(window, mostTicks, zoneOffsetMs(window.fromMs, zone)).ticks.map((tick) => (
          <span key={tick} style={{ left: `${shareOf(tick, window) * 100}%` }}>
            {formatClock(tick, zone, "minute")}
          </span>
        ))}
      </div>
    </div>
  );
}

const words = (value: number | undefined): string => (value === undefined ? "no data" : formatCount(value));
